// A trader's plans for its positions and orders: when to close, which orders to attach, when to cancel, when to withdraw idle margin.

import type { Random } from '../../src/base/random.ts'
import { drawInteger } from './strategies.ts'
import type { Strategy } from './strategies.ts'
import { CROSS_MARGIN, ORDER_TYPE, REDUCE_ONLY } from './stored-entries.ts'
import type { Holdings, StoredOrder, StoredPosition } from './stored-entries.ts'
import { drawExits } from './order-calls.ts'
import type { Exit } from './order-calls.ts'

/** Plans are drawn once per position and order, and dropped when it is closed. Times are Unix seconds; infinity means never. */
export interface Plans {
  /** Draws plans for new positions and orders, and drops those of closed ones. */
  update(holdings: Holdings, nowSec: number): void
  closeAtSec(position: StoredPosition): number
  cancelAtSec(order: StoredOrder): number
  /** True once when idle cross margin is due for withdrawal. The next time is drawn when it is idle again. */
  takeDueWithdrawal(nowSec: number): boolean
  /** Removes and returns the next planned order that the position does not have yet. */
  takeNextExit(position: StoredPosition, orders: readonly StoredOrder[]): Exit | undefined
  /** Call after a close: later positions are held longer than the first. */
  onPositionClosed(): void
  forget(): void
}

/** A position that closes sooner gets no orders. */
const MIN_HOLD_FOR_EXITS_SEC = 10

/** The type of the attached order of an exit. A reduce-only order is not attached to a position. */
const ATTACHED_TYPE: Readonly<Record<Exit, number | null>> = {
  stop_loss: ORDER_TYPE.stopLoss, take_profit: ORDER_TYPE.takeProfit, trailing_stop: ORDER_TYPE.trailingStop, reduce_only: null,
}

/** Builds the plans of a trader. Their number is bounded by its positions and orders. `crossStops`: the market attaches orders to cross positions too. */
export function createPlans(strategy: Strategy, random: Random, { crossStops }: { readonly crossStops: boolean }): Plans {
  const closing = new Map<bigint, number>()
  const cancelling = new Map<bigint, number>()
  const exits = new Map<bigint, Exit[]>()
  let withdrawing = Number.POSITIVE_INFINITY
  let isFirst = true

  function adjustPositions(positions: readonly StoredPosition[], nowSec: number): void {
    for (const { id, openedAtSec, marginMode } of positions) {
      if (closing.has(id)) continue
      const closingSec = openedAtSec + drawInteger(isFirst ? strategy.firstHoldSec : strategy.holdSec, random)
      closing.set(id, closingSec)
      const drawn = drawExits(strategy.orders, random)
      if (closingSec - nowSec < MIN_HOLD_FOR_EXITS_SEC) continue
      if (marginMode !== CROSS_MARGIN) exits.set(id, drawn)
      else if (crossStops) exits.set(id, drawn.filter((exit) => exit !== 'reduce_only'))
    }
  }

  return {
    update({ positions, orders, pool }, nowSec) {
      retainOnly(closing, positions)
      retainOnly(exits, positions)
      retainOnly(cancelling, orders)
      adjustPositions(positions, nowSec)
      for (const order of orders) {
        if (order.hasPosition || cancelling.has(order.id)) continue
        cancelling.set(order.id, order.createdAtSec + drawInteger(strategy.orders.maxWaitSec, random))
      }
      // A strategy without a stop-loss leaves no idle margin behind its cross positions.
      const isIdle = pool > 0n && (strategy.stopLoss === null || positions.every((position) => position.marginMode !== CROSS_MARGIN))
      if (!isIdle) withdrawing = Number.POSITIVE_INFINITY
      else if (withdrawing === Number.POSITIVE_INFINITY) withdrawing = nowSec + drawInteger(strategy.orders.maxWaitSec, random)
    },
    closeAtSec: (position) => closing.get(position.id) ?? Number.POSITIVE_INFINITY,
    cancelAtSec: (order) => cancelling.get(order.id) ?? Number.POSITIVE_INFINITY,
    takeDueWithdrawal(nowSec) {
      if (nowSec < withdrawing) return false
      withdrawing = Number.POSITIVE_INFINITY
      return true
    },
    takeNextExit(position, orders) {
      const planned = exits.get(position.id) ?? []
      for (let exit = planned.shift(); exit !== undefined; exit = planned.shift()) {
        if (!orders.some((order) => isExitOf(order, exit, position))) return exit
      }
      return undefined
    },
    onPositionClosed: () => void (isFirst = false),
    forget() {
      for (const plan of [closing, cancelling, exits]) plan.clear()
      withdrawing = Number.POSITIVE_INFINITY
      isFirst = true
    },
  }
}

/** True if an order opens a position when it executes. */
export function opensPosition(order: StoredOrder): boolean {
  return !order.hasPosition && (order.timeInForce & REDUCE_ONLY) === 0
}

function isExitOf(order: StoredOrder, exit: Exit, position: StoredPosition): boolean {
  if (order.hasPosition) return order.positionId === position.id && order.orderType === ATTACHED_TYPE[exit]
  return exit === 'reduce_only' && !opensPosition(order) && order.asset === position.asset
}

function retainOnly(plan: Map<bigint, unknown>, present: readonly { readonly id: bigint }[]): void {
  const ids = new Set(present.map(({ id }) => id))
  for (const id of plan.keys()) if (!ids.has(id)) plan.delete(id)
}
