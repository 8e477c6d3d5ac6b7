// The effects of a transaction, and the outcome of resting orders.

import type { EventRow, Fill, OpenOrder, Order } from './generated/resources.ts'
import type { TradeRequest } from './calls.ts'
import { pause } from './clock.ts'
import type { Clock } from './clock.ts'
import { GatewayError } from './errors.ts'
import type { CallOptions } from './http.ts'
import type { Endpoints, Lists } from './rest.ts'

/** A transaction that the network applied. */
export interface Finished {
  readonly hash: string
  /** Pass it as `minLedger` to read the transaction's effects. */
  readonly ledger: number
}

/** The outcome of an order. */
export type OrderOutcome =
  | { readonly orderId: number; readonly state: 'resting' }
  /** `execution`: price, size, fee and PnL; null if unknown. */
  | { readonly orderId: number; readonly state: 'executed'; readonly ledger: number; readonly hash: string; readonly execution: Order['execution'] }
  /** `reason` comes from the contract: user, slippage, pos_closed, reduce_only_no_position; since generation 2 also asset_unconfigured and risk_config. */
  | { readonly orderId: number; readonly state: 'cancelled'; readonly reason: string; readonly ledger: number; readonly hash: string }
  /** The outcome, and with a null id the order itself, could not be determined. */
  | { readonly orderId: number | null; readonly state: 'unknown' }

export interface OrderTracker {
  /** The account's resting orders, for requests whose order generation 1 announces by no event; null for other requests. */
  restingOrderIds(request: TradeRequest, options: CallOptions): Promise<ReadonlySet<number> | null>
  /** The account's events in the transaction. */
  eventsOf(finished: Finished, options: CallOptions): Promise<readonly EventRow[]>
  /** Returns what the transaction did to the account's positions, in its order. */
  fillsOf(finished: Finished, options: CallOptions): Promise<readonly Fill[]>
  positionOf(events: readonly EventRow[] | null): number | null
  /** The id of the order that the transaction placed; null when it is ambiguous or unknown. */
  findPlacedOrder(
    request: TradeRequest,
    context: { readonly finished: Finished; readonly events: readonly EventRow[] | null; readonly previousOrderIds: ReadonlySet<number> | null },
    options: CallOptions,
  ): Promise<number | null>
  awaitOutcome(orderId: number, options: { readonly ledger: number; readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<OrderOutcome>
}

const POLL_MS = 2_000
const PAGE = 200
/** Maximum reads of the resting orders until they include the transaction's ledger. */
const READS_MAX = 10
/** Orders that contracts of generation 1 place without an event. */
const PLACED_WITHOUT_EVENT: Readonly<Partial<Record<TradeRequest['op'], OpenOrder['orderType']>>> = {
  place_stop_limit_order: 'stop_limit', place_trailing_stop: 'trailing_stop',
}

/** Events that announce an order: the market's, or for a vault, the factory's. */
const PLACED: ReadonlySet<string> = new Set(['order_placed', 'leader_limit', 'leader_stop_limit', 'leader_sl', 'leader_tp', 'leader_trail'])

/** Ids are digits in the factory's events. */
interface Payload {
  readonly positionId?: number | string
  readonly orderId?: number | string
}

const payloadOf = ({ payload }: EventRow): Payload => payload as Payload

export function createOrderTracker({ endpoints, lists, clock }: { readonly endpoints: Endpoints; readonly lists: Lists; readonly clock: Clock }): OrderTracker {
  /** Null while the order is open, and while the gateway does not know it yet. */
  async function findOutcome(orderId: number, options: CallOptions): Promise<OrderOutcome | null> {
    try {
      const { status, ended, execution } = (await endpoints.getOrder({ orderId }, options)).body
      if (status === 'pending') return null
      if (ended === null) return { orderId, state: 'unknown' }
      const base = { orderId, ledger: ended.ledger, hash: ended.txHash }
      return status === 'executed' ? { ...base, state: 'executed', execution } : { ...base, state: 'cancelled', reason: ended.reason }
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'order_not_found') return null
      throw error
    }
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
    async fillsOf({ hash, ledger }, options) {
      const fills: Fill[] = []
      for await (const fill of lists.rows('listAccountFills', { limit: PAGE }, { ...options, minLedger: ledger })) {
        if (fill.ledger < ledger) break
        if (fill.txHash === hash) fills.unshift(fill)
      }
      return fills
    },
    positionOf(events) {
      // Since generation 2, an open first closes the account's positions in the other direction.
      const opened = events?.find(({ topic }) => topic === 'position_opened')
      const concerned = opened === undefined ? events?.map(payloadOf) : [payloadOf(opened)]
      const positionId = concerned?.find((payload) => payload.positionId !== undefined)?.positionId
      return positionId === undefined ? null : Number(positionId)
    },
    async findPlacedOrder(request, { finished, events, previousOrderIds }, options) {
      const announced = events?.find(({ topic }) => PLACED.has(topic))
      if (announced !== undefined) {
        const { orderId } = payloadOf(announced)
        return orderId === undefined ? null : Number(orderId)
      }
      const kind = PLACED_WITHOUT_EVENT[request.op]
      if (kind === undefined) return null
      for (let read = 1; read <= READS_MAX; read++) {
        const { body } = await endpoints.listAccountOpenOrders({}, options)
        if (body.ledger >= finished.ledger) {
          const isNew = ({ orderId }: OpenOrder): boolean => previousOrderIds?.has(orderId) !== true
          const matching = body.orders.filter((order) => order.orderType === kind && isNew(order) && matchesRequest(order, request))
          // Another program may have placed the same order with the same account. Then nothing distinguishes the orders.
          return matching.length === 1 ? (matching[0]?.orderId ?? null) : null
        }
        await pause(clock, POLL_MS / 4, options.signal)
      }
      return null
    },
    async awaitOutcome(orderId, { ledger, timeoutMs, signal }) {
      const options = signal === undefined ? {} : { signal }
      const deadlineMs = clock.nowMs() + timeoutMs
      for (;;) {
        const outcome = await findOutcome(orderId, { ...options, minLedger: ledger })
        if (outcome !== null) return outcome
        const leftMs = deadlineMs - clock.nowMs()
        if (leftMs <= 0) return { orderId, state: 'resting' }
        await pause(clock, Math.min(POLL_MS, leftMs), signal)
      }
    },
  }
}

/** True if the order has every field of the request. */
function matchesRequest(order: OpenOrder, request: TradeRequest): boolean {
  const fields = request as unknown as Readonly<Record<string, string | number | undefined>>
  return (['asset', 'collateral', 'leverage', 'triggerPrice', 'limitPrice', 'positionId', 'trailingPercentBps', 'triggerCondition'] as const)
    .every((field) => fields[field] === undefined || String(fields[field]) === String(order[field]))
}
