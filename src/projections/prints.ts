// Prints: changes of positions at a price, as the channel of their asset shows them.

import type { TradeKind } from '../resources/realized-trade.ts'
import type { Payload, PayloadValue } from './archived-event.ts'

/** What the index knows of the print of an event besides its payload. */
export interface PrintKey {
  readonly asset: string
  readonly direction: number | null
  readonly orderId: number | null
}

/** SQL: the print of the event `seq`; null when it is none. Rows of idx.fills decide what a print is. */
export function printOf(seq: string): string {
  return `(select jsonb_build_object('asset', f.asset, 'direction', f.direction, 'orderId', f.order_id) from idx.fills f where f.seq = ${seq})`
}

const KINDS: Readonly<Record<string, Exclude<TradeKind, 'cross_liquidation'>>> = {
  position_opened: 'open',
  position_closed: 'close',
  position_reduced: 'reduce',
  position_liquidated: 'liquidation',
  position_partial_liq: 'partial_liquidation',
  adl_executed: 'adl',
}

/** A print as it is sent. */
export interface Print {
  readonly kind: Exclude<TradeKind, 'cross_liquidation'>
  readonly asset: string
  readonly positionId: PayloadValue | undefined
  readonly trader: PayloadValue | undefined
  /** The entry price of an open, and the close price otherwise. */
  readonly price: PayloadValue | undefined
  readonly pnl?: PayloadValue
  readonly ledger: number
  /** Milliseconds. */
  readonly ts: number
  readonly txHash: string
  /** Of the closed part for reduce and partial_liquidation. */
  readonly size: PayloadValue | undefined
  /** 0 is long, 1 is short; null: unknown. */
  readonly direction: number | null
  readonly eventId: string
  readonly orderId?: number
}

interface PrintedEvent {
  readonly topic: string
  readonly ledger: number
  readonly ledgerCloseTs: number
  readonly txHash: string
  readonly eventId: string
  readonly payload: Payload | null
  readonly print: PrintKey | null
}

/** The print of an archived event; undefined for other events. */
export function toPrint({ topic, ledger, ledgerCloseTs, txHash, eventId, payload, print }: PrintedEvent): Print | undefined {
  const kind = KINDS[topic]
  if (print === null || payload === null || kind === undefined) return undefined
  const { positionId, trader, pnl } = payload
  const { asset, direction, orderId } = print
  return {
    kind, asset, positionId, trader,
    price: kind === 'open' ? payload['entryPrice'] : (payload['closePrice'] ?? payload['price']),
    ...(pnl === undefined ? {} : { pnl }),
    ledger, ts: ledgerCloseTs * 1000, txHash,
    size: payload['size'] ?? payload['closedSize'],
    direction, eventId,
    ...(orderId === null ? {} : { orderId }),
  }
}
