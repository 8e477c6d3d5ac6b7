// Test support: orders in the reference implementation.

import {
  attachedOrders, checkCapacity, chargeFee, MARKET_ACCOUNT, readPrice, type ReferenceOrder, type ReferencePosition, type ReferenceState, reject,
  rejectIf, transfer,
} from './test-reference-state.ts'
import { bookPosition, checkTerms, type OpenTerms, requireOwnPosition, settlePosition } from './test-reference-market.ts'

const IOC = 1
const POST_ONLY = 2
const REDUCE_ONLY = 0x100

type NewOrder = Omit<ReferenceOrder, 'id' | 'status' | 'peak' | 'isArmed'>

function storeOrder(state: ReferenceState, terms: NewOrder, status: ReferenceOrder['status'] = 'pending', peak = 0n): bigint {
  const id = BigInt(state.orders.size) + 1n
  state.orders.set(id, { ...terms, id, status, peak, isArmed: false })
  return id
}

const isEntryOrder = ({ kind }: NewOrder): boolean => kind === 'limit' || kind === 'stop-limit'
const isTriggered = (above: boolean, price: bigint, level: bigint): boolean => (above ? price >= level : price <= level)

/** A trader's terms of an entry order. */
export type EntryTerms = OpenTerms & Pick<ReferenceOrder, 'trigger' | 'limit' | 'above' | 'slippageBps' | 'timeInForce'>

/** Checks of limit and stop-limit orders: collateral, leverage, trigger, slippage, time in force, size. */
function checkEntryTerms(terms: EntryTerms, isStopLimit: boolean): void {
  checkTerms(terms, () => {
    rejectIf(terms.trigger <= 0n || (isStopLimit && terms.limit <= 0n), 65n)
    rejectIf(terms.slippageBps === 0n || terms.slippageBps > 10_000n, 66n)
    rejectIf((terms.timeInForce & 0xff) > POST_ONLY, 5n)
  })
}

export function placeLimit(state: ReferenceState, terms: EntryTerms): bigint {
  checkEntryTerms(terms, false)
  const mode = terms.timeInForce & 0xff
  const isTriggeredNow = (): boolean => isTriggered(terms.above, readPrice(state, terms.asset, true), terms.trigger)
  if (mode === POST_ONLY) rejectIf(isTriggeredNow(), 70n)
  transfer(state, terms.trader, MARKET_ACCOUNT, terms.collateral)
  const order: NewOrder = { ...terms, kind: 'limit', limit: 0n, percentBps: 0n, positionId: 0n }
  if (mode !== IOC || isTriggeredNow()) return storeOrder(state, order)
  transfer(state, MARKET_ACCOUNT, terms.trader, terms.collateral)
  return storeOrder(state, order, 'cancelled')
}

export function placeStopLimit(state: ReferenceState, terms: EntryTerms): bigint {
  checkEntryTerms(terms, true)
  transfer(state, terms.trader, MARKET_ACCOUNT, terms.collateral)
  return storeOrder(state, { ...terms, kind: 'stop-limit', percentBps: 0n, positionId: 0n })
}

/** A trader's terms of an order attached to a position. */
export interface AttachTerms {
  readonly trader: string
  readonly positionId: bigint
  readonly kind: 'stop-loss' | 'take-profit' | 'trailing'
  readonly trigger: bigint
  readonly limit: bigint
  readonly percentBps: bigint
  readonly slippageBps: bigint
}

export function attachOrder(state: ReferenceState, terms: AttachTerms): bigint {
  const { kind, trigger, limit } = terms
  if (kind === 'trailing') rejectIf(terms.percentBps === 0n || terms.percentBps > 5_000n, 69n)
  rejectIf(terms.slippageBps === 0n || terms.slippageBps > 10_000n, 66n)
  const position = requireOwnPosition(state, terms.positionId, terms.trader)
  rejectIf(position.isCross, 80n)
  rejectIf(attachedOrders(state, position.id).some((order) => order.kind === kind), 67n)
  const above = position.isLong === (kind === 'take-profit')
  const order: NewOrder = {
    ...terms, asset: position.asset, isLong: position.isLong, collateral: 0n, leverage: position.leverage, above, timeInForce: 0,
  }
  if (kind === 'trailing') return storeOrder(state, order, 'pending', readPrice(state, position.asset, true))
  rejectIf(trigger <= 0n || trigger === position.entry || above !== trigger > position.entry, 65n)
  const [low, high] = position.entry < trigger ? [position.entry, trigger] : [trigger, position.entry]
  rejectIf(kind === 'take-profit' && limit > 0n && (limit < low || limit > high), 5n)
  return storeOrder(state, order)
}

export function cancelOrder(state: ReferenceState, trader: string, id: bigint): bigint {
  const order = state.orders.get(id) ?? reject(60n)
  rejectIf(order.trader !== trader, 64n)
  rejectIf(order.status !== 'pending', 61n)
  finishOrder(state, order, 'cancelled')
  return 0n
}

/** Sets the final status and returns an entry order's collateral. */
function finishOrder(state: ReferenceState, order: ReferenceOrder, status: ReferenceOrder['status']): void {
  if (isEntryOrder(order)) transfer(state, MARKET_ACCOUNT, order.trader, order.collateral)
  order.status = status
}

/** Returns 1 if the peak moved. */
export function updateTrailingPeak(state: ReferenceState, id: bigint): bigint {
  const order = state.orders.get(id) ?? reject(60n)
  if (order.kind !== 'trailing' || order.status !== 'pending') return 0n
  const price = readPrice(state, order.asset, true)
  if (order.isLong ? price <= order.peak : price >= order.peak) return 0n
  order.peak = price
  return 1n
}

/** True if a keeper can execute the order at this price. */
export function isExecutable(order: ReferenceOrder, price: bigint): boolean {
  return order.status === 'pending' && isTriggered(order.above, price, referencePrice(order))
}

/** The price at which an order triggers and from which slippage is measured. */
export function referencePrice(order: ReferenceOrder): bigint {
  if (order.kind === 'stop-limit' && order.isArmed) return order.limit
  if (order.kind === 'take-profit' && order.limit > 0n) return order.limit
  if (order.kind !== 'trailing') return order.trigger
  const distance = (order.peak * order.percentBps) / 10_000n
  return order.isLong ? order.peak - distance : order.peak + distance
}

export function executeOrder(state: ReferenceState, keeper: string, id: bigint): bigint {
  const order = state.orders.get(id) ?? reject(60n)
  rejectIf(order.status !== 'pending', 61n)
  const isReduceOnly = isEntryOrder(order) && (order.timeInForce & REDUCE_ONLY) !== 0
  const price = readPrice(state, order.asset, isEntryOrder(order) && !isReduceOnly)
  const level = referencePrice(order)
  rejectIf(!isTriggered(order.above, price, level), 62n)
  const slippageBps = ((price > level ? price - level : level - price) * 10_000n) / level
  if (slippageBps > order.slippageBps) {
    finishOrder(state, order, 'cancelled for slippage')
    return 0n
  }
  if (order.kind === 'stop-limit' && !order.isArmed) {
    order.isArmed = true
    return 0n
  }
  if (isReduceOnly) return reducePosition(state, order, price, keeper)
  return isEntryOrder(order) ? fillEntryOrder(state, order, price, keeper) : closeByAttachedOrder(state, order, price, keeper)
}

const keeperFee = (size: bigint): bigint => 5_000_000n + (size * 5n) / 10_000n

function fillEntryOrder(state: ReferenceState, order: ReferenceOrder, price: bigint, keeper: string): bigint {
  const size = order.collateral * order.leverage
  checkCapacity(state, order.asset, order.isLong, size)
  const fee = chargeFee(state, order.trader, size, 'maker')
  const net = order.collateral - fee - keeperFee(size)
  rejectIf(net <= 0n, 22n)
  bookPosition(state, order, price, { net, fee }, false)
  transfer(state, MARKET_ACCOUNT, keeper, keeperFee(size))
  order.status = 'executed'
  return keeperFee(size)
}

function closeByAttachedOrder(state: ReferenceState, order: ReferenceOrder, price: bigint, keeper: string): bigint {
  const position = state.positions.get(order.positionId) ?? reject(20n)
  settlePosition(state, position, price, { keeper, fee: keeperFee(position.size), orderId: order.id })
  order.status = 'executed'
  return keeperFee(position.size)
}

/** Closes the largest opposite isolated position that is not larger than the order. The keeper's fee is that of the order's size. */
function reducePosition(state: ReferenceState, order: ReferenceOrder, price: bigint, keeper: string): bigint {
  const size = order.collateral * order.leverage
  const isCandidate = (position: ReferencePosition): boolean =>
    position.trader === order.trader &&
    position.asset === order.asset &&
    position.isLong !== order.isLong &&
    !position.isCross &&
    position.size <= size
  const [largest] = [...state.positions.values()].filter(isCandidate).sort((a, b) => Number(b.size - a.size))
  finishOrder(state, order, largest === undefined ? 'cancelled' : 'executed')
  if (largest === undefined) return 0n
  settlePosition(state, largest, price, { keeper, fee: keeperFee(size), orderId: order.id })
  return keeperFee(size)
}
