-- What the ledger said against the projections. Source data, like the archive: a rebuild applies each at its place.
create table idx.corrections (
  -- In the log's numbering, of its own: behind every event that it was judged by.
  place bigint primary key,
  deployment int not null references idx.epochs (number),
  -- ended: the ledger has it no more, and no event told how. changed, opened: it is as told here.
  kind text not null check (kind in ('ended', 'changed', 'opened')),
  position_id bigint not null,
  -- The ledger that it was read at.
  ledger bigint not null,
  noticed_at bigint not null,
  trader text,
  asset text,
  direction smallint,
  size numeric(39, 0),
  entry_price numeric(39, 0),
  opened_at bigint,
  margin_mode text check (margin_mode in ('isolated', 'cross'))
);

-- The last comparison of the index with the ledger; one row.
create table idx.reconciliation (
  id int primary key default 1 check (id = 1),
  ledger bigint not null,
  compared_at bigint not null,
  -- Ids that the market has given out since the first that the index knows, and how many of those no event told of.
  positions_expected bigint not null,
  positions_missing bigint not null,
  -- How often the open interest was not that of the open positions, and was added up anew.
  interest_corrections bigint not null,
  -- What the vault factory holds; null: not readable. And what its vaults add up to at that ledger; null: not comparable.
  factory_balance numeric(39, 0),
  vaults_total numeric(39, 0)
);

alter table idx.positions drop constraint positions_state_check,
  add constraint positions_state_check check (state in ('open', 'closed', 'liquidated', 'cross_liquidated', 'ended')),
  -- Null: no event told of the opening.
  alter column opened_tx_hash drop not null;
