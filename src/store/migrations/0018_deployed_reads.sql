-- What the deployed service lists besides the specification: opened positions, every kind of trade, placed orders, counts per trader, bad debt.

-- Opened positions, for the trade list.
create table idx.opens (
  seq bigint primary key,
  position_id bigint not null,
  trader text not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  asset text not null,
  direction smallint not null,
  size numeric(39, 0) not null,
  entry_price numeric(39, 0) not null
);
create index opens_by_trader on idx.opens (trader, seq);
create index opens_by_asset on idx.opens (asset, seq);
create index opens_by_trader_and_asset on idx.opens (trader, asset, seq);

alter table idx.trades
  drop constraint trades_kind_check,
  add constraint trades_kind_check
    check (kind ~ '^(close|reduce|liquidation|partial_liquidation|cross_liquidation|adl)$'),
  -- Null: a cross liquidation, which concerns an account.
  alter column position_id drop not null,
  alter column close_price drop not null;

alter table idx.traders
  add column trades bigint not null default 0,
  add column liq_count bigint not null default 0;
drop index idx.traders_by_pnl, idx.traders_by_volume;
create index traders_by_pnl on idx.traders (pnl desc, volume desc, trader);
create index traders_by_volume on idx.traders (volume desc, pnl desc, trader);

-- The sums of idx.traders; one row.
create table idx.trader_totals (
  id int primary key default 1 check (id = 1),
  traders bigint not null,
  volume numeric not null,
  trades bigint not null
);

-- Null in rows from before this migration, until the projections have been rebuilt.
alter table idx.placed_orders
  add column seq bigint,
  add column trigger_price numeric(39, 0),
  add column ledger bigint,
  add column ts bigint,
  add column tx_hash text,
  add column status text check (status in ('open', 'executed', 'cancelled'));
create index placed_orders_newest on idx.placed_orders (deployment, seq);
create index placed_orders_by_trader on idx.placed_orders (deployment, trader, seq);
create index placed_orders_open on idx.placed_orders (deployment, seq) where status = 'open';
create index placed_orders_open_by_trader on idx.placed_orders (deployment, trader, seq) where status = 'open';

-- Losses that no account could pay.
create table idx.bad_debts (
  deployment int primary key references idx.epochs (number),
  covered numeric not null,
  lp_absorbed numeric not null,
  events bigint not null
);

-- The notional that generation 2 reports beside the fee.
alter table idx.referral_trades add column volume numeric(39, 0);

create index positions_open_by_asset on idx.positions (deployment, asset, opened_seq) where state = 'open';
