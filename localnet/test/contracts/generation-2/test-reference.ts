// Test support: the market's calls in the reference implementation of generation 2. Each returns what the contract must return, or throws a
// RejectionError, after which the caller discards the state.

import {
  chargeFee, MARKET_ACCOUNT, min, pnlAt, positivePart, recordVolume, reject, rejectIf, transfer, UNIT,
} from '../generation-1/test-reference-state.ts'
import {
  assetOf, changeInterest, coverDebt, equityOf, freshPrice, fundingOf, lenientPrice, maintenanceOf, netOf, payBounty, payBuffer, payFee, payProfit,
  payProviders, type ReferencePosition, type ReferenceState, reserve, share, smoothedPrice, strictPrice,
} from './test-reference-state.ts'

export interface OpenTerms {
  readonly trader: string
  readonly asset: string
  readonly collateral: bigint
  readonly leverage: bigint
  readonly isLong: boolean
  readonly isCross: boolean
  readonly bound: bigint
}

const listOf = (state: ReferenceState, matches: (position: ReferencePosition) => boolean): ReferencePosition[] =>
  [...state.positions.values()].filter(matches)

const poolOf = (state: ReferenceState, trader: string): bigint => state.pools.get(trader) ?? 0n

function checkBound(price: bigint, bound: bigint, buys: boolean): void {
  rejectIf(bound < 0n, 5n)
  rejectIf(bound > 0n && (buys ? price > bound : price < bound), 87n)
}

/** Opens a position after closing opposite ones. Returns its id. */
export function open(state: ReferenceState, terms: OpenTerms): bigint {
  const { trader, asset, leverage, isLong, isCross } = terms
  rejectIf(assetOf(state, asset).isDeleveraging, 82n)
  rejectIf(terms.collateral < 10n * UNIT, 22n)
  rejectIf(leverage < 1n || leverage > 10n, 21n)
  const asked = terms.collateral * leverage
  rejectIf(asked > 100_000n * UNIT, 23n)
  const { size, collateral } = net(state, terms, asked)
  if (isCross) {
    const missing = positivePart(collateral - poolOf(state, trader))
    transfer(state, trader, MARKET_ACCOUNT, missing)
    state.pools.set(trader, poolOf(state, trader) + missing)
    requireMargin(state, trader, collateral)
  }
  reserve(state, asset, isLong, size)
  const price = strictPrice(state, asset)
  checkBound(price, terms.bound, isLong)
  const fee = chargeFee(state, trader, size, 'taker')
  rejectIf(collateral <= fee, 22n)
  if (isCross) state.pools.set(trader, poolOf(state, trader) - collateral)
  else transfer(state, trader, MARKET_ACCOUNT, collateral)
  const id = ++state.positionCount
  const distance = (price * (UNIT / leverage - share(UNIT, 200n))) / UNIT
  const position: ReferencePosition = {
    id, trader, asset, isLong, isCross, collateral: collateral - fee, leverage, size, entry: price,
    fundingAtOpen: assetOf(state, asset).funding?.index ?? 0n, liquidation: isCross ? 0n : price + (isLong ? -distance : distance),
  }
  state.positions.set(id, position)
  rejectIf(listOf(state, (other) => other.trader === trader).length > 32, 82n)
  changeInterest(state, position, size, price, 1n)
  payFee(state, fee)
  return id
}

function net(state: ReferenceState, terms: OpenTerms, asked: bigint): { size: bigint; collateral: bigint } {
  const opposite = listOf(state, ({ trader, asset, isLong, isCross }) =>
    trader === terms.trader && asset === terms.asset && isLong !== terms.isLong && isCross === terms.isCross)
  if (opposite.length === 0) return { size: asked, collateral: terms.collateral }
  const rest = asked - opposite.reduce((sum, { size }) => sum + size, 0n)
  rejectIf(opposite.length > 4 || rest <= 0n, 91n)
  const collateral = (terms.collateral * rest) / asked
  rejectIf(collateral < 10n * UNIT, 91n)
  const price = strictPrice(state, terms.asset)
  // Closing cross positions here does not count towards the volume.
  for (const position of opposite) closeAt(state, position, price, !terms.isCross)
  return { size: rest, collateral }
}

function requireMargin(state: ReferenceState, trader: string, amount: bigint): void {
  const legs = listOf(state, (position) => position.trader === trader && position.isCross)
  if (legs.length === 0) return
  const equity = legs.reduce((sum, leg) => sum + equityOf(state, leg, freshPrice(state, leg.asset)), poolOf(state, trader))
  const used = legs.reduce((sum, { size, leverage }) => sum + size / leverage, 0n)
  rejectIf(equity < used + amount, 77n)
}

/** Settles a net result against the money that backs it. Returns what is left of the money, and the loss that it did not cover. */
function settle(state: ReferenceState, asset: string, result: bigint, funds: bigint): { left: bigint; unpaid: bigint } {
  if (result > 0n) return { left: funds + payProfit(state, asset, result), unpaid: 0n }
  const loss = min(-result, funds)
  return { left: funds - loss, unpaid: -result - loss }
}

/** Closes a position in its own mode. Returns the price PnL. */
function closeAt(state: ReferenceState, position: ReferencePosition, price: bigint, counts: boolean): bigint {
  const { id, trader, asset, collateral, size, isCross } = position
  const result = netOf(state, position, price)
  const funds = collateral + (isCross ? poolOf(state, trader) : 0n)
  const { left, unpaid } = settle(state, asset, result, funds)
  coverDebt(state, unpaid)
  payProviders(state, positivePart(min(-result, funds)))
  if (isCross) state.pools.set(trader, left)
  else transfer(state, MARKET_ACCOUNT, trader, left)
  changeInterest(state, position, size, price, -1n)
  if (counts) recordVolume(state, trader, size)
  state.positions.delete(id)
  return pnlAt(position, price)
}

function requireOwn(state: ReferenceState, id: bigint, trader: string): ReferencePosition {
  const position = state.positions.get(id) ?? reject(20n)
  rejectIf(position.trader !== trader, 24n)
  return position
}

export function close(state: ReferenceState, trader: string, id: bigint, bound: bigint, asCross: boolean): bigint {
  const position = requireOwn(state, id, trader)
  rejectIf(asCross && !position.isCross, 5n)
  const price = lenientPrice(state, position.asset)
  checkBound(price, bound, !position.isLong)
  return closeAt(state, position, price, true)
}

export function closePart(state: ReferenceState, trader: string, id: bigint, size: bigint): bigint {
  const position = requireOwn(state, id, trader)
  rejectIf(position.isCross, 5n)
  rejectIf(size <= 0n, 41n)
  rejectIf(size > position.size, 5n)
  const price = lenientPrice(state, position.asset)
  if (size === position.size) return closeAt(state, position, price, true)
  const collateral = (position.collateral * size) / position.size
  rejectIf(position.collateral - collateral < 10n * UNIT, 27n)
  const part = { ...position, size, collateral }
  const result = netOf(state, part, price)
  const { left, unpaid } = settle(state, position.asset, result, collateral)
  coverDebt(state, unpaid)
  payProviders(state, positivePart(min(-result, collateral)))
  transfer(state, MARKET_ACCOUNT, trader, left)
  changeInterest(state, position, size, price, -1n)
  recordVolume(state, trader, size)
  state.positions.set(id, { ...position, size: position.size - size, collateral: position.collateral - collateral })
  return pnlAt(part, price)
}

export function changeCollateral(state: ReferenceState, trader: string, id: bigint, amount: bigint, removes: boolean): bigint {
  const position = requireOwn(state, id, trader)
  rejectIf(position.isCross, 5n)
  rejectIf(amount <= 0n || (removes && amount >= position.collateral), 41n)
  const changed = { ...position, collateral: position.collateral + (removes ? -amount : amount) }
  if (removes) {
    rejectIf(changed.collateral < changed.size / 10n, 25n)
    rejectIf(equityOf(state, changed, strictPrice(state, position.asset)) <= maintenanceOf(changed), 25n)
    transfer(state, MARKET_ACCOUNT, trader, amount)
  } else {
    transfer(state, trader, MARKET_ACCOUNT, amount)
  }
  state.positions.set(id, { ...changed, liquidation: liquidationOf(changed) })
  return 0n
}

function liquidationOf({ collateral, size, entry, isLong }: ReferencePosition): bigint {
  const distance = (entry * ((collateral * UNIT) / size - share(UNIT, 200n))) / UNIT
  return positivePart(isLong ? entry - distance : entry + distance)
}

export function movePool(state: ReferenceState, trader: string, amount: bigint, withdraws: boolean): bigint {
  rejectIf(amount <= 0n, 41n)
  if (withdraws) {
    rejectIf(amount > poolOf(state, trader), 76n)
    requireMargin(state, trader, amount)
    transfer(state, MARKET_ACCOUNT, trader, amount)
  } else {
    transfer(state, trader, MARKET_ACCOUNT, amount)
  }
  state.pools.set(trader, poolOf(state, trader) + (withdraws ? -amount : amount))
  return 0n
}

export function applyFunding(state: ReferenceState): bigint {
  let changes = 0
  for (const asset of state.assets.values()) {
    const { funding } = asset
    const elapsed = state.nowSec - (funding?.atSec ?? state.nowSec)
    if (funding !== null && elapsed < 3600n) continue
    changes++
    asset.skewSeconds += (asset.long.size - asset.short.size) * (state.nowSec - asset.skewAtSec)
    asset.skewAtSec = state.nowSec
    if (funding === null) {
      asset.funding = { index: 0n, rate: 0n, atSec: state.nowSec }
    } else {
      const velocity = (120n * UNIT * (asset.skewSeconds / elapsed)) / (200_000n * UNIT)
      const moved = funding.rate + (velocity * 3600n) / 86_400n / 10_000n
      const rate = moved > 5000n ? 5000n : moved < -5000n ? -5000n : moved
      asset.funding = { index: funding.index + rate, rate, atSec: state.nowSec }
    }
    asset.skewSeconds = 0n
  }
  rejectIf(changes === 0, 55n)
  return 0n
}

function isLiquidatable(state: ReferenceState, position: ReferencePosition, price: bigint): boolean {
  const isCrossed = position.isLong ? price <= position.liquidation : price >= position.liquidation
  return isCrossed || equityOf(state, position, price) < maintenanceOf(position)
}

export function liquidate(state: ReferenceState, keeper: string, id: bigint): bigint {
  const position = state.positions.get(id) ?? reject(20n)
  rejectIf(position.isCross, 50n)
  const price = lenientPrice(state, position.asset)
  rejectIf(!isLiquidatable(state, position, price), 50n)
  const { collateral, size, trader } = position
  const equity = equityOf(state, position, price)
  if (equity > 0n) {
    const lastSec = state.partialAtSec.get(id)
    rejectIf(lastSec !== undefined && state.nowSec < lastSec + 30n, 83n)
    const smoothed = smoothedPrice(state, position.asset)
    rejectIf(smoothed !== null && !isLiquidatable(state, position, smoothed), 86n)
    const reward = liquidateFifth(state, keeper, position, price, equity)
    if (reward !== null) return reward
  }
  let reward = 0n
  if (equity > 0n) {
    const penalty = min(share(size, 100n), equity)
    const refund = equity - penalty
    reward = penalty / 2n
    const toVault = collateral - reward - refund
    if (toVault > 0n) {
      payProviders(state, positivePart(toVault - (penalty - reward)))
      payBuffer(state, penalty - reward)
    }
    transfer(state, MARKET_ACCOUNT, keeper, reward)
    transfer(state, MARKET_ACCOUNT, trader, refund)
  } else {
    coverDebt(state, -equity)
    payProviders(state, collateral - share(collateral, 1000n))
    payBuffer(state, share(collateral, 1000n))
  }
  changeInterest(state, position, size, price, -1n)
  state.positions.delete(id)
  return payBounty(state, keeper, reward)
}

/** A round of a partial liquidation. Returns the reward, or null if the position is too small for one. */
function liquidateFifth(state: ReferenceState, keeper: string, position: ReferencePosition, price: bigint, equity: bigint): bigint | null {
  if (position.size <= 1000n * UNIT) return null
  const closed = share(position.size, 2000n)
  const debit = min(positivePart(share(-netOf(state, position, price), 2000n)), position.collateral)
  const penalty = positivePart(min(share(closed, 100n), share(equity, 2000n), position.collateral - debit))
  const rest = { ...position, size: position.size - closed, collateral: position.collateral - debit - penalty }
  if (rest.size <= 0n || rest.collateral <= 0n) return null
  const reward = penalty / 2n
  payProviders(state, debit)
  payBuffer(state, penalty - reward)
  transfer(state, MARKET_ACCOUNT, keeper, reward)
  changeInterest(state, position, closed, price, -1n)
  state.positions.set(position.id, { ...rest, liquidation: liquidationOf(rest) })
  state.partialAtSec.set(position.id, state.nowSec)
  return reward
}

interface CrossLeg {
  readonly position: ReferencePosition
  readonly price: bigint
}

/** The cross positions of a trader. Their prices are read twice: the first time a fresh price becomes the last good one. */
function crossLegs(state: ReferenceState, trader: string): readonly CrossLeg[] {
  const positions = listOf(state, (position) => position.trader === trader && position.isCross)
  for (const { asset } of positions) lenientPrice(state, asset)
  return positions.map((position) => ({ position, price: lenientPrice(state, position.asset) }))
}

const sumOf = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n)
const equityAt = (state: ReferenceState, legs: readonly CrossLeg[]): bigint =>
  sumOf(legs.map(({ position, price }) => equityOf(state, position, price)))
const maintenanceAt = (legs: readonly CrossLeg[]): bigint => sumOf(legs.map(({ position }) => maintenanceOf(position)))

export function liquidateCross(state: ReferenceState, keeper: string, trader: string): bigint {
  const legs = crossLegs(state, trader)
  const pool = poolOf(state, trader)
  const [equity, maintenance] = [pool + equityAt(state, legs), maintenanceAt(legs)]
  rejectIf(equity >= maintenance, 78n)
  const smoothed = legs.map(({ position, price }) => ({ position, price: smoothedPrice(state, position.asset) ?? price }))
  rejectIf(equity > 0n && pool + equityAt(state, smoothed) >= maintenance, 86n)
  const isStaged = equity > 0n && equity >= share(maintenance, 6667n)
  const lastSec = state.stagedAtSec.get(trader)
  rejectIf(isStaged && lastSec !== undefined && state.nowSec < lastSec + 30n, 83n)
  const { balance, debt, reward } = closeLegs(state, keeper, legs, { pool, isBankrupt: equity <= 0n, isStaged })
  coverDebt(state, debt)
  const left = equity <= 0n ? 0n : positivePart(balance)
  state.pools.set(trader, left)
  // What the losses did not take stays in the market and belongs to nobody.
  state.stranded += balance + debt - left
  if (listOf(state, (position) => position.trader === trader && position.isCross).length > 0) state.stagedAtSec.set(trader, state.nowSec)
  else state.stagedAtSec.delete(trader)
  return payBounty(state, keeper, reward)
}

interface Account {
  readonly pool: bigint
  readonly isBankrupt: boolean
  readonly isStaged: boolean
}

/** Closes legs, the worst first. A loss can only take the pool and the collateral of the legs closed so far. */
function closeLegs(
  state: ReferenceState, keeper: string, legs: readonly CrossLeg[], { pool, isBankrupt, isStaged }: Account,
): { balance: bigint; debt: bigint; reward: bigint } {
  const queue = legs.map((leg) => ({ ...leg, pnl: pnlAt(leg.position, leg.price) }))
    .sort((a, b) => Number(a.pnl - b.pnl) || Number(b.position.size - a.position.size))
  let [balance, takeable, debt, reward] = [pool, pool, 0n, 0n]
  for (const [index, { position, price }] of queue.entries()) {
    const rest = queue.slice(index + 1)
    const result = netOf(state, position, price)
    takeable += position.collateral
    const taken = min(positivePart(-result), takeable)
    balance += position.collateral + (result > 0n ? payProfit(state, position.asset, result) : result)
    payProviders(state, taken)
    debt += positivePart(-result) - taken
    const penalty = isBankrupt ? 0n : min(share(position.size, 100n), positivePart(balance))
    transfer(state, MARKET_ACCOUNT, keeper, penalty / 2n)
    payBuffer(state, penalty - penalty / 2n)
    changeInterest(state, position, position.size, price, -1n)
    state.positions.delete(position.id)
    takeable -= taken + penalty
    balance -= penalty
    reward += penalty / 2n
    if (isStaged && balance + equityAt(state, rest) >= share(maintenanceAt(rest), 15_000n)) break
  }
  return { balance, debt, reward }
}

/** Returns 1 if the asset is being deleveraged after the check, else 0. */
export function checkAdl(state: ReferenceState, symbol: string): bigint {
  const price = lenientPrice(state, symbol)
  const asset = assetOf(state, symbol)
  const payable = positivePart((price * asset.long.units) / UNIT - asset.long.size) + positivePart(asset.short.size - (price * asset.short.units) / UNIT)
  const coverage = (state.vault.buffer + state.vault.totalUsdc) * 10_000n
  if (!asset.isDeleveraging) asset.isDeleveraging = payable > 0n && coverage < payable * 12_500n
  else if (payable === 0n || coverage >= payable * 15_000n) asset.isDeleveraging = false
  return asset.isDeleveraging ? 1n : 0n
}

export function adlClose(state: ReferenceState, id: bigint): bigint {
  const position = state.positions.get(id) ?? reject(20n)
  rejectIf(!assetOf(state, position.asset).isDeleveraging, 84n)
  const price = lenientPrice(state, position.asset)
  rejectIf(pnlAt(position, price) - fundingOf(state, position) <= 0n, 85n)
  return closeAt(state, position, price, !position.isCross)
}
