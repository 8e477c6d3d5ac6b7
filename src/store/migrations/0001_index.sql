-- Everything that is derived from the chain. A schema of its own, so that it can be dropped and read again without touching what cannot.
create schema idx;

-- A stretch of the log with one set of contracts on one incarnation of the network. The log's order is epoch, then ledger, then event id.
create table idx.epochs (
  number int primary key,
  epoch text not null unique,
  -- Grows when the network was reset; ids of ledgers and events repeat from one incarnation to the next.
  chain int not null,
  -- The first epoch with this market on this incarnation: position ids are unique inside a deployment and repeat across them.
  deployment int not null references idx.epochs (number),
  reason text not null check (reason in ('first', 'contracts', 'reset')),
  passphrase text not null,
  contracts jsonb not null,
  start_ledger bigint not null,
  started_at bigint not null,
  -- Up to where this epoch was indexed, once a later one has begun.
  final_cursor text
);

-- Where the indexer stands: one row, there from the start, and the head that every read answers with.
create table idx.cursor (
  id int primary key default 1 check (id = 1),
  epoch int references idx.epochs (number),
  -- The RPC's cursor, exclusive; null before the first page of an epoch, which begins at start_ledger.
  cursor text,
  start_ledger bigint,
  -- The last ledger that was scanned whole, with or without events, and when it closed.
  last_ledger bigint,
  last_ledger_close_ts bigint,
  last_seq bigint not null default 0,
  -- The highest ledger that the RPC has ever told of in this incarnation: a later answer that contradicts it comes from another chain.
  seen_ledger bigint,
  seen_ledger_close_ts bigint,
  -- Archived events of this database that could not be decoded.
  unknown_events bigint not null default 0,
  updated_at bigint
);
insert into idx.cursor default values;

-- The archive: every contract event, raw and decoded. It is the log that everything below, and the stream, is a view of.
create table idx.events (
  -- Grows by one from event to event, across epochs.
  seq bigint primary key,
  epoch int not null references idx.epochs (number),
  event_id text not null unique,
  contract_id text not null,
  topic text not null,
  ledger bigint not null,
  ledger_close_ts bigint not null,
  tx_hash text not null,
  -- Base64 ScVals, separated by blanks; empty when the event has no topic.
  topics_xdr text not null,
  value_xdr text not null,
  payload jsonb,
  -- Why the event could not be decoded; null when it could.
  problem text,
  inserted_at bigint not null
);
create index events_by_topic on idx.events (topic, seq);
create index events_by_contract on idx.events (contract_id, seq);
create index events_by_contract_and_topic on idx.events (contract_id, topic, seq);
create index events_undecoded on idx.events (seq) where problem is not null;

-- One row per ledger with events: turns ledgers and close times into ranges of seq.
create table idx.ledgers (
  epoch int not null references idx.epochs (number),
  ledger bigint not null,
  close_ts bigint not null,
  first_seq bigint not null,
  last_seq bigint not null,
  primary key (epoch, ledger)
);
create index ledgers_by_close_ts on idx.ledgers (epoch, close_ts, last_seq);

-- Ledgers that were lost: the RPC had dropped them before they were read.
create table idx.gaps (
  epoch int not null references idx.epochs (number),
  from_ledger bigint not null,
  to_ledger bigint not null check (to_ledger >= from_ledger),
  noticed_at bigint not null,
  primary key (epoch, from_ledger)
);

-- Margin modes read from ledger entries; no event tells them. Source data: a rebuild keeps it.
create table idx.margin_modes (
  deployment int not null references idx.epochs (number),
  position_id bigint not null,
  mode text not null check (mode in ('isolated', 'cross')),
  ledger bigint not null,
  observed_at bigint not null,
  primary key (deployment, position_id)
);

-- From here on projections: a rebuild empties and refills them from the archive.

-- Every position ever opened.
create table idx.positions (
  deployment int not null references idx.epochs (number),
  position_id bigint not null,
  trader text not null,
  asset text not null,
  direction smallint not null,
  size numeric(39, 0) not null,
  entry_price numeric(39, 0) not null,
  opened_seq bigint not null,
  opened_at bigint not null,
  opened_tx_hash text not null,
  -- Null: not known. A cross_liquidated position of unknown mode has ended provisionally.
  margin_mode text check (margin_mode in ('isolated', 'cross')),
  state text not null check (state in ('open', 'closed', 'liquidated', 'cross_liquidated')),
  primary key (deployment, position_id)
);
create index positions_open on idx.positions (deployment, opened_seq) where state = 'open';
create index positions_open_by_trader on idx.positions (deployment, trader, opened_seq) where state = 'open';
create index positions_to_observe on idx.positions (deployment, opened_seq)
  where margin_mode is null and state in ('open', 'cross_liquidated');

-- Closes and liquidations, joined to their opening leg when they were written. Null legs: the open is not in the archive.
create table idx.trades (
  seq bigint primary key,
  position_id bigint not null,
  trader text not null,
  kind text not null check (kind in ('close', 'liquidation')),
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  asset text,
  direction smallint,
  size numeric(39, 0),
  entry_price numeric(39, 0),
  close_price numeric(39, 0) not null,
  pnl numeric(39, 0)
);
create index trades_by_trader on idx.trades (trader, seq);
create index trades_by_asset on idx.trades (asset, seq);
create index trades_by_trader_and_asset on idx.trades (trader, asset, seq);

-- Lifetime results of every trader, across deployments.
create table idx.traders (
  trader text collate "C" primary key,
  pnl numeric not null,
  volume numeric not null
);
create index traders_by_pnl on idx.traders (pnl, trader);
create index traders_by_volume on idx.traders (volume, trader);

-- Open interest per asset; never summed over positions.
create table idx.open_interest (
  deployment int not null references idx.epochs (number),
  asset text not null,
  long_size numeric not null,
  short_size numeric not null,
  positions bigint not null,
  primary key (deployment, asset)
);

-- Traded notional, one row per open, close and liquidation: the first, partial hour of a rolling window is read here, the rest from whole hours.
create table idx.fills (
  seq bigint primary key,
  ts bigint not null,
  trader text not null,
  asset text not null,
  size numeric(39, 0) not null,
  -- Opens and matched closes; liquidations do not count for the trader.
  counts_for_trader boolean not null
);
create index fills_by_asset on idx.fills (asset, ts);
create index fills_by_trader on idx.fills (trader, ts) where counts_for_trader;

create table idx.asset_hours (
  asset text not null,
  hour bigint not null,
  volume numeric not null,
  primary key (asset, hour)
);

create table idx.trader_hours (
  trader text not null,
  hour bigint not null,
  volume numeric not null,
  primary key (trader, hour)
);

-- Prices folded into buckets, the forming one included. Not from the archive: a rebuild leaves them alone.
create table idx.candles (
  asset text not null,
  interval text not null,
  time bigint not null,
  open numeric(39, 0) not null,
  high numeric(39, 0) not null,
  low numeric(39, 0) not null,
  close numeric(39, 0) not null,
  -- When the first and the last price of the bucket were attested: ticks may come late and still find their place.
  open_ts bigint not null,
  close_ts bigint not null,
  primary key (asset, interval, time)
);
