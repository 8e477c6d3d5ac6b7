-- The database's schema after all migrations, read back from the catalogue. Generated: refresh it with
--   npm run golden

create schema idx;
create schema keys;
create schema public;
create schema tx;

create table idx.account_events (
  account text not null,
  seq bigint not null,
  topic text not null,
  constraint account_events_pkey PRIMARY KEY (account, seq)
);

create table idx.anchors (
  chain integer not null,
  ledger bigint not null,
  hash text not null,
  previous_hash text not null,
  close_ts bigint,
  close_ms bigint,
  protocol integer,
  constraint anchors_pkey PRIMARY KEY (chain, ledger)
);

create table idx.asset_hours (
  asset text not null,
  hour bigint not null,
  volume numeric not null,
  constraint asset_hours_pkey PRIMARY KEY (asset, hour)
);

create table idx.bad_debt_versions (
  contract_epoch integer not null,
  seq bigint not null,
  covered numeric not null,
  lp_absorbed numeric not null,
  events bigint not null,
  constraint bad_debt_versions_pkey PRIMARY KEY (contract_epoch, seq),
  constraint bad_debt_versions_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.bad_debts (
  contract_epoch integer not null,
  covered numeric not null,
  lp_absorbed numeric not null,
  events bigint not null,
  constraint bad_debts_pkey PRIMARY KEY (contract_epoch),
  constraint bad_debts_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.candle_revisions (
  asset text not null,
  "interval" text not null,
  "time" bigint not null,
  revision integer not null,
  version bigint not null,
  constraint candle_revisions_pkey PRIMARY KEY (asset, "interval", "time")
);

create table idx.candle_volumes (
  asset text not null,
  "interval" text not null,
  "time" bigint not null,
  volume numeric not null,
  trades bigint not null,
  constraint candle_volumes_pkey PRIMARY KEY (asset, "interval", "time")
);

create table idx.candles (
  asset text not null,
  "interval" text not null,
  "time" bigint not null,
  open numeric(39,0) not null,
  high numeric(39,0) not null,
  low numeric(39,0) not null,
  close numeric(39,0) not null,
  open_ts bigint not null,
  close_ts bigint not null,
  source text not null default 'oracle'::text,
  open_seq bigint,
  close_seq bigint,
  constraint candles_pkey PRIMARY KEY (asset, "interval", "time"),
  constraint candles_source_check CHECK ((source = ANY (ARRAY['oracle'::text, 'trades'::text])))
);

create table idx.cash_ledger (
  account text not null,
  seq bigint not null,
  leg smallint not null,
  kind text not null,
  amount numeric(39,0),
  balance_of text not null,
  position_id bigint,
  order_id bigint,
  vault_id bigint,
  fee numeric(39,0),
  funding numeric(39,0),
  pnl numeric(39,0),
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  constraint cash_ledger_pkey PRIMARY KEY (account, seq, leg),
  constraint cash_ledger_balance_of_check CHECK ((balance_of = ANY (ARRAY['wallet'::text, 'cross'::text])))
);

create table idx.contract_code (
  wasm_hash text not null,
  spec jsonb,
  problem text,
  read_at bigint not null,
  constraint contract_code_pkey PRIMARY KEY (wasm_hash),
  constraint contract_code_check CHECK (((spec IS NULL) OR (problem IS NULL)))
);

create table idx.contract_versions (
  chain integer not null,
  address text not null,
  contract text not null,
  from_ledger bigint not null,
  from_event_id text not null,
  wasm_hash text,
  generation text,
  seq bigint,
  noticed_at bigint not null,
  problem text,
  owner text,
  tag text,
  after_ledger bigint,
  constraint contract_versions_pkey PRIMARY KEY (chain, address, from_ledger, from_event_id),
  constraint contract_versions_check CHECK (((wasm_hash IS NULL) = (problem IS NOT NULL))),
  constraint contract_versions_check1 CHECK (((owner IS NULL) = (tag IS NULL)))
);

create table idx.corrections (
  seq bigint not null,
  contract_epoch integer not null,
  kind text not null,
  position_id bigint,
  ledger bigint not null,
  noticed_at bigint not null,
  trader text,
  asset text,
  direction smallint,
  size numeric(39,0),
  entry_price numeric(39,0),
  opened_at bigint,
  margin_mode text,
  before jsonb,
  after jsonb,
  vault_id bigint,
  event_id text,
  constraint corrections_pkey PRIMARY KEY (seq),
  constraint corrections_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number),
  constraint corrections_kind_check CHECK ((kind ~ '^(ended|changed|opened|interest|vault|event|epoch)$'::text)),
  constraint corrections_margin_mode_check CHECK ((margin_mode = ANY (ARRAY['isolated'::text, 'cross'::text])))
);

create table idx.cursor (
  id integer not null default 1,
  epoch integer,
  cursor text,
  start_ledger bigint,
  last_ledger bigint,
  last_ledger_close_ts bigint,
  last_seq bigint not null default 0,
  unknown_events bigint not null default 0,
  updated_at bigint,
  reserved_seq bigint not null default 0,
  oldest_ledger bigint,
  projections_version integer,
  candle_version bigint not null default 0,
  constraint cursor_pkey PRIMARY KEY (id),
  constraint cursor_epoch_fkey FOREIGN KEY (epoch) REFERENCES idx.epochs(number),
  constraint cursor_id_check CHECK ((id = 1))
);

create table idx.epoch_ranges (
  first_seq bigint not null,
  last_seq bigint,
  epoch integer not null,
  constraint epoch_ranges_pkey PRIMARY KEY (first_seq),
  constraint epoch_ranges_epoch_fkey FOREIGN KEY (epoch) REFERENCES idx.epochs(number)
);

create table idx.epochs (
  number integer not null,
  epoch text not null,
  chain integer not null,
  contract_epoch integer not null,
  reason text not null,
  passphrase text not null,
  contracts jsonb not null,
  start_ledger bigint not null,
  started_at bigint not null,
  final_cursor text,
  name text not null,
  constraint epochs_pkey PRIMARY KEY (number),
  constraint epochs_epoch_key UNIQUE (epoch),
  constraint epochs_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number),
  constraint epochs_reason_check CHECK ((reason = ANY (ARRAY['first'::text, 'contracts'::text, 'reset'::text])))
);

create table idx.event_counts (
  epoch integer not null,
  topic text not null,
  events bigint not null,
  constraint event_counts_pkey PRIMARY KEY (epoch, topic),
  constraint event_counts_epoch_fkey FOREIGN KEY (epoch) REFERENCES idx.epochs(number)
);

create table idx.events (
  seq bigint not null,
  epoch integer not null,
  event_id text not null,
  contract_id text not null,
  topic text not null,
  ledger bigint not null,
  ledger_close_ts bigint not null,
  tx_hash text not null,
  topics_xdr text not null,
  value_xdr text not null,
  payload jsonb,
  problem text,
  inserted_at bigint not null,
  chain integer not null,
  is_transfer boolean not null default false,
  constraint events_pkey PRIMARY KEY (seq),
  constraint events_event_id_key UNIQUE (event_id),
  constraint events_epoch_fkey FOREIGN KEY (epoch) REFERENCES idx.epochs(number)
);

create table idx.export_chunks (
  kind text not null,
  day integer not null,
  state text not null,
  chunk integer not null,
  bytes bytea not null,
  constraint export_chunks_pkey PRIMARY KEY (kind, day, state, chunk)
);

create table idx.export_files (
  kind text not null,
  day integer not null,
  state text not null,
  etag text not null,
  bytes bigint not null,
  rows bigint not null,
  chunks integer not null,
  generated_at bigint not null,
  constraint export_files_pkey PRIMARY KEY (kind, day),
  constraint export_files_kind_check CHECK ((kind = ANY (ARRAY['events'::text, 'trades'::text, 'candles'::text, 'ledger'::text])))
);

create table idx.gaps (
  epoch integer not null,
  from_ledger bigint not null,
  to_ledger bigint not null,
  noticed_at bigint not null,
  first_seq bigint not null default 0,
  last_seq bigint not null default 0,
  after_ts bigint,
  state text not null default 'open'::text,
  fill_cursor text,
  changed_at bigint,
  constraint gaps_pkey PRIMARY KEY (epoch, from_ledger),
  constraint gaps_epoch_fkey FOREIGN KEY (epoch) REFERENCES idx.epochs(number),
  constraint gaps_check CHECK ((to_ledger >= from_ledger)),
  constraint gaps_state_check CHECK ((state = ANY (ARRAY['open'::text, 'filled'::text, 'unfillable'::text])))
);

create table idx.interest_versions (
  contract_epoch integer not null,
  asset text not null,
  from_seq bigint not null,
  seqs bigint[] not null,
  long_sizes numeric[] not null,
  short_sizes numeric[] not null,
  positions bigint[] not null,
  constraint interest_versions_pkey PRIMARY KEY (contract_epoch, asset, from_seq)
);

create table idx.kept_transactions (
  contract_epoch integer not null,
  tx_hash text not null,
  seq bigint not null,
  envelope_xdr text not null,
  meta_xdr text not null,
  known_protocol integer not null,
  kept_at bigint not null,
  constraint kept_transactions_pkey PRIMARY KEY (contract_epoch, tx_hash)
);

create table idx.learned_events (
  account text not null,
  seq bigint not null,
  shown_seq bigint,
  constraint learned_events_pkey PRIMARY KEY (account, seq)
);

create table idx.ledgers (
  epoch integer not null,
  ledger bigint not null,
  close_ts bigint not null,
  first_seq bigint not null,
  last_seq bigint not null,
  constraint ledgers_pkey PRIMARY KEY (epoch, ledger)
);

create table idx.log_head (
  id integer not null default 1,
  size bigint not null,
  edge bytea not null,
  events bigint not null,
  constraint log_head_pkey PRIMARY KEY (id),
  constraint log_head_id_check CHECK ((id = 1))
);

create table idx.log_nodes (
  level smallint not null,
  "position" bigint not null,
  hash bytea not null,
  constraint log_nodes_pkey PRIMARY KEY (level, "position"),
  constraint log_nodes_hash_check CHECK ((octet_length(hash) = 32))
);

create table idx.log_records (
  leaf bigint not null,
  record bytea not null,
  epoch_number integer not null,
  kind smallint not null,
  from_ledger bigint not null,
  to_ledger bigint not null,
  events bigint not null,
  after_id text,
  until_id text,
  base_leaf bigint,
  constraint log_records_pkey PRIMARY KEY (leaf),
  constraint log_records_record_check CHECK ((octet_length(record) = 169))
);

create table idx.margin_modes (
  contract_epoch integer not null,
  position_id bigint not null,
  mode text not null,
  ledger bigint not null,
  observed_at bigint not null,
  constraint margin_modes_pkey PRIMARY KEY (contract_epoch, position_id),
  constraint margin_modes_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number),
  constraint margin_modes_mode_check CHECK ((mode = ANY (ARRAY['isolated'::text, 'cross'::text])))
);

create table idx.newer_forms (
  chain integer not null,
  what text not null,
  ledger bigint not null,
  is_stop boolean not null,
  xdr text,
  known_protocol integer not null,
  seen_at bigint not null,
  constraint newer_forms_pkey PRIMARY KEY (chain, what),
  constraint newer_forms_what_check CHECK ((length(what) <= 100))
);

create table idx.open_interest (
  contract_epoch integer not null,
  asset text not null,
  long_size numeric not null,
  short_size numeric not null,
  positions bigint not null,
  constraint open_interest_pkey PRIMARY KEY (contract_epoch, asset),
  constraint open_interest_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.opens (
  seq bigint not null,
  position_id bigint not null,
  trader text not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  asset text not null,
  direction smallint not null,
  size numeric(39,0) not null,
  entry_price numeric(39,0) not null,
  order_id bigint,
  constraint opens_pkey PRIMARY KEY (seq)
);

create table idx.order_changes (
  seq bigint not null,
  contract_epoch integer not null,
  account text not null,
  order_id bigint,
  fill_seq bigint,
  position_id bigint,
  constraint order_changes_pkey PRIMARY KEY (seq),
  constraint order_changes_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.order_details (
  contract_epoch integer not null,
  order_id bigint not null,
  owner text,
  status text not null,
  details jsonb,
  misses integer not null default 0,
  complete boolean not null,
  ledger bigint not null,
  observed_at bigint not null,
  constraint order_details_pkey PRIMARY KEY (contract_epoch, order_id),
  constraint order_details_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number),
  constraint order_details_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'executed'::text, 'cancelled'::text])))
);

create table idx.order_placements (
  contract_epoch integer not null,
  order_id bigint not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  seq bigint,
  constraint order_placements_pkey PRIMARY KEY (contract_epoch, order_id),
  constraint order_placements_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.order_scans (
  contract_epoch integer not null,
  through bigint not null,
  last_id bigint not null,
  scanned_at bigint not null,
  constraint order_scans_pkey PRIMARY KEY (contract_epoch),
  constraint order_scans_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.orders (
  contract_epoch integer not null,
  order_id bigint not null,
  status text not null,
  trader text,
  asset text,
  seq bigint,
  trigger_price numeric(39,0),
  ledger bigint,
  ts bigint,
  tx_hash text,
  ended_seq bigint,
  end_reason text,
  ended_ledger bigint,
  ended_ts bigint,
  ended_tx_hash text,
  execution_seq bigint,
  position_id bigint,
  price numeric(39,0),
  size numeric(39,0),
  pnl numeric(39,0),
  keeper_reward numeric(39,0),
  details_complete boolean not null,
  constraint orders_pkey PRIMARY KEY (contract_epoch, order_id),
  constraint orders_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'executed'::text, 'cancelled'::text])))
);

create table idx.ownerless_events (
  seq bigint not null,
  contract_epoch integer not null,
  order_id bigint not null,
  ts bigint not null,
  topic text not null,
  constraint ownerless_events_pkey PRIMARY KEY (seq),
  constraint ownerless_events_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.pool_flows (
  "time" bigint not null,
  deposits numeric not null,
  withdrawals numeric not null,
  constraint pool_flows_pkey PRIMARY KEY ("time")
);

create table idx.pool_samples (
  "time" bigint not null,
  ledger bigint not null,
  aum numeric(39,0) not null,
  lp_price numeric(39,0) not null,
  lp_supply numeric(39,0) not null,
  reserved_payout numeric(39,0),
  unrealized_pnl numeric(39,0),
  constraint pool_samples_pkey PRIMARY KEY ("time")
);

create table idx.position_fills (
  seq bigint not null,
  position_id bigint not null,
  contract_epoch integer not null,
  trader text not null,
  kind text not null,
  order_id bigint,
  asset text,
  direction smallint,
  margin_mode text,
  price numeric(39,0),
  size numeric(39,0),
  pnl numeric(39,0),
  fee numeric(39,0),
  keeper_reward numeric(39,0),
  penalty numeric(39,0),
  funding numeric(39,0),
  payout numeric(39,0),
  collateral numeric(39,0),
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  constraint position_fills_pkey PRIMARY KEY (seq, position_id)
);

create table idx.position_versions (
  contract_epoch integer not null,
  position_id bigint not null,
  from_seq bigint not null,
  to_seq bigint not null,
  trader text not null,
  asset text not null,
  direction smallint not null,
  size numeric(39,0) not null,
  entry_price numeric(39,0) not null,
  opened_seq bigint not null,
  opened_at bigint not null,
  opened_tx_hash text,
  cross_liquidated boolean not null,
  constraint position_versions_pkey PRIMARY KEY (contract_epoch, position_id, from_seq)
);

create table idx.positions (
  contract_epoch integer not null,
  position_id bigint not null,
  trader text not null,
  asset text not null,
  direction smallint not null,
  size numeric(39,0) not null,
  entry_price numeric(39,0) not null,
  opened_seq bigint not null,
  opened_at bigint not null,
  opened_tx_hash text,
  margin_mode text,
  state text not null,
  since_seq bigint not null default 0,
  constraint positions_pkey PRIMARY KEY (contract_epoch, position_id),
  constraint positions_margin_mode_check CHECK ((margin_mode = ANY (ARRAY['isolated'::text, 'cross'::text]))),
  constraint positions_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text, 'liquidated'::text, 'cross_liquidated'::text, 'ended'::text])))
);

create table idx.reconciliation (
  id integer not null default 1,
  ledger bigint,
  compared_at bigint,
  positions_expected bigint,
  positions_missing bigint,
  interest_corrections bigint not null default 0,
  factory_balance numeric(39,0),
  vaults_total numeric(39,0),
  market_found boolean,
  orders_expected bigint,
  orders_missing bigint,
  vaults_expected bigint,
  vaults_missing bigint,
  open_positions_drift bigint,
  open_orders_drift bigint,
  constraint reconciliation_pkey PRIMARY KEY (id),
  constraint reconciliation_id_check CHECK ((id = 1))
);

create table idx.referral_bindings (
  contract_epoch integer not null,
  referee text not null,
  referrer text not null,
  code text not null,
  bound_at bigint not null,
  tx_hash text not null,
  constraint referral_bindings_pkey PRIMARY KEY (contract_epoch, referee),
  constraint referral_bindings_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.referral_claims (
  seq bigint not null,
  referrer text not null,
  amount numeric(39,0) not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  constraint referral_claims_pkey PRIMARY KEY (seq)
);

create table idx.referral_trades (
  seq bigint not null,
  referee text not null,
  referrer text not null,
  original_fee numeric(39,0) not null,
  discount numeric(39,0) not null,
  payout numeric(39,0) not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  volume numeric(39,0),
  constraint referral_trades_pkey PRIMARY KEY (seq)
);

create table idx.referrers (
  contract_epoch integer not null,
  referrer text not null,
  code text not null,
  created_at bigint not null,
  referred_count bigint not null,
  total_volume_generated numeric not null,
  total_earned numeric not null,
  claimable numeric not null,
  updated_at bigint not null,
  constraint referrers_pkey PRIMARY KEY (contract_epoch, referrer),
  constraint referrers_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.repairs (
  action text not null,
  epoch integer not null,
  event_id text not null,
  seq bigint,
  event jsonb,
  constraint repairs_pkey PRIMARY KEY (epoch, event_id),
  constraint repairs_epoch_fkey FOREIGN KEY (epoch) REFERENCES idx.epochs(number),
  constraint repairs_action_check CHECK ((action = ANY (ARRAY['add'::text, 'replace'::text, 'remove'::text])))
);

create table idx.seen_ids (
  contract_epoch integer not null,
  kind text not null,
  first_id bigint not null,
  seen bigint not null,
  constraint seen_ids_pkey PRIMARY KEY (contract_epoch, kind),
  constraint seen_ids_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number),
  constraint seen_ids_kind_check CHECK ((kind = ANY (ARRAY['position'::text, 'order'::text, 'vault'::text])))
);

create table idx.tasks (
  kind text not null,
  id bigint not null,
  state text not null,
  progress jsonb not null,
  updated_at bigint not null,
  constraint tasks_pkey PRIMARY KEY (kind),
  constraint tasks_kind_check CHECK ((kind = ANY (ARRAY['rebuild'::text, 'verify'::text]))),
  constraint tasks_state_check CHECK ((state = ANY (ARRAY['requested'::text, 'running'::text, 'done'::text, 'failed'::text])))
);

create table idx.trader_hours (
  trader text not null,
  hour bigint not null,
  volume numeric not null,
  constraint trader_hours_pkey PRIMARY KEY (trader, hour)
);

create table idx.trader_margins (
  trader text not null,
  width integer not null,
  "time" bigint not null,
  margin numeric not null,
  unknown bigint not null,
  constraint trader_margins_pkey PRIMARY KEY (trader, width, "time")
);

create table idx.trader_pnl (
  trader text not null,
  width integer not null,
  "time" bigint not null,
  realized_pnl numeric not null,
  fees numeric not null,
  funding numeric not null,
  unknown_pnl bigint not null,
  unknown_fees bigint not null,
  unknown_funding bigint not null,
  constraint trader_pnl_pkey PRIMARY KEY (trader, width, "time")
);

create table idx.trader_results (
  trader text not null,
  realized_pnl numeric not null,
  wins bigint not null,
  losses bigint not null,
  best_seq bigint,
  best_pnl numeric(39,0),
  worst_seq bigint,
  worst_pnl numeric(39,0),
  first_ts bigint not null,
  last_ts bigint not null,
  constraint trader_results_pkey PRIMARY KEY (trader)
);

create table idx.trader_slabs (
  slab integer not null,
  first_seq bigint not null,
  capacity bigint not null,
  changes bigint not null,
  constraint trader_slabs_pkey PRIMARY KEY (slab)
);

create table idx.trader_total_versions (
  from_seq bigint not null,
  seqs bigint[] not null,
  traders bigint[] not null,
  volumes numeric[] not null,
  trades bigint[] not null,
  constraint trader_total_versions_pkey PRIMARY KEY (from_seq)
);

create table idx.trader_totals (
  id integer not null default 1,
  traders bigint not null,
  volume numeric not null,
  trades bigint not null,
  constraint trader_totals_pkey PRIMARY KEY (id),
  constraint trader_totals_id_check CHECK ((id = 1))
);

create table idx.trader_versions (
  slab integer not null,
  trader text collate "C" not null,
  from_seq bigint not null,
  to_seq bigint,
  pnl numeric not null,
  volume numeric not null,
  trades bigint not null,
  liq_count bigint not null,
  constraint trader_versions_pkey PRIMARY KEY (slab, trader, from_seq)
);

create table idx.traders (
  trader text collate "C" not null,
  pnl numeric not null,
  volume numeric not null,
  trades bigint not null default 0,
  liq_count bigint not null default 0,
  constraint traders_pkey PRIMARY KEY (trader)
);

create table idx.trades (
  seq bigint not null,
  position_id bigint,
  trader text not null,
  kind text not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  asset text,
  direction smallint,
  size numeric(39,0),
  entry_price numeric(39,0),
  close_price numeric(39,0),
  pnl numeric(39,0),
  order_id bigint,
  event_asset text,
  event_direction smallint,
  event_size numeric(39,0),
  constraint trades_pkey PRIMARY KEY (seq),
  constraint trades_kind_check CHECK ((kind = ANY ('{close,reduce,liquidation,partial_liquidation,cross_liquidation,adl}'::text[])))
);

create table idx.transaction_effects (
  contract_epoch integer not null,
  tx_hash text not null,
  ledger bigint not null,
  effects jsonb,
  observed_at bigint not null,
  constraint transaction_effects_pkey PRIMARY KEY (contract_epoch, tx_hash),
  constraint transaction_effects_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.unread_transactions (
  contract_epoch integer not null,
  from_seq bigint not null,
  seqs bigint[] not null,
  constraint unread_transactions_pkey PRIMARY KEY (contract_epoch, from_seq)
);

create table idx.vault_depositors (
  contract_epoch integer not null,
  vault_id bigint not null,
  depositor text not null,
  constraint vault_depositors_pkey PRIMARY KEY (contract_epoch, vault_id, depositor),
  constraint vault_depositors_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.vault_figures (
  contract_epoch integer not null,
  vault_id bigint not null,
  seq bigint not null,
  total_usdc numeric(39,0) not null,
  circulating_shares numeric(39,0) not null,
  leader_shares numeric(39,0) not null,
  hwm_nav numeric(39,0) not null,
  realized_pnl numeric(39,0) not null,
  profit_share_bps integer not null,
  paused boolean not null,
  constraint vault_figures_pkey PRIMARY KEY (contract_epoch, vault_id, seq),
  constraint vault_figures_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.vault_flow_sums (
  contract_epoch integer not null,
  vault_id bigint not null,
  "time" bigint not null,
  deposits numeric not null,
  withdrawals numeric not null,
  constraint vault_flow_sums_pkey PRIMARY KEY (contract_epoch, vault_id, "time"),
  constraint vault_flow_sums_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.vault_flows (
  seq bigint not null,
  contract_epoch integer not null,
  vault_id bigint not null,
  kind text not null,
  principal text not null,
  amount numeric(39,0) not null,
  shares numeric(39,0),
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  constraint vault_flows_pkey PRIMARY KEY (seq),
  constraint vault_flows_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number),
  constraint vault_flows_kind_check CHECK ((kind = ANY (ARRAY['deposit'::text, 'withdraw'::text, 'fee_claim'::text])))
);

create table idx.vault_observations (
  contract_epoch integer not null,
  vault_id bigint not null,
  total_usdc numeric(39,0) not null,
  circulating_shares numeric(39,0) not null,
  leader_shares numeric(39,0) not null,
  hwm_nav numeric(39,0) not null,
  realized_pnl numeric(39,0) not null,
  profit_share_bps integer not null,
  paused boolean not null,
  ledger bigint not null,
  through_seq bigint not null,
  corrections bigint not null,
  observed_at bigint not null,
  constraint vault_observations_pkey PRIMARY KEY (contract_epoch, vault_id),
  constraint vault_observations_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.vault_orders (
  contract_epoch integer not null,
  order_id bigint not null,
  vault_id bigint not null,
  leader text not null,
  collateral numeric(39,0),
  constraint vault_orders_pkey PRIMARY KEY (contract_epoch, order_id),
  constraint vault_orders_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.vault_positions (
  contract_epoch integer not null,
  position_id bigint not null,
  vault_id bigint not null,
  leader text not null,
  is_open boolean not null,
  constraint vault_positions_pkey PRIMARY KEY (contract_epoch, position_id),
  constraint vault_positions_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.vault_samples (
  contract_epoch integer not null,
  vault_id bigint not null,
  "time" bigint not null,
  ledger bigint not null,
  total_usdc numeric(39,0) not null,
  circulating_shares numeric(39,0) not null,
  hwm_nav numeric(39,0) not null,
  constraint vault_samples_pkey PRIMARY KEY (contract_epoch, vault_id, "time"),
  constraint vault_samples_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.vault_trades (
  seq bigint not null,
  contract_epoch integer not null,
  vault_id bigint not null,
  position_id numeric(20,0) not null,
  action text not null,
  leader text not null,
  collateral numeric(39,0) not null,
  ledger bigint not null,
  ts bigint not null,
  tx_hash text not null,
  pnl numeric(39,0),
  constraint vault_trades_pkey PRIMARY KEY (seq),
  constraint vault_trades_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number),
  constraint vault_trades_action_check CHECK ((action = ANY (ARRAY['open'::text, 'close'::text])))
);

create table idx.vault_versions (
  contract_epoch integer not null,
  vault_id bigint not null,
  seq bigint not null,
  total_usdc numeric not null,
  circulating_shares numeric not null,
  leader_shares numeric not null,
  hwm_nav numeric not null,
  realized_pnl numeric not null,
  profit_share_bps integer not null,
  paused boolean not null,
  depositor_count bigint not null,
  open_positions bigint not null,
  trade_count bigint not null,
  closed_trade_pnl numeric not null,
  updated_at bigint not null,
  constraint vault_versions_pkey PRIMARY KEY (contract_epoch, vault_id, seq),
  constraint vault_versions_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table idx.vaults (
  contract_epoch integer not null,
  vault_id bigint not null,
  leader text not null,
  name text not null,
  created_seq bigint not null,
  created_at bigint not null,
  total_usdc numeric not null,
  circulating_shares numeric not null,
  leader_shares numeric not null,
  hwm_nav numeric not null,
  realized_pnl numeric not null,
  profit_share_bps integer not null,
  paused boolean not null,
  depositor_count bigint not null,
  open_positions bigint not null,
  trade_count bigint not null,
  closed_trade_pnl numeric not null,
  last_ledger bigint not null,
  updated_at bigint not null,
  is_unsettled boolean not null,
  constraint vaults_pkey PRIMARY KEY (contract_epoch, vault_id),
  constraint vaults_contract_epoch_fkey FOREIGN KEY (contract_epoch) REFERENCES idx.epochs(number)
);

create table keys.api_keys (
  seq bigint not null generated always as identity,
  key_id text not null,
  secret_sha256 bytea not null,
  owner text not null,
  tier text not null,
  label text,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint,
  challenge bytea,
  scopes text[],
  expires_at bigint,
  cidrs text[],
  caps jsonb,
  parent text,
  rotation integer not null default 0,
  previous_sha256 bytea,
  previous_until bigint,
  used_day integer not null default 0,
  used_notional numeric not null default 0,
  used_orders integer not null default 0,
  constraint api_keys_pkey PRIMARY KEY (seq),
  constraint api_keys_challenge_key UNIQUE (challenge),
  constraint api_keys_key_id_key UNIQUE (key_id),
  constraint api_keys_parent_fkey FOREIGN KEY (parent) REFERENCES keys.api_keys(key_id),
  constraint api_keys_challenge_check CHECK ((octet_length(challenge) = 32)),
  constraint api_keys_key_id_check CHECK ((key_id ~ '^nk_[0-9a-f]{24}$'::text)),
  constraint api_keys_label_check CHECK ((char_length(label) <= 64)),
  constraint api_keys_owner_check CHECK ((owner ~ '^G[A-Z2-7]{55}$'::text)),
  constraint api_keys_previous_sha256_check CHECK ((octet_length(previous_sha256) = 32)),
  constraint api_keys_secret_sha256_check CHECK ((octet_length(secret_sha256) = 32)),
  constraint api_keys_tier_check CHECK ((tier = ANY (ARRAY['standard'::text, 'market_maker'::text])))
);

create table keys.cap_uses (
  hash text not null,
  key_id text not null,
  day integer not null,
  notional numeric not null,
  released boolean not null default false,
  counted_in bigint not null,
  expires_at bigint not null,
  constraint cap_uses_pkey PRIMARY KEY (hash, key_id),
  constraint cap_uses_key_id_fkey FOREIGN KEY (key_id) REFERENCES keys.api_keys(key_id)
);

create table public.migrations (
  number integer not null,
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (number)
);

create table tx.client_ids (
  owner text not null,
  client_id text not null,
  hash text not null,
  held_until bigint not null,
  constraint client_ids_pkey PRIMARY KEY (owner, client_id)
);

create table tx.created_entries (
  contract_epoch integer not null,
  kind text not null,
  id bigint not null,
  tx_hash text not null,
  trader text not null,
  ledger bigint not null,
  ts bigint not null,
  status text not null,
  details jsonb not null,
  recorded boolean not null default false,
  created_at bigint not null,
  constraint created_entries_pkey PRIMARY KEY (contract_epoch, kind, id),
  constraint created_entries_kind_check CHECK ((kind ~ '^(order|position)$'::text))
);

create table tx.prepared (
  hash text not null,
  owner text not null,
  op text not null,
  client_id text,
  expires_at bigint not null,
  prepared_at bigint not null,
  constraint prepared_pkey PRIMARY KEY (hash)
);

create table tx.submission_changes (
  id bigint not null generated always as identity,
  owner text not null,
  hash text not null,
  "row" jsonb not null,
  changed_at bigint not null,
  seq bigint,
  constraint submission_changes_pkey PRIMARY KEY (id),
  constraint submission_changes_seq_key UNIQUE (seq)
);

create table tx.submission_checks (
  submission_id bigint not null,
  result text,
  constraint submission_checks_pkey PRIMARY KEY (submission_id),
  constraint submission_checks_submission_id_fkey FOREIGN KEY (submission_id) REFERENCES tx.submissions(id) ON DELETE CASCADE,
  constraint submission_checks_result_check CHECK ((result ~ '^(same|corrected|unverifiable)$'::text))
);

create table tx.submissions (
  id bigint not null generated always as identity,
  owner text not null,
  hash text not null,
  op text,
  trader text not null,
  client_id text,
  sequence numeric(20,0) not null,
  expires_at bigint,
  status text not null,
  envelopes jsonb not null,
  accepted boolean not null,
  attempts integer not null,
  ledger bigint,
  ts bigint,
  contract_error jsonb,
  host_error jsonb,
  tx_result_code text,
  result_xdr text,
  message text,
  order_id bigint,
  position_id bigint,
  is_indexed boolean not null default false,
  submitted_at bigint not null,
  updated_at bigint not null,
  due_at bigint,
  driver text,
  leased_until bigint,
  sent_at bigint,
  confirmed_by integer,
  nodes integer,
  logged_status text,
  constraint submissions_pkey PRIMARY KEY (id),
  constraint submissions_owner_hash_key UNIQUE (owner, hash),
  constraint submissions_status_check CHECK ((status ~ '^(PREPARED|PENDING|SUCCESS|FAILED|REJECTED|EXPIRED|UNKNOWN)$'::text))
);

CREATE INDEX account_events_by_topic ON idx.account_events USING btree (account, topic, seq);
CREATE INDEX account_events_of_order_ends ON idx.account_events USING btree (seq)
  WHERE (topic = ANY (ARRAY['order_executed'::text, 'order_cancelled'::text]));
CREATE INDEX candle_revisions_version ON idx.candle_revisions USING btree (version);
CREATE INDEX cash_ledger_by_kind ON idx.cash_ledger USING btree (account, kind, seq, leg);
CREATE INDEX cash_ledger_by_seq ON idx.cash_ledger USING btree (seq);
CREATE INDEX contract_versions_by_seq ON idx.contract_versions USING btree (seq)
  WHERE (seq IS NOT NULL);
CREATE INDEX corrections_by_asset ON idx.corrections USING btree (asset, seq);
CREATE INDEX corrections_by_kind ON idx.corrections USING btree (kind, seq);
CREATE INDEX corrections_by_kind_and_asset ON idx.corrections USING btree (kind, asset, seq);
CREATE INDEX corrections_by_ledger ON idx.corrections USING btree (contract_epoch, ledger, seq)
  WHERE (kind <> 'event'::text);
CREATE INDEX corrections_by_trader ON idx.corrections USING btree (trader, seq);
CREATE INDEX corrections_by_trader_and_asset ON idx.corrections USING btree (trader, asset, seq);
CREATE INDEX corrections_by_trader_and_kind ON idx.corrections USING btree (trader, kind, seq);
CREATE INDEX corrections_by_trader_and_kind_and_asset ON idx.corrections USING btree (trader, kind, asset, seq);
CREATE INDEX events_by_contract ON idx.events USING btree (contract_id, seq)
  WHERE (NOT is_transfer);
CREATE INDEX events_by_contract_and_topic ON idx.events USING btree (contract_id, topic, seq)
  WHERE (NOT is_transfer);
CREATE INDEX events_by_ledger ON idx.events USING btree (ledger);
CREATE INDEX events_by_topic ON idx.events USING btree (topic, seq)
  WHERE (NOT is_transfer);
CREATE INDEX events_by_tx_hash ON idx.events USING hash (tx_hash);
CREATE INDEX events_listed ON idx.events USING btree (seq)
  WHERE (NOT is_transfer);
CREATE UNIQUE INDEX events_once_per_chain ON idx.events USING btree (chain, "left"(event_id, 30) COLLATE "C");
CREATE INDEX events_undecoded ON idx.events USING btree (seq)
  WHERE (problem IS NOT NULL);
CREATE INDEX funding_by_asset ON idx.events USING btree (COALESCE((payload ->> 'asset'::text), ''::text), seq)
  WHERE ((topic = 'funding_applied'::text) AND (NOT is_transfer));
CREATE INDEX gaps_by_place ON idx.gaps USING btree (last_seq)
  WHERE (state <> 'filled'::text);
CREATE UNIQUE INDEX learned_events_by_account ON idx.learned_events USING btree (account, shown_seq)
  WHERE (shown_seq IS NOT NULL);
CREATE INDEX learned_events_by_shown_seq ON idx.learned_events USING btree (shown_seq);
CREATE INDEX learned_events_waiting ON idx.learned_events USING btree (seq)
  WHERE (shown_seq IS NULL);
CREATE INDEX ledgers_by_close_ts ON idx.ledgers USING btree (epoch, close_ts, last_seq);
CREATE INDEX log_corrections ON idx.log_records USING btree (epoch_number, to_ledger)
  WHERE (kind = 1);
CREATE INDEX log_records_by_ledger ON idx.log_records USING btree (epoch_number, to_ledger);
CREATE INDEX opens_by_asset ON idx.opens USING btree (asset, seq);
CREATE INDEX opens_by_trader ON idx.opens USING btree (trader, seq);
CREATE INDEX opens_by_trader_and_asset ON idx.opens USING btree (trader, asset, seq);
CREATE INDEX order_changes_by_account ON idx.order_changes USING btree (account, seq);
CREATE INDEX order_placements_by_tx_hash ON idx.order_placements USING hash (tx_hash);
CREATE INDEX orders_by_placement ON idx.orders USING btree (contract_epoch, seq);
CREATE INDEX orders_by_placement_of_trader ON idx.orders USING btree (contract_epoch, trader, seq);
CREATE INDEX orders_by_trader ON idx.orders USING btree (contract_epoch, trader, order_id);
CREATE INDEX orders_by_trader_and_asset ON idx.orders USING btree (contract_epoch, trader, asset, order_id);
CREATE INDEX orders_by_trader_and_status ON idx.orders USING btree (contract_epoch, trader, status, order_id);
CREATE INDEX orders_by_trader_asset_and_status ON idx.orders USING btree (contract_epoch, trader, asset, status, order_id);
CREATE INDEX orders_ended_by_placement ON idx.orders
  USING gist (box(point((seq)::double precision, (seq)::double precision),
  point(((ended_seq - 1))::double precision, (seq)::double precision))) WHERE ((seq IS NOT NULL) AND (ended_seq IS NOT NULL));
CREATE INDEX orders_ended_by_trader ON idx.orders
  USING gist (box(point((seq)::double precision, (hashtext(trader))::double precision),
  point(((ended_seq - 1))::double precision, (hashtext(trader))::double precision))) WHERE ((seq IS NOT NULL) AND (ended_seq IS NOT NULL));
CREATE INDEX orders_incomplete ON idx.orders USING btree (contract_epoch, order_id)
  WHERE (NOT details_complete);
CREATE INDEX orders_pending ON idx.orders USING btree (contract_epoch, seq)
  WHERE (status = 'pending'::text);
CREATE INDEX orders_pending_of_trader ON idx.orders USING btree (contract_epoch, trader, seq)
  WHERE (status = 'pending'::text);
CREATE INDEX ownerless_events_by_order ON idx.ownerless_events USING btree (contract_epoch, order_id);
CREATE INDEX ownerless_events_newest ON idx.ownerless_events USING btree (contract_epoch, seq);
CREATE INDEX position_fills_by_order ON idx.position_fills USING btree (contract_epoch, order_id)
  WHERE (order_id IS NOT NULL);
CREATE INDEX position_fills_by_trader ON idx.position_fills USING btree (trader, seq, position_id);
CREATE INDEX position_versions_by_opening ON idx.position_versions
  USING gist (box(point((from_seq)::double precision, (opened_seq)::double precision),
  point(((to_seq - 1))::double precision, (opened_seq)::double precision)));
CREATE INDEX position_versions_by_trader ON idx.position_versions
  USING gist (box(point((from_seq)::double precision, (hashtext(trader))::double precision),
  point(((to_seq - 1))::double precision, (hashtext(trader))::double precision)));
CREATE INDEX positions_open ON idx.positions USING btree (contract_epoch, opened_seq)
  WHERE (state = 'open'::text);
CREATE INDEX positions_open_by_asset ON idx.positions USING btree (contract_epoch, asset, opened_seq)
  WHERE (state = 'open'::text);
CREATE INDEX positions_open_by_trader ON idx.positions USING btree (contract_epoch, trader, opened_seq)
  WHERE (state = 'open'::text);
CREATE INDEX positions_to_observe ON idx.positions USING btree (contract_epoch, opened_seq)
  WHERE ((margin_mode IS NULL) AND (state = ANY (ARRAY['open'::text, 'cross_liquidated'::text])));
CREATE INDEX referral_claims_by_referrer ON idx.referral_claims USING btree (referrer, seq);
CREATE INDEX referral_trades_by_referrer ON idx.referral_trades USING btree (referrer, seq);
CREATE INDEX referrers_by_code ON idx.referrers USING btree (contract_epoch, code);
CREATE INDEX trader_slabs_by_seq ON idx.trader_slabs USING btree (first_seq);
CREATE INDEX trader_versions_by_pnl ON idx.trader_versions USING btree (slab, pnl DESC, volume DESC, trader);
CREATE INDEX trader_versions_by_volume ON idx.trader_versions USING btree (slab, volume DESC, pnl DESC, trader);
CREATE INDEX traders_by_pnl ON idx.traders USING btree (pnl DESC, volume DESC, trader);
CREATE INDEX traders_by_volume ON idx.traders USING btree (volume DESC, pnl DESC, trader);
CREATE INDEX trades_by_asset ON idx.trades USING btree (asset, seq);
CREATE INDEX trades_by_event_asset ON idx.trades USING btree (event_asset, seq)
  WHERE (event_asset IS NOT NULL);
CREATE INDEX trades_by_trader ON idx.trades USING btree (trader, seq);
CREATE INDEX trades_by_trader_and_asset ON idx.trades USING btree (trader, asset, seq);
CREATE INDEX vault_flows_by_vault ON idx.vault_flows USING btree (contract_epoch, vault_id, kind, seq);
CREATE INDEX vault_trades_by_vault ON idx.vault_trades USING btree (contract_epoch, vault_id, seq);
CREATE INDEX vaults_by_leader ON idx.vaults USING btree (contract_epoch, leader, created_seq);
CREATE INDEX vaults_newest ON idx.vaults USING btree (contract_epoch, created_seq);
CREATE INDEX vaults_unsettled ON idx.vaults USING btree (contract_epoch, last_ledger)
  WHERE is_unsettled;
CREATE INDEX api_keys_active ON keys.api_keys USING btree (owner)
  WHERE (revoked_at IS NULL);
CREATE INDEX api_keys_children ON keys.api_keys USING btree (parent)
  WHERE (parent IS NOT NULL);
CREATE INDEX api_keys_of_owner ON keys.api_keys USING btree (owner, seq);
CREATE INDEX cap_uses_by_expiry ON keys.cap_uses USING btree (expires_at);
CREATE INDEX cap_uses_by_key ON keys.cap_uses USING btree (key_id, expires_at);
CREATE INDEX client_ids_by_age ON tx.client_ids USING btree (held_until);
CREATE INDEX created_entries_by_age ON tx.created_entries USING btree (created_at);
CREATE INDEX created_entries_by_hash ON tx.created_entries USING btree (tx_hash);
CREATE INDEX created_orders_to_record ON tx.created_entries USING btree (ledger)
  WHERE ((kind = 'order'::text) AND (NOT recorded));
CREATE INDEX created_positions_by_trader ON tx.created_entries USING btree (trader, ledger)
  WHERE (kind = 'position'::text);
CREATE INDEX prepared_by_age ON tx.prepared USING btree (prepared_at);
CREATE INDEX prepared_by_client_id ON tx.prepared USING btree (owner, client_id, prepared_at)
  WHERE (client_id IS NOT NULL);
CREATE INDEX prepared_by_owner ON tx.prepared USING btree (owner, prepared_at);
CREATE INDEX submission_changes_by_hash ON tx.submission_changes USING btree (owner, hash, id);
CREATE INDEX submission_changes_by_owner ON tx.submission_changes USING btree (owner, seq)
  WHERE (seq IS NOT NULL);
CREATE INDEX submission_changes_by_time ON tx.submission_changes USING btree (owner, changed_at, id);
CREATE INDEX submission_changes_unnumbered ON tx.submission_changes USING btree (id)
  WHERE (seq IS NULL);
CREATE INDEX submissions_by_client_id ON tx.submissions USING btree (owner, client_id, id)
  WHERE (client_id IS NOT NULL);
CREATE INDEX submissions_by_owner ON tx.submissions USING btree (owner, id);
CREATE INDEX submissions_due ON tx.submissions USING btree (due_at)
  WHERE (due_at IS NOT NULL);
CREATE INDEX submissions_refused ON tx.submissions USING btree (owner, updated_at)
  WHERE ((status = ANY (ARRAY['PREPARED'::text, 'REJECTED'::text])) AND (logged_status IS NULL));
CREATE INDEX submissions_refused_by_age ON tx.submissions USING btree (updated_at)
  WHERE ((status = ANY (ARRAY['PREPARED'::text, 'REJECTED'::text])) AND (logged_status IS NULL));
CREATE INDEX submissions_to_index ON tx.submissions USING btree (ledger)
  WHERE ((status = 'SUCCESS'::text) AND (NOT is_indexed));
CREATE INDEX submissions_unproven ON tx.submissions USING btree (id)
  WHERE ((NOT is_indexed) AND (status = ANY (ARRAY['FAILED'::text, 'REJECTED'::text, 'EXPIRED'::text, 'UNKNOWN'::text])));

create sequence keys.api_keys_seq_seq;
create sequence tx.submission_changes_id_seq;
create sequence tx.submissions_id_seq;
