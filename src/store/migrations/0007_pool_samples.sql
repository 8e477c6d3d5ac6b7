-- The liquidity vault as it was, once in five minutes. No event tells it. Source data: a rebuild keeps it.
create table idx.pool_samples (
  -- Begin of the five minutes, unix seconds.
  time bigint primary key,
  ledger bigint not null,
  aum numeric(39, 0) not null,
  lp_price numeric(39, 0) not null,
  lp_supply numeric(39, 0) not null,
  reserved_payout numeric(39, 0),
  unrealized_pnl numeric(39, 0)
);
