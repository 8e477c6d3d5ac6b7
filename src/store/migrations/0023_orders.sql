-- Orders from their placement to their end. Instances of the previous version still use idx.order_owners and idx.placed_orders while they run; a later
-- migration drops these tables.

-- What the ledger entries of orders say. Observed, so a rebuild keeps it.
create table idx.order_details (
  deployment int not null references idx.epochs (number),
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
  primary key (deployment, order_id)
);

-- How far the ids of a market were searched for orders that no event named.
create table idx.order_scans (
  deployment int primary key references idx.epochs (number),
  -- Every id up to this one has a row in idx.orders, or was read once.
  through bigint not null,
  -- The last id that the market had assigned.
  last_id bigint not null,
  scanned_at bigint not null
);

insert into idx.order_details (deployment, order_id, owner, status, complete, ledger, observed_at)
select deployment, order_id, owner, 'executed', false, ledger, observed_at from idx.order_owners;

-- Every known order. A projection: of events, and of idx.order_details.
create table idx.orders (
  deployment int not null references idx.epochs (number),
  order_id bigint not null,
  status text not null check (status in ('pending', 'executed', 'cancelled')),
  trader text,
  asset text,
  -- The placement event; null when there is none.
  seq bigint,
  trigger_price numeric(39, 0),
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
  price numeric(39, 0),
  size numeric(39, 0),
  pnl numeric(39, 0),
  -- As the execution event reports it.
  keeper_reward numeric(39, 0),
  details_complete boolean not null,
  primary key (deployment, order_id)
);
create index orders_by_placement on idx.orders (deployment, seq);
create index orders_by_placement_of_trader on idx.orders (deployment, trader, seq);
create index orders_pending on idx.orders (deployment, seq) where status = 'pending';
create index orders_pending_of_trader on idx.orders (deployment, trader, seq) where status = 'pending';
create index orders_incomplete on idx.orders (deployment, order_id) where not details_complete;
create index orders_by_trader on idx.orders (deployment, trader, order_id);
create index orders_by_trader_and_status on idx.orders (deployment, trader, status, order_id);
create index orders_by_trader_and_asset on idx.orders (deployment, trader, asset, order_id);
create index orders_by_trader_asset_and_status on idx.orders (deployment, trader, asset, status, order_id);

-- Served until the projections have been rebuilt.
insert into idx.orders (deployment, order_id, status, trader, seq, trigger_price, ledger, ts, tx_hash, details_complete)
select deployment, order_id, case when status in ('executed', 'cancelled') then status else 'pending' end, trader, seq, trigger_price, ledger, ts, tx_hash,
  false
from idx.placed_orders;
