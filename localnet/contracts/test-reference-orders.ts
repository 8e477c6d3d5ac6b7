// Test support: orders in the reference books.

import {
  attachedTo, type BookOrder, type BookPosition, type Books, checkCapacity, fee, MARKET_CASH, pay, priceOf, refuse, refuseWhen,
} from './test-reference-books.ts'
import { checkTerms, enter, findOwn, type OpenTerms, settle } from './test-reference-market.ts'

const IOC = 1
const POST_ONLY = 2
const REDUCE_ONLY = 0x100

type Waiting = Omit<BookOrder, 'id' | 'status' | 'peak' | 'isArmed'>

function store(books: Books, terms: Waiting, status: BookOrder['status'] = 'pending', peak = 0n): bigint {
  const id = BigInt(books.orders.size) + 1n
  books.orders.set(id, { ...terms, id, status, peak, isArmed: false })
  return id
}

const holdsCollateral = ({ kind }: Waiting): boolean => kind === 'limit' || kind === 'stop-limit'
const isMet = (above: boolean, price: bigint, level: bigint): boolean => (above ? price >= level : price <= level)

/** What a trader says of an order that opens. */
export type EntryTerms = OpenTerms & Pick<BookOrder, 'trigger' | 'limit' | 'above' | 'slippageBps' | 'timeInForce'>

/** Limit and stop-limit alike: collateral, leverage, trigger, slippage, time in force, size. */
function checkEntry(terms: EntryTerms, isStopLimit: boolean): void {
  checkTerms(terms, () => {
    refuseWhen(terms.trigger <= 0n || (isStopLimit && terms.limit <= 0n), 65n)
    refuseWhen(terms.slippageBps === 0n || terms.slippageBps > 10_000n, 66n)
    refuseWhen((terms.timeInForce & 0xff) > POST_ONLY, 5n)
  })
}

export function placeLimit(books: Books, terms: EntryTerms): bigint {
  checkEntry(terms, false)
  const mode = terms.timeInForce & 0xff
  const isMetNow = (): boolean => isMet(terms.above, priceOf(books, terms.asset, true), terms.trigger)
  if (mode === POST_ONLY) refuseWhen(isMetNow(), 70n)
  pay(books, terms.trader, MARKET_CASH, terms.collateral)
  const order: Waiting = { ...terms, kind: 'limit', limit: 0n, percentBps: 0n, positionId: 0n }
  if (mode !== IOC || isMetNow()) return store(books, order)
  pay(books, MARKET_CASH, terms.trader, terms.collateral)
  return store(books, order, 'cancelled')
}

export function placeStopLimit(books: Books, terms: EntryTerms): bigint {
  checkEntry(terms, true)
  pay(books, terms.trader, MARKET_CASH, terms.collateral)
  return store(books, { ...terms, kind: 'stop-limit', percentBps: 0n, positionId: 0n })
}

/** What a trader says of an order that hangs on a position. */
export interface AttachTerms {
  readonly trader: string
  readonly positionId: bigint
  readonly kind: 'stop-loss' | 'take-profit' | 'trailing'
  readonly trigger: bigint
  readonly limit: bigint
  readonly percentBps: bigint
  readonly slippageBps: bigint
}

export function attach(books: Books, terms: AttachTerms): bigint {
  const { kind, trigger, limit } = terms
  if (kind === 'trailing') refuseWhen(terms.percentBps === 0n || terms.percentBps > 5_000n, 69n)
  refuseWhen(terms.slippageBps === 0n || terms.slippageBps > 10_000n, 66n)
  const position = findOwn(books, terms.positionId, terms.trader)
  refuseWhen(position.isCross, 80n)
  refuseWhen(attachedTo(books, position.id).some((order) => order.kind === kind), 67n)
  const above = position.isLong === (kind === 'take-profit')
  const order: Waiting = {
    ...terms, asset: position.asset, isLong: position.isLong, collateral: 0n, leverage: position.leverage, above, timeInForce: 0,
  }
  if (kind === 'trailing') return store(books, order, 'pending', priceOf(books, position.asset, true))
  refuseWhen(trigger <= 0n || trigger === position.entry || above !== trigger > position.entry, 65n)
  const [low, high] = position.entry < trigger ? [position.entry, trigger] : [trigger, position.entry]
  refuseWhen(kind === 'take-profit' && limit > 0n && (limit < low || limit > high), 5n)
  return store(books, order)
}

export function cancel(books: Books, trader: string, id: bigint): bigint {
  const order = books.orders.get(id) ?? refuse(60n)
  refuseWhen(order.trader !== trader, 64n)
  refuseWhen(order.status !== 'pending', 61n)
  end(books, order, 'cancelled')
  return 0n
}

/** Ends an order unfilled. */
function end(books: Books, order: BookOrder, status: BookOrder['status']): void {
  if (holdsCollateral(order)) pay(books, MARKET_CASH, order.trader, order.collateral)
  order.status = status
}

/** 1 when the peak moved. */
export function movePeak(books: Books, id: bigint): bigint {
  const order = books.orders.get(id) ?? refuse(60n)
  if (order.kind !== 'trailing' || order.status !== 'pending') return 0n
  const price = priceOf(books, order.asset, true)
  if (order.isLong ? price <= order.peak : price >= order.peak) return 0n
  order.peak = price
  return 1n
}

/** Whether a keeper at this price could do something with the order. */
export function isReady(order: BookOrder, price: bigint): boolean {
  return order.status === 'pending' && isMet(order.above, price, levelOf(order))
}

/** The price that an order waits for and slips from. */
export function levelOf(order: BookOrder): bigint {
  if (order.kind === 'stop-limit' && order.isArmed) return order.limit
  if (order.kind === 'take-profit' && order.limit > 0n) return order.limit
  if (order.kind !== 'trailing') return order.trigger
  const gap = (order.peak * order.percentBps) / 10_000n
  return order.isLong ? order.peak - gap : order.peak + gap
}

export function execute(books: Books, keeper: string, id: bigint): bigint {
  const order = books.orders.get(id) ?? refuse(60n)
  refuseWhen(order.status !== 'pending', 61n)
  const reduces = holdsCollateral(order) && (order.timeInForce & REDUCE_ONLY) !== 0
  const price = priceOf(books, order.asset, holdsCollateral(order) && !reduces)
  const level = levelOf(order)
  refuseWhen(!isMet(order.above, price, level), 62n)
  const slipped = ((price > level ? price - level : level - price) * 10_000n) / level
  if (slipped > order.slippageBps) {
    end(books, order, 'cancelled for slippage')
    return 0n
  }
  if (order.kind === 'stop-limit' && !order.isArmed) {
    order.isArmed = true
    return 0n
  }
  if (reduces) return reduce(books, order, price, keeper)
  return holdsCollateral(order) ? fill(books, order, price, keeper) : closeBy(books, order, price, keeper)
}

const keeperFee = (size: bigint): bigint => 5_000_000n + (size * 5n) / 10_000n

function fill(books: Books, order: BookOrder, price: bigint, keeper: string): bigint {
  const size = order.collateral * order.leverage
  checkCapacity(books, order.asset, order.isLong, size)
  const maker = fee(books, order.trader, size, 'maker')
  const net = order.collateral - maker - keeperFee(size)
  refuseWhen(net <= 0n, 22n)
  enter(books, order, price, { net, fee: maker }, false)
  pay(books, MARKET_CASH, keeper, keeperFee(size))
  order.status = 'executed'
  return keeperFee(size)
}

function closeBy(books: Books, order: BookOrder, price: bigint, keeper: string): bigint {
  const position = books.positions.get(order.positionId) ?? refuse(20n)
  settle(books, position, price, { keeper, fee: keeperFee(position.size), orderId: order.id })
  order.status = 'executed'
  return keeperFee(position.size)
}

/** The largest opposite isolated position that fits is closed; the fee is that of the order's own size. */
function reduce(books: Books, order: BookOrder, price: bigint, keeper: string): bigint {
  const size = order.collateral * order.leverage
  const fits = (position: BookPosition): boolean =>
    position.trader === order.trader && position.asset === order.asset && position.isLong !== order.isLong && !position.isCross && position.size <= size
  const [largest] = [...books.positions.values()].filter(fits).sort((one, other) => Number(other.size - one.size))
  end(books, order, largest === undefined ? 'cancelled' : 'executed')
  if (largest === undefined) return 0n
  settle(books, largest, price, { keeper, fee: keeperFee(size), orderId: order.id })
  return keeperFee(size)
}
