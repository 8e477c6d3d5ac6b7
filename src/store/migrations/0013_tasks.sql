-- Long tasks of the indexer, resumed after a restart: rebuilding the projections and verifying the index. `id` counts the runs of each kind.
create table idx.tasks (
  kind text primary key check (kind in ('rebuild', 'verify')),
  id bigint not null,
  state text not null check (state in ('requested', 'running', 'done', 'failed')),
  progress jsonb not null,
  updated_at bigint not null
);

-- The version of the code that built the projections; null: unknown.
alter table idx.cursor add column projections_version integer;

-- Differences between the archive and the network, found by a verification and not applied yet.
create table idx.repairs (
  action text not null check (action in ('add', 'replace', 'remove')),
  epoch integer not null references idx.epochs (number),
  event_id text not null,
  seq bigint,
  event jsonb,
  primary key (epoch, event_id)
);

-- A verification compares the archive ledger by ledger, and must not trust idx.ledgers.
create index events_by_ledger on idx.events (ledger);
