-- baseline
-- Closed positions, and what was traded per hour.

-- Closes and liquidations, joined to their opening leg when they were written. Null legs: the open is not in the archive.
create table idx.trades (
  seq bigint primary key,
  position_id bigint,
  trader text not null,
  kind text not null check (kind = any ('{close,reduce,liquidation,partial_liquidation,cross_liquidation,adl}')),
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  asset text,
  direction smallint,
  size numeric(39),
  entry_price numeric(39),
  close_price numeric(39),
  pnl numeric(39),
  order_id bigint,
  -- What the event itself says of the position, where the opening is not archived.
  event_asset text,
  event_direction smallint,
  event_size numeric(39)
);
create index trades_by_asset on idx.trades (asset, seq);
create index trades_by_event_asset on idx.trades (event_asset, seq) where event_asset is not null;
create index trades_by_trader on idx.trades (trader, seq);
create index trades_by_trader_and_asset on idx.trades (trader, asset, seq);

-- Traded notional per asset and hour.
create table idx.asset_hours (
  asset text not null,
  hour bigint not null,
  volume numeric not null,
  primary key (asset, hour)
);

-- The same per trader. Liquidations do not count.
create table idx.trader_hours (
  trader text not null,
  hour bigint not null,
  volume numeric not null,
  primary key (trader, hour)
);
