// Position events of the market, read from archived payloads.

import type { ArchivedEvent } from './archived-event.ts'
import { bigOf, numberOf, textOf } from './payload.ts'

/** Fields of every position event. */
interface EventContext {
  readonly seq: number
  readonly ledger: number
  readonly ts: number
  readonly txHash: string
  readonly trader: string
}

interface Leg extends EventContext {
  readonly positionId: number
  readonly asset: string
  readonly direction: number
  readonly size: bigint
}

export interface PositionOpened extends Leg {
  readonly kind: 'opened'
  readonly entryPrice: bigint
}

export interface PositionEnded extends Leg {
  readonly kind: 'close' | 'liquidation'
  readonly closePrice: bigint
  /** Null for a liquidation. */
  readonly pnl: bigint | null
}

/** A part of the position was closed. `size` is that part. */
export interface PositionReduced extends EventContext {
  readonly kind: 'reduce' | 'partial_liquidation'
  readonly positionId: number
  readonly asset: string
  /** Null: the event does not report it. The same for the remaining size. */
  readonly direction: number | null
  readonly size: bigint
  readonly remainingSize: bigint | null
  readonly closePrice: bigint
  /** Null for a liquidation. */
  readonly pnl: bigint | null
}

/** Follows the close that it caused. */
export interface Deleveraged extends Leg {
  readonly kind: 'adl'
  readonly closePrice: bigint
  readonly pnl: bigint
}

/** In generation 1 it ends all cross positions of the trader without naming them. In generation 2 it follows a liquidation of each position that it ended. */
export interface CrossLiquidation extends EventContext {
  readonly kind: 'cross_liquidation'
  readonly totalPnl: bigint
}

export type PositionEvent = PositionOpened | PositionEnded | PositionReduced | Deleveraged | CrossLiquidation

/** The position event in an archived event; undefined for other and undecoded events. */
export function readPositionEvent(event: ArchivedEvent): PositionEvent | undefined {
  if (event.contract !== 'market' || event.payload === null) return undefined
  const context = { seq: event.seq, ledger: event.ledger, ts: event.ledgerCloseTs, txHash: event.txHash }
  switch (event.topic) {
    case 'position_opened':
      return { kind: 'opened', ...context, ...legOf(event), entryPrice: bigOf(event, 'entryPrice') }
    case 'position_closed':
      return {
        kind: 'close', ...context, ...legOf(event), closePrice: bigOf(event, 'closePrice'), pnl: bigOf(event, 'pnl'),
      }
    case 'position_liquidated':
      return { kind: 'liquidation', ...context, ...legOf(event), closePrice: bigOf(event, 'closePrice'), pnl: null }
    case 'position_reduced':
      return {
        kind: 'reduce', ...context, positionId: numberOf(event, 'positionId'), trader: textOf(event, 'trader'), asset: textOf(event, 'asset'),
        direction: null, size: bigOf(event, 'closedSize'), remainingSize: bigOf(event, 'remainingSize'), closePrice: bigOf(event, 'price'),
        pnl: bigOf(event, 'pnl'),
      }
    case 'position_partial_liq':
      return { kind: 'partial_liquidation', ...context, ...legOf(event), remainingSize: null, closePrice: bigOf(event, 'closePrice'), pnl: null }
    case 'adl_executed':
      return { kind: 'adl', ...context, ...legOf(event), closePrice: bigOf(event, 'price'), pnl: bigOf(event, 'pnl') }
    case 'cross_liq':
      return { kind: 'cross_liquidation', ...context, trader: textOf(event, 'trader'), totalPnl: bigOf(event, 'totalPnl') }
    default:
      return undefined
  }
}

function legOf(event: ArchivedEvent): { positionId: number; trader: string; asset: string; direction: number; size: bigint } {
  return {
    positionId: numberOf(event, 'positionId'),
    trader: textOf(event, 'trader'),
    asset: textOf(event, 'asset'),
    direction: numberOf(event, 'direction'),
    size: bigOf(event, 'size'),
  }
}
