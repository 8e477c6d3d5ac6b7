// What a trader intends to do with what it has: when to close a position, which orders it is to get, when to give up an order or take back idle margin.

import type { Random } from '../../src/base/random.ts'
import { drawInteger } from './strategies.ts'
import type { Strategy } from './strategies.ts'
import { CROSS_MARGIN, ORDER_TYPE, REDUCE_ONLY } from './stored-entries.ts'
import type { Holdings, StoredOrder, StoredPosition } from './stored-entries.ts'
import { drawExits } from './order-calls.ts'
import type { Exit } from './order-calls.ts'

/** Plans are drawn once for what is new, and dropped with what is gone. Times are Unix seconds, infinite for never. */
export interface Plans {
  /** Takes note of what the trader has now. */
  update(holdings: Holdings, nowSec: number): void
  closeAtSec(position: StoredPosition): number
  cancelAtSec(order: StoredOrder): number
  /** True once when it is time for idle cross margin to go back to the wallet; the next time is drawn when it is found idle again. */
  takeDueWithdrawal(nowSec: number): boolean
  /** Takes the next order that the position is to get, and does not have yet. */
  takeNextExit(position: StoredPosition, orders: readonly StoredOrder[]): Exit | undefined
  /** The first close is over: what comes later is held for longer. */
  onPositionClosed(): void
  forget(): void
}

/** A position that is closed sooner gets no orders. */
const MIN_HOLD_FOR_EXITS_SEC = 10

/** The type of the order that an exit attaches to its position; a reduce-only order is attached to none. */
const ATTACHED_TYPE: Readonly<Record<Exit, number | null>> = {
  stop_loss: ORDER_TYPE.stopLoss, take_profit: ORDER_TYPE.takeProfit, trailing_stop: ORDER_TYPE.trailingStop, reduce_only: null,
}

/** Builds plans by a habit. There are no more of them than the trader has positions and orders. */
export function createPlans(habit: Strategy, random: Random): Plans {
  const closing = new Map<bigint, number>()
  const cancelling = new Map<bigint, number>()
  const exits = new Map<bigint, Exit[]>()
  let withdrawing = Number.POSITIVE_INFINITY
  let isFirst = true

  function adjustPositions(positions: readonly StoredPosition[], nowSec: number): void {
    for (const { id, openedAtSec, marginMode } of positions) {
      if (closing.has(id)) continue
      const closingSec = openedAtSec + drawInteger(isFirst ? habit.firstHoldSec : habit.holdSec, random)
      closing.set(id, closingSec)
      const drawn = drawExits(habit.orders, random)
      // The market attaches nothing to a cross position.
      if (marginMode !== CROSS_MARGIN && closingSec - nowSec >= MIN_HOLD_FOR_EXITS_SEC) exits.set(id, drawn)
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
        cancelling.set(order.id, order.createdAtSec + drawInteger(habit.orders.maxWaitSec, random))
      }
      // Who never cuts a loss leaves nothing behind a position either.
      const isIdle = pool > 0n && (habit.stopLoss === null || positions.every((position) => position.marginMode !== CROSS_MARGIN))
      if (!isIdle) withdrawing = Number.POSITIVE_INFINITY
      else if (withdrawing === Number.POSITIVE_INFINITY) withdrawing = nowSec + drawInteger(habit.orders.maxWaitSec, random)
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

/** Whether an order, once it executes, opens a position. */
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
