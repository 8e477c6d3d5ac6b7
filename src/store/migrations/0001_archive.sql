-- baseline
-- The log: what is archived of the chain, and how far. Everything in this schema but what is marked as observed can be read or computed again.
create schema idx;

-- Parts of the log with one set of contracts on one chain. The log's order is epoch, then ledger, then event id.
create table idx.epochs (
  number int primary key,
  epoch text not null unique,
  -- Grows when the network was reset; ids of ledgers and events repeat from one chain to the next.
  chain int not null,
  -- The first epoch with this market contract on this chain. Ids of positions and orders are unique among the rows with the same number, and
  -- repeat with others. Tables of other contracts' rows have the first epoch of their own contract in the column of this name.
  contract_epoch int not null references idx.epochs (number),
  reason text not null check (reason in ('first', 'contracts', 'reset')),
  passphrase text not null,
  contracts jsonb not null,
  start_ledger bigint not null,
  started_at bigint not null,
  -- Up to where this epoch was indexed, once a later one has begun.
  final_cursor text,
  -- The name of its deployment.
  name text not null
);

-- The ranges of seq of each epoch. A chain that comes back continues its epoch, in another range.
create table idx.epoch_ranges (
  first_seq bigint primary key,
  -- Null for the current range.
  last_seq bigint,
  epoch int not null references idx.epochs (number)
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
  -- Archived events of this database that could not be decoded.
  unknown_events bigint not null default 0,
  updated_at bigint,
  -- Seqs up to here are taken or reserved: the next event gets a later one.
  reserved_seq bigint not null default 0,
  -- The oldest ledger that the RPC had when the index moved last.
  oldest_ledger bigint,
  -- The version of the code that built the projections; null: unknown.
  projections_version int,
  -- The version of the newest candle revision. A change of candles locks this row first, so that a bucket cannot end in between.
  candle_version bigint not null default 0
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
  inserted_at bigint not null,
  -- An event of one chain is archived once, in whichever epoch it arrived.
  chain int not null,
  -- The token's movements from and to the exchange's contracts are archived among the events, and no list of events shows them.
  is_transfer boolean not null default false
);
create index events_by_contract on idx.events (contract_id, seq) where not is_transfer;
create index events_by_contract_and_topic on idx.events (contract_id, topic, seq) where not is_transfer;
-- A verification compares the archive ledger by ledger, and must not trust idx.ledgers.
create index events_by_ledger on idx.events (ledger);
create index events_by_topic on idx.events (topic, seq) where not is_transfer;
-- The events of one transaction.
create index events_by_tx_hash on idx.events using hash (tx_hash);
create index events_listed on idx.events (seq) where not is_transfer;
create unique index events_once_per_chain on idx.events (chain, left(event_id, 30) collate "C");
create index events_undecoded on idx.events (seq) where problem is not null;
-- Applications of funding by asset; '' for funding that all assets share.
create index funding_by_asset on idx.events (coalesce(payload ->> 'asset', ''), seq) where topic = 'funding_applied' and not is_transfer;

-- How many events the archive has of each topic; topic unknown: could not be decoded.
create table idx.event_counts (
  epoch int not null references idx.epochs (number),
  topic text not null,
  events bigint not null,
  primary key (epoch, topic)
);

-- One row per ledger with events: turns ledgers and close times into ranges of seq.
create table idx.ledgers (
  epoch int not null,
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
  to_ledger bigint not null,
  noticed_at bigint not null,
  -- The seqs that were reserved for its events when it was noticed, so that what is read later stands where it happened.
  first_seq bigint not null default 0,
  last_seq bigint not null default 0,
  -- Close time of the last ledger that was read before it, in Unix seconds; null: not known.
  after_ts bigint,
  state text not null default 'open' check (state in ('open', 'filled', 'unfillable')),
  -- Up to where another source has read it; null before its first page.
  fill_cursor text,
  -- When `state` changed last, in milliseconds.
  changed_at bigint,
  primary key (epoch, from_ledger),
  check (to_ledger >= from_ledger)
);
create index gaps_by_place on idx.gaps (last_seq) where state <> 'filled';
