-- running instances continue
-- Orders and positions that submissions created, from each transaction's own result: readable before the index has its ledger. The index has them for good, so
-- that rows are deleted after a day.
create table tx.created_entries (
  contract_epoch int not null,
  kind text not null check (kind ~ '^(order|position)$'),
  id bigint not null,
  tx_hash text not null,
  trader text not null,
  ledger bigint not null,
  -- The close time of the ledger, Unix seconds.
  ts bigint not null,
  status text not null,
  -- The terms of an order, or the row of an open position.
  details jsonb not null,
  -- True of an order whose terms the index has taken over.
  recorded boolean not null default false,
  -- Milliseconds.
  created_at bigint not null,
  primary key (contract_epoch, kind, id)
);
create index created_entries_by_hash on tx.created_entries (tx_hash);
create index created_entries_by_age on tx.created_entries (created_at);
create index created_positions_by_trader on tx.created_entries (trader, ledger) where kind = 'position';
create index created_orders_to_record on tx.created_entries (ledger) where kind = 'order' and not recorded;
