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

/** Ends all cross positions of the trader without naming them. */
export interface CrossLiquidation extends EventContext {
  readonly kind: 'cross_liquidation'
}

export type PositionEvent = PositionOpened | PositionEnded | CrossLiquidation

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
    case 'cross_liq':
      return { kind: 'cross_liquidation', ...context, trader: textOf(event, 'trader') }
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
