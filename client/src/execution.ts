// Placing orders and closing positions, with what was executed: price, size, fee and PnL.

import type { Fill, OrderRequest } from './generated/resources.ts'
import { pause } from './clock.ts'
import type { Clock } from './clock.ts'
import type { OrderTracker } from './orders.ts'
import type { Endpoints } from './rest.ts'
import type { Traded, TradeOptions, Trading } from './trade.ts'

/** An order that opens a position, now or later, or that is attached to one. */
export type PlaceRequest = Exclude<OrderRequest, { readonly op: 'close_position' | 'close_position_cross' | 'cancel_order' }>

export interface CloseRequest {
  readonly positionId: number | string
  /** Looked up if omitted. A position from `getAccountState` has it. */
  readonly marginMode?: 'isolated' | 'cross' | null
  /** Closes only this much of the size, USDC; isolated positions on contracts of generation 2. */
  readonly closeSize?: string
  /** The worst price to close at; contracts of generation 2. */
  readonly acceptablePrice?: string
  /** Sets the worst price this many basis points from the price of the simulation; contracts of generation 2. */
  readonly slippageBps?: number
  readonly clientId?: string
}

/** The result of an execution. Amounts in USDC; members that the gateway does not know yet are null. */
export interface Execution {
  readonly price: string | null
  readonly size: string | null
  readonly fee: string | null
  /** Profit or loss by price alone. */
  readonly pnl: string | null
}

export interface Executed extends Traded {
  /** Null when nothing was executed, as for an order that rests, and when it could not be read. */
  readonly execution: Execution | null
}

export interface Executing {
  /** `trade` for orders. Waits some seconds for the fee, which the gateway reads after the trade. Rejects like `trade`. */
  place(order: PlaceRequest, options?: TradeOptions): Promise<Executed>
  /** Closes a position or a part of it. Rejects like `trade`. */
  close(position: CloseRequest, options?: TradeOptions): Promise<Executed>
}

export interface ExecutingParts {
  readonly trade: Trading['trade']
  readonly orders: OrderTracker
  readonly endpoints: Endpoints
  readonly clock: Clock
}

const DETAILS_POLL_MS = 500
const DETAILS_READS_MAX = 10

export function createExecuting({ trade, orders, endpoints, clock }: ExecutingParts): Executing {
  async function isCross({ positionId, marginMode }: CloseRequest, options: TradeOptions): Promise<boolean> {
    if (marginMode !== undefined && marginMode !== null) return marginMode === 'cross'
    const { positions } = (await endpoints.getAccountState({}, callOf(options))).body
    return positions?.find((position) => String(position.positionId) === String(positionId))?.marginMode === 'cross'
  }

  /** The trade with its fees, for which it waits a little. The trade is complete, so that failures to read them do not matter. */
  async function withExecution(traded: Traded, options: TradeOptions): Promise<Executed> {
    let { fills } = traded
    try {
      for (let read = 0; read < DETAILS_READS_MAX && fills?.some(({ fee }) => fee === null) === true; read++) {
        await pause(clock, DETAILS_POLL_MS, options.signal)
        fills = await orders.fillsOf(traded, callOf(options))
      }
    } catch {
      // They stay as they were last read.
    }
    const { order } = traded
    const execution = order?.state === 'executed' ? order.execution : executionOf(fills ?? [])
    return { ...traded, fills, execution }
  }

  return {
    place: async (order, options = {}) => withExecution(await trade(order, options), options),
    async close(position, options = {}) {
      const { positionId, closeSize, acceptablePrice, slippageBps, clientId } = position
      const named = clientId === undefined ? {} : { clientId }
      if (closeSize !== undefined) {
        if (acceptablePrice !== undefined || slippageBps !== undefined) throw new TypeError('Closing a part takes no acceptablePrice and no slippageBps.')
        return withExecution(await trade({ op: 'close_position_partial', positionId, closeSize, ...named }, options), options)
      }
      const op = await isCross(position, options) ? 'close_position_cross' : 'close_position'
      const bound = { ...(acceptablePrice === undefined ? {} : { acceptablePrice }), ...(slippageBps === undefined ? {} : { slippageBps }) }
      return withExecution(await trade({ op, positionId, ...named, ...bound }, options), options)
    },
  }
}

function callOf({ signal }: TradeOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

/** The total of a transaction's fills, which all have one price; null without fills. */
function executionOf(fills: readonly Fill[]): Execution | null {
  const last = fills.at(-1)
  if (last === undefined) return null
  return { price: last.price, size: total(fills, 'size'), fee: total(fills, 'fee'), pnl: total(fills, 'pnl') }
}

function total(fills: readonly Fill[], member: 'size' | 'fee' | 'pnl'): string | null {
  let sum = 0n
  for (const { [member]: amount } of fills) {
    if (amount === null) return null
    sum += BigInt(amount)
  }
  return String(sum)
}
