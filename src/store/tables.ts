// The tables of the database, with the type of each column; `?` when it may be null. Generated: refresh it with
//   npm run golden

import type { Table } from './sql.ts'

function table<const Of extends Table['columns']>(schema: string, name: string, columns: Of): Table<Of> {
  return { schema, name, columns }
}

/** The tables of the schema `idx`. */
export const idx = {
  account_events: table('idx', 'account_events', {
    account: 'text', seq: 'bigint', topic: 'text',
  }),
  anchors: table('idx', 'anchors', {
    chain: 'integer', ledger: 'bigint', hash: 'text', previous_hash: 'text', close_ts: 'bigint?', close_ms: 'bigint?', protocol: 'integer?',
  }),
  asset_hours: table('idx', 'asset_hours', {
    asset: 'text', hour: 'bigint', volume: 'numeric',
  }),
  bad_debt_versions: table('idx', 'bad_debt_versions', {
    contract_epoch: 'integer', seq: 'bigint', covered: 'numeric', lp_absorbed: 'numeric', events: 'bigint',
  }),
  bad_debts: table('idx', 'bad_debts', {
    contract_epoch: 'integer', covered: 'numeric', lp_absorbed: 'numeric', events: 'bigint',
  }),
  candle_revisions: table('idx', 'candle_revisions', {
    asset: 'text', interval: 'text', time: 'bigint', revision: 'integer', version: 'bigint',
  }),
  candle_volumes: table('idx', 'candle_volumes', {
    asset: 'text', interval: 'text', time: 'bigint', volume: 'numeric', trades: 'bigint',
  }),
  candles: table('idx', 'candles', {
    asset: 'text', interval: 'text', time: 'bigint', open: 'numeric', high: 'numeric', low: 'numeric', close: 'numeric', open_ts: 'bigint',
    close_ts: 'bigint', source: 'text', open_seq: 'bigint?', close_seq: 'bigint?',
  }),
  cash_ledger: table('idx', 'cash_ledger', {
    account: 'text', seq: 'bigint', leg: 'smallint', kind: 'text', amount: 'numeric?', balance_of: 'text', position_id: 'bigint?',
    order_id: 'bigint?', vault_id: 'bigint?', fee: 'numeric?', funding: 'numeric?', pnl: 'numeric?', ledger: 'bigint', ts: 'bigint',
    tx_hash: 'text',
  }),
  contract_code: table('idx', 'contract_code', {
    wasm_hash: 'text', spec: 'jsonb?', problem: 'text?', read_at: 'bigint',
  }),
  contract_versions: table('idx', 'contract_versions', {
    chain: 'integer', address: 'text', contract: 'text', from_ledger: 'bigint', from_event_id: 'text', wasm_hash: 'text?', generation: 'text?',
    seq: 'bigint?', noticed_at: 'bigint', problem: 'text?', owner: 'text?', tag: 'text?', after_ledger: 'bigint?',
  }),
  corrections: table('idx', 'corrections', {
    seq: 'bigint', contract_epoch: 'integer', kind: 'text', position_id: 'bigint?', ledger: 'bigint', noticed_at: 'bigint', trader: 'text?',
    asset: 'text?', direction: 'smallint?', size: 'numeric?', entry_price: 'numeric?', opened_at: 'bigint?', margin_mode: 'text?',
    before: 'jsonb?', after: 'jsonb?', vault_id: 'bigint?', event_id: 'text?',
  }),
  cursor: table('idx', 'cursor', {
    id: 'integer', epoch: 'integer?', cursor: 'text?', start_ledger: 'bigint?', last_ledger: 'bigint?', last_ledger_close_ts: 'bigint?',
    last_seq: 'bigint', unknown_events: 'bigint', updated_at: 'bigint?', reserved_seq: 'bigint', oldest_ledger: 'bigint?',
    projections_version: 'integer?', candle_version: 'bigint',
  }),
  epoch_ranges: table('idx', 'epoch_ranges', {
    first_seq: 'bigint', last_seq: 'bigint?', epoch: 'integer',
  }),
  epochs: table('idx', 'epochs', {
    number: 'integer', epoch: 'text', chain: 'integer', contract_epoch: 'integer', reason: 'text', passphrase: 'text', contracts: 'jsonb',
    start_ledger: 'bigint', started_at: 'bigint', final_cursor: 'text?', name: 'text',
  }),
  event_counts: table('idx', 'event_counts', {
    epoch: 'integer', topic: 'text', events: 'bigint',
  }),
  events: table('idx', 'events', {
    seq: 'bigint', epoch: 'integer', event_id: 'text', contract_id: 'text', topic: 'text', ledger: 'bigint', ledger_close_ts: 'bigint',
    tx_hash: 'text', topics_xdr: 'text', value_xdr: 'text', payload: 'jsonb?', problem: 'text?', inserted_at: 'bigint', chain: 'integer',
    is_transfer: 'boolean',
  }),
  export_chunks: table('idx', 'export_chunks', {
    kind: 'text', day: 'integer', state: 'text', chunk: 'integer', bytes: 'bytea',
  }),
  export_files: table('idx', 'export_files', {
    kind: 'text', day: 'integer', state: 'text', etag: 'text', bytes: 'bigint', rows: 'bigint', chunks: 'integer', generated_at: 'bigint',
  }),
  gaps: table('idx', 'gaps', {
    epoch: 'integer', from_ledger: 'bigint', to_ledger: 'bigint', noticed_at: 'bigint', first_seq: 'bigint', last_seq: 'bigint',
    after_ts: 'bigint?', state: 'text', fill_cursor: 'text?', changed_at: 'bigint?',
  }),
  interest_versions: table('idx', 'interest_versions', {
    contract_epoch: 'integer', asset: 'text', from_seq: 'bigint', seqs: 'bigint[]', long_sizes: 'numeric[]', short_sizes: 'numeric[]',
    positions: 'bigint[]',
  }),
  kept_transactions: table('idx', 'kept_transactions', {
    contract_epoch: 'integer', tx_hash: 'text', seq: 'bigint', envelope_xdr: 'text', meta_xdr: 'text', known_protocol: 'integer',
    kept_at: 'bigint',
  }),
  learned_events: table('idx', 'learned_events', {
    account: 'text', seq: 'bigint', shown_seq: 'bigint?',
  }),
  ledgers: table('idx', 'ledgers', {
    epoch: 'integer', ledger: 'bigint', close_ts: 'bigint', first_seq: 'bigint', last_seq: 'bigint',
  }),
  log_head: table('idx', 'log_head', {
    id: 'integer', size: 'bigint', edge: 'bytea', events: 'bigint',
  }),
  log_nodes: table('idx', 'log_nodes', {
    level: 'smallint', position: 'bigint', hash: 'bytea',
  }),
  log_records: table('idx', 'log_records', {
    leaf: 'bigint', record: 'bytea', epoch_number: 'integer', kind: 'smallint', from_ledger: 'bigint', to_ledger: 'bigint', events: 'bigint',
    after_id: 'text?', until_id: 'text?', base_leaf: 'bigint?',
  }),
  margin_modes: table('idx', 'margin_modes', {
    contract_epoch: 'integer', position_id: 'bigint', mode: 'text', ledger: 'bigint', observed_at: 'bigint',
  }),
  newer_forms: table('idx', 'newer_forms', {
    chain: 'integer', what: 'text', ledger: 'bigint', is_stop: 'boolean', xdr: 'text?', known_protocol: 'integer', seen_at: 'bigint',
  }),
  open_interest: table('idx', 'open_interest', {
    contract_epoch: 'integer', asset: 'text', long_size: 'numeric', short_size: 'numeric', positions: 'bigint',
  }),
  opens: table('idx', 'opens', {
    seq: 'bigint', position_id: 'bigint', trader: 'text', ledger: 'bigint', ts: 'bigint', tx_hash: 'text', asset: 'text', direction: 'smallint',
    size: 'numeric', entry_price: 'numeric', order_id: 'bigint?',
  }),
  order_changes: table('idx', 'order_changes', {
    seq: 'bigint', contract_epoch: 'integer', account: 'text', order_id: 'bigint?', fill_seq: 'bigint?', position_id: 'bigint?',
  }),
  order_details: table('idx', 'order_details', {
    contract_epoch: 'integer', order_id: 'bigint', owner: 'text?', status: 'text', details: 'jsonb?', misses: 'integer', complete: 'boolean',
    ledger: 'bigint', observed_at: 'bigint',
  }),
  order_placements: table('idx', 'order_placements', {
    contract_epoch: 'integer', order_id: 'bigint', ledger: 'bigint', ts: 'bigint', tx_hash: 'text', seq: 'bigint?',
  }),
  order_scans: table('idx', 'order_scans', {
    contract_epoch: 'integer', through: 'bigint', last_id: 'bigint', scanned_at: 'bigint',
  }),
  orders: table('idx', 'orders', {
    contract_epoch: 'integer', order_id: 'bigint', status: 'text', trader: 'text?', asset: 'text?', seq: 'bigint?', trigger_price: 'numeric?',
    ledger: 'bigint?', ts: 'bigint?', tx_hash: 'text?', ended_seq: 'bigint?', end_reason: 'text?', ended_ledger: 'bigint?', ended_ts: 'bigint?',
    ended_tx_hash: 'text?', execution_seq: 'bigint?', position_id: 'bigint?', price: 'numeric?', size: 'numeric?', pnl: 'numeric?',
    keeper_reward: 'numeric?', details_complete: 'boolean',
  }),
  ownerless_events: table('idx', 'ownerless_events', {
    seq: 'bigint', contract_epoch: 'integer', order_id: 'bigint', ts: 'bigint', topic: 'text',
  }),
  pool_flows: table('idx', 'pool_flows', {
    time: 'bigint', deposits: 'numeric', withdrawals: 'numeric',
  }),
  pool_samples: table('idx', 'pool_samples', {
    time: 'bigint', ledger: 'bigint', aum: 'numeric', lp_price: 'numeric', lp_supply: 'numeric', reserved_payout: 'numeric?',
    unrealized_pnl: 'numeric?',
  }),
  position_fills: table('idx', 'position_fills', {
    seq: 'bigint', position_id: 'bigint', contract_epoch: 'integer', trader: 'text', kind: 'text', order_id: 'bigint?', asset: 'text?',
    direction: 'smallint?', margin_mode: 'text?', price: 'numeric?', size: 'numeric?', pnl: 'numeric?', fee: 'numeric?',
    keeper_reward: 'numeric?', penalty: 'numeric?', funding: 'numeric?', payout: 'numeric?', collateral: 'numeric?', ledger: 'bigint',
    ts: 'bigint', tx_hash: 'text',
  }),
  position_versions: table('idx', 'position_versions', {
    contract_epoch: 'integer', position_id: 'bigint', from_seq: 'bigint', to_seq: 'bigint', trader: 'text', asset: 'text',
    direction: 'smallint', size: 'numeric', entry_price: 'numeric', opened_seq: 'bigint', opened_at: 'bigint', opened_tx_hash: 'text?',
    cross_liquidated: 'boolean',
  }),
  positions: table('idx', 'positions', {
    contract_epoch: 'integer', position_id: 'bigint', trader: 'text', asset: 'text', direction: 'smallint', size: 'numeric',
    entry_price: 'numeric', opened_seq: 'bigint', opened_at: 'bigint', opened_tx_hash: 'text?', margin_mode: 'text?', state: 'text',
    since_seq: 'bigint',
  }),
  reconciliation: table('idx', 'reconciliation', {
    id: 'integer', ledger: 'bigint?', compared_at: 'bigint?', positions_expected: 'bigint?', positions_missing: 'bigint?',
    interest_corrections: 'bigint', factory_balance: 'numeric?', vaults_total: 'numeric?', market_found: 'boolean?', orders_expected: 'bigint?',
    orders_missing: 'bigint?', vaults_expected: 'bigint?', vaults_missing: 'bigint?', open_positions_drift: 'bigint?',
    open_orders_drift: 'bigint?',
  }),
  referral_bindings: table('idx', 'referral_bindings', {
    contract_epoch: 'integer', referee: 'text', referrer: 'text', code: 'text', bound_at: 'bigint', tx_hash: 'text',
  }),
  referral_claims: table('idx', 'referral_claims', {
    seq: 'bigint', referrer: 'text', amount: 'numeric', ledger: 'bigint', ts: 'bigint', tx_hash: 'text',
  }),
  referral_trades: table('idx', 'referral_trades', {
    seq: 'bigint', referee: 'text', referrer: 'text', original_fee: 'numeric', discount: 'numeric', payout: 'numeric', ledger: 'bigint',
    ts: 'bigint', tx_hash: 'text', volume: 'numeric?',
  }),
  referrers: table('idx', 'referrers', {
    contract_epoch: 'integer', referrer: 'text', code: 'text', created_at: 'bigint', referred_count: 'bigint',
    total_volume_generated: 'numeric', total_earned: 'numeric', claimable: 'numeric', updated_at: 'bigint',
  }),
  repairs: table('idx', 'repairs', {
    action: 'text', epoch: 'integer', event_id: 'text', seq: 'bigint?', event: 'jsonb?',
  }),
  seen_ids: table('idx', 'seen_ids', {
    contract_epoch: 'integer', kind: 'text', first_id: 'bigint', seen: 'bigint',
  }),
  tasks: table('idx', 'tasks', {
    kind: 'text', id: 'bigint', state: 'text', progress: 'jsonb', updated_at: 'bigint',
  }),
  trader_hours: table('idx', 'trader_hours', {
    trader: 'text', hour: 'bigint', volume: 'numeric',
  }),
  trader_margins: table('idx', 'trader_margins', {
    trader: 'text', width: 'integer', time: 'bigint', margin: 'numeric', unknown: 'bigint',
  }),
  trader_pnl: table('idx', 'trader_pnl', {
    trader: 'text', width: 'integer', time: 'bigint', realized_pnl: 'numeric', fees: 'numeric', funding: 'numeric', unknown_pnl: 'bigint',
    unknown_fees: 'bigint', unknown_funding: 'bigint',
  }),
  trader_results: table('idx', 'trader_results', {
    trader: 'text', realized_pnl: 'numeric', wins: 'bigint', losses: 'bigint', best_seq: 'bigint?', best_pnl: 'numeric?', worst_seq: 'bigint?',
    worst_pnl: 'numeric?', first_ts: 'bigint', last_ts: 'bigint',
  }),
  trader_slabs: table('idx', 'trader_slabs', {
    slab: 'integer', first_seq: 'bigint', capacity: 'bigint', changes: 'bigint',
  }),
  trader_total_versions: table('idx', 'trader_total_versions', {
    from_seq: 'bigint', seqs: 'bigint[]', traders: 'bigint[]', volumes: 'numeric[]', trades: 'bigint[]',
  }),
  trader_totals: table('idx', 'trader_totals', {
    id: 'integer', traders: 'bigint', volume: 'numeric', trades: 'bigint',
  }),
  trader_versions: table('idx', 'trader_versions', {
    slab: 'integer', trader: 'text', from_seq: 'bigint', to_seq: 'bigint?', pnl: 'numeric', volume: 'numeric', trades: 'bigint',
    liq_count: 'bigint',
  }),
  traders: table('idx', 'traders', {
    trader: 'text', pnl: 'numeric', volume: 'numeric', trades: 'bigint', liq_count: 'bigint',
  }),
  trades: table('idx', 'trades', {
    seq: 'bigint', position_id: 'bigint?', trader: 'text', kind: 'text', ledger: 'bigint', ts: 'bigint', tx_hash: 'text', asset: 'text?',
    direction: 'smallint?', size: 'numeric?', entry_price: 'numeric?', close_price: 'numeric?', pnl: 'numeric?', order_id: 'bigint?',
    event_asset: 'text?', event_direction: 'smallint?', event_size: 'numeric?',
  }),
  transaction_effects: table('idx', 'transaction_effects', {
    contract_epoch: 'integer', tx_hash: 'text', ledger: 'bigint', effects: 'jsonb?', observed_at: 'bigint',
  }),
  unread_transactions: table('idx', 'unread_transactions', {
    contract_epoch: 'integer', from_seq: 'bigint', seqs: 'bigint[]',
  }),
  vault_depositors: table('idx', 'vault_depositors', {
    contract_epoch: 'integer', vault_id: 'bigint', depositor: 'text',
  }),
  vault_figures: table('idx', 'vault_figures', {
    contract_epoch: 'integer', vault_id: 'bigint', seq: 'bigint', total_usdc: 'numeric', circulating_shares: 'numeric',
    leader_shares: 'numeric', hwm_nav: 'numeric', realized_pnl: 'numeric', profit_share_bps: 'integer', paused: 'boolean',
  }),
  vault_flow_sums: table('idx', 'vault_flow_sums', {
    contract_epoch: 'integer', vault_id: 'bigint', time: 'bigint', deposits: 'numeric', withdrawals: 'numeric',
  }),
  vault_flows: table('idx', 'vault_flows', {
    seq: 'bigint', contract_epoch: 'integer', vault_id: 'bigint', kind: 'text', principal: 'text', amount: 'numeric', shares: 'numeric?',
    ledger: 'bigint', ts: 'bigint', tx_hash: 'text',
  }),
  vault_observations: table('idx', 'vault_observations', {
    contract_epoch: 'integer', vault_id: 'bigint', total_usdc: 'numeric', circulating_shares: 'numeric', leader_shares: 'numeric',
    hwm_nav: 'numeric', realized_pnl: 'numeric', profit_share_bps: 'integer', paused: 'boolean', ledger: 'bigint', through_seq: 'bigint',
    corrections: 'bigint', observed_at: 'bigint',
  }),
  vault_orders: table('idx', 'vault_orders', {
    contract_epoch: 'integer', order_id: 'bigint', vault_id: 'bigint', leader: 'text', collateral: 'numeric?',
  }),
  vault_positions: table('idx', 'vault_positions', {
    contract_epoch: 'integer', position_id: 'bigint', vault_id: 'bigint', leader: 'text', is_open: 'boolean',
  }),
  vault_samples: table('idx', 'vault_samples', {
    contract_epoch: 'integer', vault_id: 'bigint', time: 'bigint', ledger: 'bigint', total_usdc: 'numeric', circulating_shares: 'numeric',
    hwm_nav: 'numeric',
  }),
  vault_trades: table('idx', 'vault_trades', {
    seq: 'bigint', contract_epoch: 'integer', vault_id: 'bigint', position_id: 'numeric', action: 'text', leader: 'text', collateral: 'numeric',
    ledger: 'bigint', ts: 'bigint', tx_hash: 'text', pnl: 'numeric?',
  }),
  vault_versions: table('idx', 'vault_versions', {
    contract_epoch: 'integer', vault_id: 'bigint', seq: 'bigint', total_usdc: 'numeric', circulating_shares: 'numeric',
    leader_shares: 'numeric', hwm_nav: 'numeric', realized_pnl: 'numeric', profit_share_bps: 'integer', paused: 'boolean',
    depositor_count: 'bigint', open_positions: 'bigint', trade_count: 'bigint', closed_trade_pnl: 'numeric', updated_at: 'bigint',
  }),
  vaults: table('idx', 'vaults', {
    contract_epoch: 'integer', vault_id: 'bigint', leader: 'text', name: 'text', created_seq: 'bigint', created_at: 'bigint',
    total_usdc: 'numeric', circulating_shares: 'numeric', leader_shares: 'numeric', hwm_nav: 'numeric', realized_pnl: 'numeric',
    profit_share_bps: 'integer', paused: 'boolean', depositor_count: 'bigint', open_positions: 'bigint', trade_count: 'bigint',
    closed_trade_pnl: 'numeric', last_ledger: 'bigint', updated_at: 'bigint', is_unsettled: 'boolean',
  }),
}

/** The tables of the schema `keys`. */
export const keyTables = {
  api_keys: table('keys', 'api_keys', {
    seq: 'bigint', key_id: 'text', secret_sha256: 'bytea', owner: 'text', tier: 'text', label: 'text?', created_at: 'bigint',
    last_used_at: 'bigint?', revoked_at: 'bigint?', challenge: 'bytea?', scopes: 'text[]?', expires_at: 'bigint?', cidrs: 'text[]?',
    caps: 'jsonb?', parent: 'text?', rotation: 'integer', previous_sha256: 'bytea?', previous_until: 'bigint?', used_day: 'integer',
    used_notional: 'numeric', used_orders: 'integer',
  }),
  cap_uses: table('keys', 'cap_uses', {
    hash: 'text', key_id: 'text', day: 'integer', notional: 'numeric', released: 'boolean', counted_in: 'bigint', expires_at: 'bigint',
  }),
}

/** The tables of the schema `tx`. */
export const txTables = {
  client_ids: table('tx', 'client_ids', {
    owner: 'text', client_id: 'text', hash: 'text', held_until: 'bigint',
  }),
  created_entries: table('tx', 'created_entries', {
    contract_epoch: 'integer', kind: 'text', id: 'bigint', tx_hash: 'text', trader: 'text', ledger: 'bigint', ts: 'bigint', status: 'text',
    details: 'jsonb', recorded: 'boolean', created_at: 'bigint',
  }),
  prepared: table('tx', 'prepared', {
    hash: 'text', owner: 'text', op: 'text', client_id: 'text?', expires_at: 'bigint', prepared_at: 'bigint',
  }),
  submission_changes: table('tx', 'submission_changes', {
    id: 'bigint', owner: 'text', hash: 'text', row: 'jsonb', changed_at: 'bigint', seq: 'bigint?',
  }),
  submission_checks: table('tx', 'submission_checks', {
    submission_id: 'bigint', result: 'text?',
  }),
  submissions: table('tx', 'submissions', {
    id: 'bigint', owner: 'text', hash: 'text', op: 'text?', trader: 'text', client_id: 'text?', sequence: 'numeric', expires_at: 'bigint?',
    status: 'text', envelopes: 'jsonb', accepted: 'boolean', attempts: 'integer', ledger: 'bigint?', ts: 'bigint?', contract_error: 'jsonb?',
    host_error: 'jsonb?', tx_result_code: 'text?', result_xdr: 'text?', message: 'text?', order_id: 'bigint?', position_id: 'bigint?',
    is_indexed: 'boolean', submitted_at: 'bigint', updated_at: 'bigint', due_at: 'bigint?', driver: 'text?', leased_until: 'bigint?',
    sent_at: 'bigint?', confirmed_by: 'integer?', nodes: 'integer?', logged_status: 'text?',
  }),
}
