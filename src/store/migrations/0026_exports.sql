-- Exported days. A file is the chunks with its state; chunks with another state belong to a file that is being written, or was replaced.

create table idx.export_files (
  kind text not null check (kind in ('events', 'trades', 'candles', 'ledger')),
  day integer not null,
  state text not null,
  etag text not null,
  bytes bigint not null,
  rows bigint not null,
  chunks integer not null,
  generated_at bigint not null,
  primary key (kind, day)
);

create table idx.export_chunks (
  kind text not null,
  day integer not null,
  state text not null,
  chunk integer not null,
  bytes bytea not null,
  primary key (kind, day, state, chunk)
);
