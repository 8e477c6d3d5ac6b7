// What each change of a position moved, computed from the events, the USDC transfers and the changed entries of its transaction. Pure. Events report the
// profit by price alone; fees, funding and payouts follow from the transfers between the position's events.

import type { EntryChanges } from './entry-changes.ts'

/** A transfer of USDC in a transaction. */
export interface TransferItem {
  readonly type: 'transfer'
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

/** An event of an exchange contract in a transaction. */
export interface EventItem {
  readonly type: 'event'
  /** Of the log; in a simulation, the event's index. */
  readonly seq: number
  readonly contract: 'market' | 'vault' | 'vaultFactory' | 'referral'
  readonly topic: string
  /** Null for an event that could not be decoded. */
  readonly payload: Readonly<Record<string, unknown>> | null
}

/** The events and USDC transfers of one transaction, in their order. */
export type TransactionItem = TransferItem | EventItem

export interface SettlementInput {
  readonly items: readonly TransactionItem[]
  /** Null: unknown. */
  readonly changes: EntryChanges | null
  readonly contracts: { readonly market: string; readonly vault: string }
}

export type PositionChangeKind = 'open' | 'close' | 'reduce' | 'liquidation' | 'partial_liquidation' | 'adl'

/**
 * One change of a position. Null means unknown. Without a shortfall or bad debt, a close pays `payout = collateral + pnl - funding - keeperReward`, and a
 * liquidation that less `penalty`.
 */
export interface PositionChange {
  /** Of the event that reports the change. */
  readonly seq: number
  readonly kind: PositionChangeKind
  readonly positionId: number
  /** The order that caused it; null: none, or not reported yet. */
  readonly orderId: number | null
  readonly trader: string
  readonly asset: string | null
  /** 0 is long, 1 is short. */
  readonly direction: number | null
  readonly marginMode: 'isolated' | 'cross' | null
  /** The entry price of an open, the price of a close. */
  readonly price: bigint | null
  /** What was opened or closed. */
  readonly size: bigint | null
  /** By price alone, as in the event; 0 for an open. */
  readonly pnl: bigint | null
  /** The trading fee, less the referral discount; 0 for everything but opens. */
  readonly fee: bigint | null
  /** What a keeper was paid out of the trader's money; 0 without an order or a liquidation. */
  readonly keeperReward: bigint | null
  /** What a liquidation took beyond the loss and the funding, the keeper's reward included; 0 for everything else. */
  readonly penalty: bigint | null
  /** Funding that was settled; positive when the trader paid. */
  readonly funding: bigint | null
  /** What the trader's wallet, or the balance of the cross account, received. Negative when a cross account paid more than the position's collateral. */
  readonly payout: bigint | null
  /** The position's own collateral that the change added (net of fees) or settled. */
  readonly collateral: bigint | null
}
