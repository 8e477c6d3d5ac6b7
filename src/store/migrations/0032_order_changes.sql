-- Rows of account.orders that became more complete after their frame: an order whose entry was read, a fill whose effects were read. Each one has its own
-- position in the log, so that clients receive it and can resume after it.
create table idx.order_changes (
  seq bigint primary key,
  deployment integer not null references idx.epochs (number),
  account text not null,
  -- The order; null: none.
  order_id bigint,
  -- The fill; null: none.
  fill_seq bigint,
  position_id bigint
);
create index order_changes_by_account on idx.order_changes (account, seq);

-- Placements that no event reports, found in what transactions changed. Observed, so a rebuild keeps them.
create table idx.order_placements (
  deployment integer not null references idx.epochs (number),
  order_id bigint not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  -- Of the first archived row of the transaction, or else of the change by which the order became known; null: none.
  seq bigint,
  primary key (deployment, order_id)
);
create index order_placements_by_tx_hash on idx.order_placements using hash (tx_hash);
