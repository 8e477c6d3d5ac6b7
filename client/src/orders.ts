// What a transaction did, and what becomes of an order that rests.

import type { EventRow, OpenOrder } from './generated/resources.ts'
import type { TradeRequest } from './calls.ts'
import { pause } from './clock.ts'
import type { Clock } from './clock.ts'
import type { CallOptions } from './http.ts'
import type { Endpoints, Lists } from './rest.ts'

/** A transaction that the network has applied. */
export interface Finished {
  readonly hash: string
  /** Give it as `minLedger` to read what the transaction did. */
  readonly ledger: number
}

/** What became of an order. */
export type OrderOutcome =
  | { readonly orderId: number; readonly state: 'resting' }
  | { readonly orderId: number; readonly state: 'executed'; readonly ledger: number; readonly hash: string }
  /** `reason` as the contract gives it: user, slippage, pos_closed, reduce_only_no_position. */
  | { readonly orderId: number; readonly state: 'cancelled'; readonly reason: string; readonly ledger: number; readonly hash: string }
  /** It could not be learnt; without an id, not even which one it is. */
  | { readonly orderId: number | null; readonly state: 'unknown' }

export interface OrderTracker {
  /** The account's resting orders of a kind whose placement no event tells; null for the other kinds. */
  restingOrderIds(request: TradeRequest, options: CallOptions): Promise<ReadonlySet<number> | null>
  /** The account's events of the transaction. */
  eventsOf(finished: Finished, options: CallOptions): Promise<readonly EventRow[]>
  positionOf(events: readonly EventRow[] | null): number | null
  /** The id of the order that the transaction placed; null when that cannot be told. */
  findPlacedOrder(
    request: TradeRequest,
    what: { readonly finished: Finished; readonly events: readonly EventRow[] | null; readonly known: ReadonlySet<number> | null },
    options: CallOptions,
  ): Promise<number | null>
  awaitOutcome(orderId: number, how: { readonly ledger: number; readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<OrderOutcome>
}

const POLL_MS = 2_000
const PAGE = 200
/** How often the resting orders are read until they are those of the transaction's ledger. */
const READS_MAX = 10
const PLACED_WITHOUT_EVENT: Readonly<Partial<Record<TradeRequest['op'], OpenOrder['orderType']>>> = {
  place_stop_limit_order: 'stop_limit', place_trailing_stop: 'trailing_stop',
}

interface Payload {
  readonly positionId?: number
  readonly orderId?: number
  readonly reason?: string
}

const payloadOf = ({ payload }: EventRow): Payload => payload as Payload

export function createOrderTracker({ endpoints, lists, clock }: { readonly endpoints: Endpoints; readonly lists: Lists; readonly clock: Clock }): OrderTracker {
  async function outcome(orderId: number, ledger: number, options: CallOptions): Promise<OrderOutcome | null> {
    for await (const event of lists.rows('listAccountOrderEvents', { limit: PAGE }, options)) {
      if (event.ledger < ledger) return null
      const { orderId: ended, reason = '' } = payloadOf(event)
      if (ended !== orderId) continue
      const where = { orderId, ledger: event.ledger, hash: event.txHash }
      if (event.topic === 'order_executed') return { ...where, state: 'executed' }
      if (event.topic === 'order_cancelled') return { ...where, state: 'cancelled', reason }
    }
    return null
  }

  return {
    async restingOrderIds(request, options) {
      if (PLACED_WITHOUT_EVENT[request.op] === undefined) return null
      const { body } = await endpoints.listAccountOpenOrders({}, options)
      return new Set(body.orders.map(({ orderId }) => orderId))
    },
    async eventsOf({ hash, ledger }, options) {
      const events: EventRow[] = []
      for await (const event of lists.rows('listAccountEvents', { limit: PAGE }, { ...options, minLedger: ledger })) {
        if (event.ledger < ledger) break
        if (event.txHash === hash) events.unshift(event)
      }
      return events
    },
    positionOf: (events) => events?.map(payloadOf).find(({ positionId }) => positionId !== undefined)?.positionId ?? null,
    async findPlacedOrder(request, { finished, events, known }, options) {
      const kind = PLACED_WITHOUT_EVENT[request.op]
      if (kind === undefined) return events?.filter(({ topic }) => topic === 'order_placed').map(payloadOf)[0]?.orderId ?? null
      for (let look = 1; look <= READS_MAX; look++) {
        const { body } = await endpoints.listAccountOpenOrders({}, options)
        if (body.ledger >= finished.ledger) {
          const found = body.orders.filter((order) => order.orderType === kind && known?.has(order.orderId) !== true && matchesRequest(order, request))
          // Somebody else may place the same with the same account: then nobody can tell which is whose.
          return found.length === 1 ? (found[0]?.orderId ?? null) : null
        }
        await pause(clock, POLL_MS / 4, options.signal)
      }
      return null
    },
    async awaitOutcome(orderId, { ledger, timeoutMs, signal }) {
      const options = signal === undefined ? {} : { signal }
      const deadlineMs = clock.nowMs() + timeoutMs
      for (;;) {
        const found = await outcome(orderId, ledger, { ...options, minLedger: ledger })
        if (found !== null) return found
        const leftMs = deadlineMs - clock.nowMs()
        if (leftMs <= 0) return { orderId, state: 'resting' }
        await pause(clock, Math.min(POLL_MS, leftMs), signal)
      }
    },
  }
}

/** Whether an order is the one that the request asked for. */
function matchesRequest(order: OpenOrder, request: TradeRequest): boolean {
  const fields = request as unknown as Readonly<Record<string, string | number | undefined>>
  return (['asset', 'collateral', 'leverage', 'triggerPrice', 'limitPrice', 'positionId', 'trailingPercentBps', 'triggerCondition'] as const)
    .every((field) => fields[field] === undefined || String(fields[field]) === String(order[field]))
}
