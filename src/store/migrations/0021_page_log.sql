-- running instances must stop
-- The log of pages: what the index said of each range of ledgers, as an append-only Merkle tree. A version that does not know it would write pages without a
-- record.

-- Its records, which are never changed or removed.
create table idx.log_records (
  -- The place in the tree, from 0.
  leaf bigint primary key,
  -- 169 bytes. The columns below repeat what lookups need of it.
  record bytea not null check (octet_length(record) = 169),
  epoch_number int not null,
  -- 0 page, 1 correction, 2 epoch, 3 gap.
  kind smallint not null,
  from_ledger bigint not null,
  to_ledger bigint not null,
  events bigint not null,
  -- Of a page that begins or ends inside a ledger: the cursors before its first event, and of its end.
  after_id text,
  until_id text,
  -- Of a correction: the first page or gap of which it says something else.
  base_leaf bigint
);
create index log_records_by_ledger on idx.log_records (epoch_number, to_ledger);
create index log_corrections on idx.log_records (epoch_number, to_ledger) where kind = 1;

-- The roots of complete subtrees of 256, 65,536, … records: those below follow from the records.
create table idx.log_nodes (
  -- 8, 16, …
  level smallint not null,
  position bigint not null,
  hash bytea not null check (octet_length(hash) = 32),
  primary key (level, position)
);

-- The end of the log; one row, from its first record on.
create table idx.log_head (
  id int primary key default 1 check (id = 1),
  -- The number of records.
  size bigint not null,
  -- The right edge of the tree: the roots of its largest complete subtrees, from left to right.
  edge bytea not null,
  -- The number of events that the records say there are.
  events bigint not null
);

-- The indexes of other deployments have the same tables.
do $$
declare
  side text;
  name text;
begin
  for side in select nspname from pg_namespace where nspname like 'side\_%' loop
    foreach name in array array['log_records', 'log_nodes', 'log_head'] loop
      execute format('create table %I.%I (like idx.%I including all)', side, name, name);
    end loop;
  end loop;
end $$;
