-- baseline
-- Files of one day's rows.

-- A file is the chunks with its state. Chunks with another state belong to a file that is being written, or was replaced.
create table idx.export_files (
  kind text not null check (kind in ('events', 'trades', 'candles', 'ledger')),
  day int not null,
  state text not null,
  etag text not null,
  bytes bigint not null,
  rows bigint not null,
  chunks int not null,
  generated_at bigint not null,
  primary key (kind, day)
);

create table idx.export_chunks (
  kind text not null,
  day int not null,
  state text not null,
  chunk int not null,
  bytes bytea not null,
  primary key (kind, day, state, chunk)
);
