// Test support: what each call does to the reference books. Every function answers what the contract should return, or throws a Refusal; who
// calls it drops all that a refused call did.

import {
  atLeastZero, type BookPosition, type Books, cancelAttached, checkCapacity, count, fee, fundingOf, least, maintenanceOf, mark, MARKET_CASH,
  openInterest, pay, payProfit, payVault, pnlAt, priceOf, refuse, refuseWhen, UNIT,
} from './test-reference-books.ts'

export interface OpenTerms {
  readonly trader: string
  readonly asset: string
  readonly collateral: bigint
  readonly leverage: bigint
  readonly isLong: boolean
}

/** 22, 21, then (after what an order checks in between) 23. Returns the size. */
export function checkTerms({ collateral, leverage }: OpenTerms, between: () => void = () => {}): bigint {
  refuseWhen(collateral < 10n * UNIT, 22n)
  refuseWhen(leverage < 1n || leverage > 10n, 21n)
  between()
  refuseWhen(collateral * leverage > 100_000n * UNIT, 23n)
  return collateral * leverage
}

/** Enters a position whose collateral the market holds, and pays its fee. Returns its id. */
export function enter(books: Books, terms: OpenTerms, price: bigint, paid: { net: bigint; fee: bigint }, isCross: boolean): bigint {
  const { trader, asset, leverage, isLong } = terms
  const id = ++books.positionsOpened
  const distance = (price * (UNIT / leverage - (100n * UNIT) / 10_000n)) / UNIT
  const liquidation = isCross ? 0n : price + (isLong ? -distance : distance)
  books.positions.set(id, {
    id, trader, asset, isLong, isCross, collateral: paid.net, leverage, size: terms.collateral * leverage, entry: price,
    fundingAtOpen: books.fundingSum, liquidation,
  })
  mark(books, asset, price)
  payVault(books, paid.fee)
  return id
}

/** A trader's isolated position. */
export function open(books: Books, terms: OpenTerms): bigint {
  const size = checkTerms(terms)
  checkCapacity(books, terms.asset, terms.isLong, size)
  const price = priceOf(books, terms.asset, true)
  const taken = fee(books, terms.trader, size, 'taker')
  refuseWhen(terms.collateral <= taken, 22n)
  pay(books, terms.trader, MARKET_CASH, terms.collateral)
  return enter(books, terms, price, { net: terms.collateral - taken, fee: taken }, false)
}

function find(books: Books, id: bigint): BookPosition {
  return books.positions.get(id) ?? refuse(20n)
}

/** 20, 24. */
export function findOwn(books: Books, id: bigint, trader: string): BookPosition {
  const position = find(books, id)
  refuseWhen(position.trader !== trader, 24n)
  return position
}

export function close(books: Books, trader: string, id: bigint): bigint {
  const position = findOwn(books, id, trader)
  // Whether the deployed contract refuses here is not known; the local one does.
  refuseWhen(position.isCross, 5n)
  return settle(books, position, priceOf(books, position.asset, false), null)
}

/** Ends an isolated position at this price: loss, then funding, then the keeper, each as far as the collateral goes. Returns the PnL. */
export function settle(books: Books, position: BookPosition, price: bigint, by: { keeper: string; fee: bigint; orderId: bigint } | null): bigint {
  const pnl = pnlAt(position, price)
  const funding = fundingOf(books, position)
  const profit = payProfit(books, pnl)
  const loss = least(atLeastZero(-pnl), position.collateral)
  const fundingPaid = least(atLeastZero(funding), position.collateral - loss)
  const keeperPaid = least(by?.fee ?? 0n, position.collateral - loss - fundingPaid)
  payVault(books, loss + fundingPaid)
  if (by !== null) pay(books, MARKET_CASH, by.keeper, keeperPaid)
  const received = atLeastZero(-funding)
  books.exceptions.fundingPaidFromPooledCollateral += received
  pay(books, MARKET_CASH, position.trader, position.collateral - loss - fundingPaid - keeperPaid + profit + received)
  count(books, position.trader, position.size)
  leave(books, position, price, by?.orderId)
  return pnl
}

/** Takes a position out of the books; what hangs on it ends, except the order that closes it. */
function leave(books: Books, position: BookPosition, price: bigint, exceptOrder?: bigint): void {
  books.positions.delete(position.id)
  mark(books, position.asset, price)
  cancelAttached(books, position.id, exceptOrder)
}

export function liquidate(books: Books, keeper: string, id: bigint): bigint {
  const position = find(books, id)
  refuseWhen(position.isCross, 50n)
  const price = priceOf(books, position.asset, false)
  const remaining = position.collateral + pnlAt(position, price) - fundingOf(books, position)
  const isCrossed = position.isLong ? price <= position.liquidation : price >= position.liquidation
  refuseWhen(!isCrossed && remaining >= maintenanceOf(position), 50n)
  let reward = (atLeastZero(remaining) * 500n) / 10_000n
  if (reward > position.collateral) reward = position.collateral / 10n
  payVault(books, position.collateral - reward)
  pay(books, MARKET_CASH, keeper, reward)
  leave(books, position, price)
  return reward
}

export function applyFunding(books: Books): bigint {
  const elapsed = books.nowSec - books.fundedAtSec
  refuseWhen(elapsed < 3_600n, 55n)
  const [long, short] = [openInterest(books, true), openInterest(books, false)]
  let rate = 0n
  if (long > short) rate = ((long - short) * UNIT) / (long * 10_000n)
  if (short > long) rate = -(((short - long) * UNIT) / (short * 10_000n))
  books.fundingSum += rate * (elapsed / 3_600n)
  books.fundedAtSec = books.nowSec
  return 0n
}

const poolOf = (books: Books, trader: string): bigint => books.pools.get(trader) ?? 0n

function crossLegs(books: Books, trader: string): BookPosition[] {
  return [...books.positions.values()].filter((position) => position.isCross && position.trader === trader)
}

interface Account {
  readonly legs: readonly { readonly position: BookPosition; readonly price: bigint; readonly pnl: bigint; readonly funding: bigint }[]
  readonly equity: bigint
  readonly maintenance: bigint
}

/** What a cross account comes to at the prices of the moment, which it reads leniently. */
export function account(books: Books, trader: string): Account {
  const legs = crossLegs(books, trader).map((position) => {
    const price = priceOf(books, position.asset, false)
    return { position, price, pnl: pnlAt(position, price), funding: fundingOf(books, position) }
  })
  const equity = legs.reduce((sum, { position, pnl, funding }) => sum + position.collateral + pnl - funding, poolOf(books, trader))
  return { legs, equity, maintenance: legs.reduce((sum, { position }) => sum + maintenanceOf(position), 0n) }
}

export function depositCross(books: Books, trader: string, amount: bigint): bigint {
  refuseWhen(amount <= 0n, 41n)
  pay(books, trader, MARKET_CASH, amount)
  books.pools.set(trader, poolOf(books, trader) + amount)
  return 0n
}

export function withdrawCross(books: Books, trader: string, amount: bigint): bigint {
  refuseWhen(amount <= 0n, 41n)
  refuseWhen(amount > poolOf(books, trader), 76n)
  const { legs, equity, maintenance } = account(books, trader)
  refuseWhen(legs.length > 0 && equity - amount <= maintenance, 77n)
  books.pools.set(trader, poolOf(books, trader) - amount)
  pay(books, MARKET_CASH, trader, amount)
  return 0n
}

export function openCross(books: Books, terms: OpenTerms): bigint {
  const { trader, collateral } = terms
  const size = checkTerms(terms)
  const missing = atLeastZero(collateral - poolOf(books, trader))
  pay(books, trader, MARKET_CASH, missing)
  books.pools.set(trader, poolOf(books, trader) + missing)
  const { legs, equity, maintenance } = account(books, trader)
  refuseWhen(legs.length > 0 && equity < maintenance + collateral, 77n)
  checkCapacity(books, terms.asset, terms.isLong, size)
  const price = priceOf(books, terms.asset, true)
  const taken = fee(books, trader, size, 'taker')
  refuseWhen(collateral <= taken, 22n)
  books.pools.set(trader, poolOf(books, trader) - collateral)
  return enter(books, terms, price, { net: collateral - taken, fee: taken }, true)
}

export function closeCross(books: Books, trader: string, id: bigint): bigint {
  const position = findOwn(books, id, trader)
  refuseWhen(!position.isCross, 5n)
  const price = priceOf(books, position.asset, false)
  const pnl = pnlAt(position, price)
  const funding = fundingOf(books, position)
  const profit = payProfit(books, pnl)
  const owed = atLeastZero(-pnl) + atLeastZero(funding)
  const taken = least(owed, books.cash.get(MARKET_CASH) ?? 0n)
  payVault(books, taken)
  const credit = position.collateral + (pnl > 0n ? profit : pnl) - funding
  if (credit > 0n) books.pools.set(trader, poolOf(books, trader) + credit)
  books.exceptions.fundingPaidFromPooledCollateral += atLeastZero(-funding)
  books.exceptions.crossLossTakenFromOthers += atLeastZero(-credit)
  books.exceptions.crossLossNeverPaid += owed - taken
  count(books, trader, position.size)
  leave(books, position, price)
  return pnl
}

export function liquidateCross(books: Books, keeper: string, trader: string): bigint {
  const { legs, equity, maintenance } = account(books, trader)
  refuseWhen(equity >= maintenance, 78n)
  const pool = poolOf(books, trader)
  const held = (): bigint => books.cash.get(MARKET_CASH) ?? 0n
  const before = held()
  let owed = 0n
  for (const { position, price, pnl, funding } of legs) {
    payProfit(books, pnl)
    leave(books, position, price)
    owed += atLeastZero(-pnl) + atLeastZero(funding)
  }
  payVault(books, least(owed, held()))
  const reward = equity > 0n ? least((equity * 500n) / 10_000n, pool / 10n, held()) : 0n
  pay(books, MARKET_CASH, keeper, reward)
  payVault(books, least(equity - reward, pool - reward, held()))
  books.pools.set(trader, 0n)
  const released = legs.reduce((sum, { position }) => sum + position.collateral, pool)
  books.exceptions.crossLiquidationUnassigned += released - (before - held())
  return reward
}
