// How events change orders. Pure.

import type { OrderLifeStatus } from '../../resources/order.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import { readPositionEvent } from '../log/market-events.ts'
import type { PositionEvent } from '../log/market-events.ts'
import { bigOf, numberOf, textOf } from '../log/payload.ts'

/** An order whose placement was reported. */
export interface PlacedOrder {
  readonly orderId: number
  readonly trader: string
  readonly triggerPrice: bigint
  readonly seq: number
  readonly ledger: number
  readonly ts: number
  readonly txHash: string
}

/** The effect of an order's execution on a position. */
interface OrderExecution {
  readonly executionSeq: number | null
  readonly positionId: number | null
  readonly price: bigint | null
  readonly size: bigint | null
  /** Also null when the position was opened. */
  readonly pnl: bigint | null
  /** Nominal. */
  readonly keeperReward: bigint | null
}

export interface EndedOrder extends OrderExecution {
  readonly orderId: number
  readonly status: Exclude<OrderLifeStatus, 'pending'>
  readonly reason: string
  readonly seq: number
  readonly ledger: number
  readonly ts: number
  readonly txHash: string
}

/** The changes of a page, by order id. */
export interface OrderChanges {
  readonly placed: ReadonlyMap<number, PlacedOrder>
  readonly ended: ReadonlyMap<number, EndedOrder>
}

const NOT_EXECUTED: OrderExecution = { executionSeq: null, positionId: null, price: null, size: null, pnl: null, keeperReward: null }

/**
 * The orders that a page placed and ended. A cancellation during an execution is reported first and is final: the order is reported as executed too.
 * `before` is the last position event of the transaction in which the page begins, if it came before the page.
 */
export function foldOrders(events: readonly ArchivedEvent[], before: PositionEvent | undefined): OrderChanges {
  const placed = new Map<number, PlacedOrder>()
  const ended = new Map<number, EndedOrder>()
  let position = before
  for (const event of events) {
    if (position?.txHash !== event.txHash) position = undefined
    position = readPositionEvent(event) ?? position
    if (isOrderPlaced(event)) placed.set(numberOf(event, 'orderId'), placedOrder(event))
    if (!isOrderEnd(event)) continue
    const order = endedOrder(event, position)
    if (!ended.has(order.orderId)) ended.set(order.orderId, order)
    if (order.status === 'executed') position = undefined
  }
  return { placed, ended }
}

/** True when the page executes an order whose position event may have come before the page. */
export function beginsInsideExecution(events: readonly ArchivedEvent[]): boolean {
  const [first] = events
  const inFirst = events.filter(({ txHash }) => txHash === first?.txHash)
  const execution = inFirst.findIndex((event) => isOrderEnd(event) && event.topic === 'order_executed')
  return execution >= 0 && !inFirst.slice(0, execution).some((event) => readPositionEvent(event) !== undefined)
}

export function isOrderEnd(event: ArchivedEvent): boolean {
  return event.contract === 'market' && event.payload !== null && (event.topic === 'order_executed' || event.topic === 'order_cancelled')
}

function isOrderPlaced(event: ArchivedEvent): boolean {
  return event.contract === 'market' && event.payload !== null && event.topic === 'order_placed'
}

function placedOrder(event: ArchivedEvent): PlacedOrder {
  const { seq, ledger, ledgerCloseTs: ts, txHash } = event
  return { orderId: numberOf(event, 'orderId'), trader: textOf(event, 'trader'), triggerPrice: bigOf(event, 'triggerPrice'), seq, ledger, ts, txHash }
}

function endedOrder(event: ArchivedEvent, position: PositionEvent | undefined): EndedOrder {
  const { seq, ledger, ledgerCloseTs: ts, txHash } = event
  const end = { orderId: numberOf(event, 'orderId'), seq, ledger, ts, txHash }
  if (event.topic === 'order_cancelled') return { ...end, ...NOT_EXECUTED, status: 'cancelled', reason: textOf(event, 'reason') }
  return { ...end, ...executionOf(position), keeperReward: bigOf(event, 'keeperReward'), status: 'executed', reason: 'executed' }
}

/** The market reports the position right before the execution. */
function executionOf(position: PositionEvent | undefined): OrderExecution {
  switch (position?.kind) {
    case 'opened': {
      const { seq, positionId, entryPrice: price, size } = position
      return { ...NOT_EXECUTED, executionSeq: seq, positionId, price, size }
    }
    case 'close':
    case 'reduce': {
      const { seq, positionId, closePrice: price, size, pnl } = position
      return { ...NOT_EXECUTED, executionSeq: seq, positionId, price, size, pnl }
    }
    default:
      return NOT_EXECUTED
  }
}
