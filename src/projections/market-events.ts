// The market events that move positions, read out of archived payloads.

import { assert } from '../base/assert.ts'
import type { ArchivedEvent, Payload } from './archived-event.ts'

/** What every event that moves positions carries. */
interface Happening {
  readonly seq: number
  readonly ledger: number
  readonly ts: number
  readonly txHash: string
  readonly trader: string
}

interface Leg extends Happening {
  readonly positionId: number
  readonly asset: string
  readonly direction: number
  readonly size: bigint
}

export interface Opened extends Leg {
  readonly kind: 'opened'
  readonly entryPrice: bigint
}

export interface Ended extends Leg {
  readonly kind: 'close' | 'liquidation'
  readonly closePrice: bigint
  /** Null for a liquidation. */
  readonly pnl: bigint | null
}

/** Ends all cross positions of the trader; names none of them. */
export interface CrossLiquidated extends Happening {
  readonly kind: 'cross_liquidation'
}

export type PositionEvent = Opened | Ended | CrossLiquidated

/** The position event in an archived event; undefined for every other event, and for those that could not be decoded. */
export function readPositionEvent(event: ArchivedEvent): PositionEvent | undefined {
  if (event.contract !== 'market' || event.payload === null) return undefined
  const { payload } = event
  const happening = { seq: event.seq, ledger: event.ledger, ts: event.ledgerCloseTs, txHash: event.txHash }
  switch (event.topic) {
    case 'position_opened':
      return { kind: 'opened', ...happening, ...legOf(payload), entryPrice: BigInt(textOf(payload, 'entryPrice')) }
    case 'position_closed':
      return {
        kind: 'close', ...happening, ...legOf(payload), closePrice: BigInt(textOf(payload, 'closePrice')), pnl: BigInt(textOf(payload, 'pnl')),
      }
    case 'position_liquidated':
      return { kind: 'liquidation', ...happening, ...legOf(payload), closePrice: BigInt(textOf(payload, 'closePrice')), pnl: null }
    case 'cross_liq':
      return { kind: 'cross_liquidation', ...happening, trader: textOf(payload, 'trader') }
    default:
      return undefined
  }
}

function legOf(payload: Payload): { positionId: number; trader: string; asset: string; direction: number; size: bigint } {
  return {
    positionId: numberOf(payload, 'positionId'),
    trader: textOf(payload, 'trader'),
    asset: textOf(payload, 'asset'),
    direction: numberOf(payload, 'direction'),
    size: BigInt(textOf(payload, 'size')),
  }
}

function textOf(payload: Payload, key: string): string {
  const value = payload[key]
  assert(typeof value === 'string', `archived payload: ${key} is not a text`)
  return value
}

function numberOf(payload: Payload, key: string): number {
  const value = payload[key]
  assert(typeof value === 'number', `archived payload: ${key} is not a number`)
  return value
}
