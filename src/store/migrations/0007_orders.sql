-- baseline
-- Orders, from their placement to their end.

-- Every known order. A projection: of events, and of idx.order_details.
create table idx.orders (
  contract_epoch int not null,
  order_id bigint not null,
  status text not null check (status in ('pending', 'executed', 'cancelled')),
  trader text,
  asset text,
  -- The placement event; null when there is none.
  seq bigint,
  trigger_price numeric(39),
  ledger bigint,
  ts bigint,
  tx_hash text,
  -- The event that ended the order.
  ended_seq bigint,
  end_reason text,
  ended_ledger bigint,
  ended_ts bigint,
  ended_tx_hash text,
  -- The position event of the execution; `pnl` is null when it opened the position.
  execution_seq bigint,
  position_id bigint,
  price numeric(39),
  size numeric(39),
  pnl numeric(39),
  -- As the execution event reports it.
  keeper_reward numeric(39),
  details_complete boolean not null,
  primary key (contract_epoch, order_id)
);
create index orders_by_placement on idx.orders (contract_epoch, seq);
create index orders_by_placement_of_trader on idx.orders (contract_epoch, trader, seq);
create index orders_by_trader on idx.orders (contract_epoch, trader, order_id);
create index orders_by_trader_and_asset on idx.orders (contract_epoch, trader, asset, order_id);
create index orders_by_trader_and_status on idx.orders (contract_epoch, trader, status, order_id);
create index orders_by_trader_asset_and_status on idx.orders (contract_epoch, trader, asset, status, order_id);
create index orders_incomplete on idx.orders (contract_epoch, order_id) where not details_complete;
create index orders_pending on idx.orders (contract_epoch, seq) where status = 'pending';
create index orders_pending_of_trader on idx.orders (contract_epoch, trader, seq) where status = 'pending';
-- An order that has ended is a line from its placement to its end, at the height of its placement, or of its trader (as in 0004_positions.sql).
create index orders_ended_by_placement on idx.orders
  using gist (box(point(seq, seq), point(ended_seq - 1, seq))) where seq is not null and ended_seq is not null;
create index orders_ended_by_trader on idx.orders
  using gist (box(point(seq, hashtext(trader)), point(ended_seq - 1, hashtext(trader)))) where seq is not null and ended_seq is not null;

-- What the ledger entries of orders say. Observed, so a rebuild keeps it.
create table idx.order_details (
  contract_epoch int not null references idx.epochs (number),
  order_id bigint not null,
  -- Null: the ledger has no entry of this order.
  owner text,
  -- As of `ledger`.
  status text not null check (status in ('pending', 'executed', 'cancelled')),
  -- The members of an open order. Null: unreadable.
  details jsonb,
  -- Number of reads that found no entry.
  misses int not null default 0,
  -- Nothing is left to be read.
  complete boolean not null,
  -- The node's latest ledger at the time of the reading.
  ledger bigint not null,
  observed_at bigint not null,
  primary key (contract_epoch, order_id)
);

-- How far the ids of a market were searched for orders that no event named.
create table idx.order_scans (
  contract_epoch int primary key references idx.epochs (number),
  -- Every id up to this one has a row in idx.orders, or was read once.
  through bigint not null,
  -- The last id that the market had assigned.
  last_id bigint not null,
  scanned_at bigint not null
);

-- Placements that no event reports, found in what transactions changed. Observed, so a rebuild keeps them.
create table idx.order_placements (
  contract_epoch int not null references idx.epochs (number),
  order_id bigint not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  -- Of the first archived row of the transaction, or else of the change by which the order became known; null: none.
  seq bigint,
  primary key (contract_epoch, order_id)
);
create index order_placements_by_tx_hash on idx.order_placements using hash (tx_hash);

-- Rows of account.orders that became more complete after their frame: an order whose entry was read, a fill whose effects were read. Each one has its own
-- position in the log, so that clients receive it and can resume after it.
create table idx.order_changes (
  seq bigint primary key,
  contract_epoch int not null references idx.epochs (number),
  account text not null,
  -- The order; null: none.
  order_id bigint,
  -- The fill; null: none.
  fill_seq bigint,
  position_id bigint
);
create index order_changes_by_account on idx.order_changes (account, seq);
