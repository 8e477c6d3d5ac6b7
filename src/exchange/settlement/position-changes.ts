// A transaction's changes of positions: the events and transfers that show them, and the changes that follow from them.

import type { EntryChanges } from '../contracts/entry-changes.ts'
import type { Generation } from '../contracts/generations.ts'

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

/** The opening of a position, which later events do not repeat. */
export interface OpenedPosition {
  readonly asset: string
  readonly direction: number
  readonly entryPrice: bigint
}

export interface SettlementInput {
  readonly items: readonly TransactionItem[]
  /** Null: unknown. */
  readonly changes: EntryChanges | null
  readonly contracts: { readonly market: string; readonly vault: string }
  /** Of the market; absent or null: unknown. Only transactions with several changes of one account need it. */
  readonly generation?: Generation | null
  /** Positions that were opened before, by id. Those in `changes` need not be here. */
  readonly opened?: ReadonlyMap<number, OpenedPosition>
  /** By how much the cumulative funding rate grew since a position was opened, by id. Only liquidations of generation 1 need it. */
  readonly fundingGrowth?: ReadonlyMap<number, bigint>
}

export type PositionChangeKind = 'open' | 'close' | 'reduce' | 'liquidation' | 'partial_liquidation' | 'adl'

/**
 * One change of a position. Null means unknown. Without a shortfall or bad debt, `payout = collateral + pnl - funding - keeperReward` for a close, and
 * `collateral + pnl - funding - penalty` for a liquidation.
 */
export interface PositionChange extends Settled {
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
  /** The size that was opened or closed. */
  readonly size: bigint | null
  /** By price alone, as in the event; 0 for an open. */
  readonly pnl: bigint | null
}

/** The money of one change. */
export interface Settled {
  /** The trading fee, less the referral discount; 0 for everything but opens. */
  readonly fee: bigint | null
  /** The reward that a keeper received for it; 0 without an order or a liquidation. */
  readonly keeperReward: bigint | null
  /** The amount that a liquidation took beyond the loss and the funding; 0 for everything else. */
  readonly penalty: bigint | null
  /** Funding that was settled; positive when the trader paid. */
  readonly funding: bigint | null
  /** Amount received by the trader's wallet, or by the cross account's balance. Negative when a cross account paid more than the position's collateral. */
  readonly payout: bigint | null
  /** The position's own collateral that the change added, net of fees, or settled. */
  readonly collateral: bigint | null
}
