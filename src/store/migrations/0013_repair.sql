-- baseline
-- How the index is compared with the network and corrected.

-- What the network showed to be different from the index. Observed: a rebuild applies each correction at its seq.
create table idx.corrections (
  -- A seq of its own, after every event that it was compared with.
  seq bigint primary key,
  contract_epoch int not null references idx.epochs (number),
  -- ended: the ledger does not have it any more, and no event says why. changed, opened: it is as described here.
  kind text not null check (kind ~ '^(ended|changed|opened|interest|vault|event|epoch)$'),
  position_id bigint,
  -- The ledger that it was read at.
  ledger bigint not null,
  noticed_at bigint not null,
  trader text,
  asset text,
  direction smallint,
  size numeric(39),
  entry_price numeric(39),
  opened_at bigint,
  margin_mode text check (margin_mode in ('isolated', 'cross')),
  -- Both values, so that the correction can be published. Null: there was none.
  before jsonb,
  after jsonb,
  -- What it is about, where that is no position: a vault, or an event that a verification added, replaced or removed.
  vault_id bigint,
  event_id text
);
create index corrections_by_asset on idx.corrections (asset, seq);
create index corrections_by_kind on idx.corrections (kind, seq);
create index corrections_by_kind_and_asset on idx.corrections (kind, asset, seq);
-- Where the state as of a ledger ends, when a correction compared a later ledger.
create index corrections_by_ledger on idx.corrections (contract_epoch, ledger, seq) where kind <> 'event';
create index corrections_by_trader on idx.corrections (trader, seq);
create index corrections_by_trader_and_asset on idx.corrections (trader, asset, seq);
create index corrections_by_trader_and_kind on idx.corrections (trader, kind, seq);
create index corrections_by_trader_and_kind_and_asset on idx.corrections (trader, kind, asset, seq);

-- Differences between the archive and the network, found by a verification and not applied yet.
create table idx.repairs (
  action text not null check (action in ('add', 'replace', 'remove')),
  epoch int not null references idx.epochs (number),
  event_id text not null,
  seq bigint,
  event jsonb,
  primary key (epoch, event_id)
);

-- The last comparison of the index with the ledger; one row.
create table idx.reconciliation (
  id int primary key default 1 check (id = 1),
  ledger bigint,
  compared_at bigint,
  -- Ids that the market has given out since the first that the index knows, and how many of those are in no event.
  positions_expected bigint,
  positions_missing bigint,
  -- How often the open interest was not that of the open positions, and was recomputed.
  interest_corrections bigint not null default 0,
  -- What the vault factory holds; null: not readable. And what its vaults add up to at that ledger; null: not comparable.
  factory_balance numeric(39),
  vaults_total numeric(39),
  -- Whether the market was on the ledger at all when it was looked at last; null: never looked at.
  market_found boolean,
  -- Null: could not be compared so far.
  orders_expected bigint,
  orders_missing bigint,
  vaults_expected bigint,
  vaults_missing bigint,
  -- How many more positions and orders the index has open than the market counts; null: unknown.
  open_positions_drift bigint,
  open_orders_drift bigint
);

-- Long tasks of the indexer, resumed after a restart: rebuilding the projections and verifying the index. `id` counts the runs of each kind.
create table idx.tasks (
  kind text primary key check (kind in ('rebuild', 'verify')),
  id bigint not null,
  state text not null check (state in ('requested', 'running', 'done', 'failed')),
  progress jsonb not null,
  updated_at bigint not null
);
