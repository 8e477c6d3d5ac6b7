-- baseline
-- The liquidity pool.

-- The liquidity vault as it was, once in five minutes. No event reports it. Source data: a rebuild keeps it.
create table idx.pool_samples (
  -- Begin of the five minutes, unix seconds.
  time bigint primary key,
  ledger bigint not null,
  aum numeric(39) not null,
  lp_price numeric(39) not null,
  lp_supply numeric(39) not null,
  reserved_payout numeric(39),
  unrealized_pnl numeric(39)
);

-- Deposits and withdrawals per five minutes.
create table idx.pool_flows (
  time bigint primary key,
  deposits numeric not null,
  withdrawals numeric not null
);
