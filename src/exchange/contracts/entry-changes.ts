// A transaction's changes of the market's storage. Ledger entries say what events do not: collateral, funding index, margin mode and order terms.

/** A position as the market stores it, with fields named as on the wire. `collateral` is net of the open fee; `margin_mode` is 0 isolated, 1 cross. */
export interface PositionEntry {
  readonly asset: string
  readonly collateral: bigint
  readonly direction: number
  readonly entry_cumulative_funding: bigint
  readonly entry_price: bigint
  readonly id: number
  readonly leverage: number
  readonly liquidation_price: bigint
  readonly margin_mode: number
  readonly size: bigint
  /** Time of its opening, Unix seconds. */
  readonly timestamp: number
  readonly trader: string
}

/** An order as the market stores it, with fields named as on the wire. */
export interface OrderEntry {
  readonly asset: string
  readonly collateral: bigint
  /** Unix seconds. */
  readonly created_at: number
  readonly direction: number
  readonly has_position: boolean
  readonly id: number
  readonly leverage: number
  readonly limit_price: bigint
  readonly order_type: number
  readonly position_id: number
  readonly slippage_tolerance_bps: number
  readonly status: number
  readonly stop_limit_phase: number
  readonly time_in_force: number
  readonly trader: string
  readonly trailing_percent_bps: number
  readonly trigger_condition: number
  readonly trigger_price: bigint
}

/** An entry before and after a transaction; null: it did not exist. */
export interface EntryChange<Entry> {
  readonly before: Entry | null
  readonly after: Entry | null
}

/** The free balance of a cross account before and after a transaction; 0 when there was no entry. */
export interface CrossBalanceChange {
  readonly trader: string
  readonly before: bigint
  readonly after: bigint
}

/** The changes of a transaction in the market's storage. Entries of an unknown shape are omitted. */
export interface EntryChanges {
  /** By id. */
  readonly positions: ReadonlyMap<number, EntryChange<PositionEntry>>
  /** By id. */
  readonly orders: ReadonlyMap<number, EntryChange<OrderEntry>>
  /** By account. */
  readonly crossBalances: ReadonlyMap<string, CrossBalanceChange>
}
