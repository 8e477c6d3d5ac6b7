// The tables that events are folded into, and the version of that code.

/**
 * The version of everything that decides what the projections hold: decoding, folding, tables. Increase it whenever the same archive gives other rows: the
 * indexer then rebuilds the projections in the background. test/index/projections-version.test.ts fails when the increase is missing.
 */
export const PROJECTIONS_VERSION = 23

/** Every table that `applyEvents` fills. */
export const PROJECTIONS = [
  'positions', 'opens', 'trades', 'traders', 'trader_totals', 'open_interest', 'bad_debts', 'asset_hours', 'trader_hours', 'candle_volumes',
  'orders', 'ownerless_events', 'account_events',
  'referrers', 'referral_bindings', 'referral_trades', 'referral_claims',
  'vaults', 'vault_depositors', 'vault_orders', 'vault_positions', 'vault_trades', 'vault_flows',
  'trader_results', 'trader_pnl', 'trader_margins', 'pool_flows', 'vault_flow_sums', 'cash_ledger',
  'position_fills', 'unread_transactions',
  'seen_ids',
  'position_versions', 'interest_versions', 'bad_debt_versions', 'trader_slabs', 'trader_versions', 'trader_total_versions', 'vault_versions',
] as const
