// Test support: the market's calls in the reference implementation. Each function returns what the contract must return, or throws a
// RejectionError, after which the caller discards the state.

import {
  cancelAttached, checkCapacity, chargeFee, fundingOwed, maintenanceMargin, markAsset, MARKET_ACCOUNT, min, openInterest, payProfit, pnlAt,
  positivePart, readPrice, recordVolume, type ReferencePosition, type ReferenceState, reject, rejectIf, transfer, transferToVault, UNIT,
} from './test-reference-state.ts'

export interface OpenTerms {
  readonly trader: string
  readonly asset: string
  readonly collateral: bigint
  readonly leverage: bigint
  readonly isLong: boolean
}

/** Rejects with 22, 21 and, after the additional checks of an order, 23. Returns the size. */
export function checkTerms({ collateral, leverage }: OpenTerms, additionalChecks: () => void = () => {}): bigint {
  rejectIf(collateral < 10n * UNIT, 22n)
  rejectIf(leverage < 1n || leverage > 10n, 21n)
  additionalChecks()
  rejectIf(collateral * leverage > 100_000n * UNIT, 23n)
  return collateral * leverage
}

/** Adds a position whose collateral the market holds and pays its fee. Returns its id. */
export function bookPosition(state: ReferenceState, terms: OpenTerms, price: bigint, paid: { net: bigint; fee: bigint }, isCross: boolean): bigint {
  const { trader, asset, leverage, isLong } = terms
  const id = ++state.positionCount
  const distance = (price * (UNIT / leverage - (100n * UNIT) / 10_000n)) / UNIT
  const liquidation = isCross ? 0n : price + (isLong ? -distance : distance)
  state.positions.set(id, {
    id, trader, asset, isLong, isCross, collateral: paid.net, leverage, size: terms.collateral * leverage, entry: price,
    fundingAtOpen: state.cumulativeFunding, liquidation,
  })
  markAsset(state, asset, price)
  transferToVault(state, paid.fee)
  return id
}

/** Opens an isolated position. */
export function openPosition(state: ReferenceState, terms: OpenTerms): bigint {
  const size = checkTerms(terms)
  checkCapacity(state, terms.asset, terms.isLong, size)
  const price = readPrice(state, terms.asset, true)
  const fee = chargeFee(state, terms.trader, size, 'taker')
  rejectIf(terms.collateral <= fee, 22n)
  transfer(state, terms.trader, MARKET_ACCOUNT, terms.collateral)
  return bookPosition(state, terms, price, { net: terms.collateral - fee, fee }, false)
}

function requirePosition(state: ReferenceState, id: bigint): ReferencePosition {
  return state.positions.get(id) ?? reject(20n)
}

/** Rejects with 20 or 24. */
export function requireOwnPosition(state: ReferenceState, id: bigint, trader: string): ReferencePosition {
  const position = requirePosition(state, id)
  rejectIf(position.trader !== trader, 24n)
  return position
}

export function closePosition(state: ReferenceState, trader: string, id: bigint): bigint {
  const position = requireOwnPosition(state, id, trader)
  // The local contract rejects a cross position; the deployed contract may not.
  rejectIf(position.isCross, 5n)
  return settlePosition(state, position, readPrice(state, position.asset, false), null)
}

/** The execution of an order that closes a position. */
export interface OrderExecution {
  readonly keeper: string
  readonly fee: bigint
  readonly orderId: bigint
}

/** Closes an isolated position: pays loss, funding and keeper in this order, as far as the collateral lasts. Returns the PnL. */
export function settlePosition(state: ReferenceState, position: ReferencePosition, price: bigint, execution: OrderExecution | null): bigint {
  const pnl = pnlAt(position, price)
  const funding = fundingOwed(state, position)
  const profit = payProfit(state, pnl)
  const loss = min(positivePart(-pnl), position.collateral)
  const fundingPaid = min(positivePart(funding), position.collateral - loss)
  const keeperPaid = min(execution?.fee ?? 0n, position.collateral - loss - fundingPaid)
  transferToVault(state, loss + fundingPaid)
  if (execution !== null) transfer(state, MARKET_ACCOUNT, execution.keeper, keeperPaid)
  const fundingReceived = positivePart(-funding)
  state.discrepancies.fundingPaidFromPooledCollateral += fundingReceived
  transfer(state, MARKET_ACCOUNT, position.trader, position.collateral - loss - fundingPaid - keeperPaid + profit + fundingReceived)
  recordVolume(state, position.trader, position.size)
  removePosition(state, position, price, execution?.orderId)
  return pnl
}

/** Removes a position and cancels its attached orders, except the order that closes it. */
function removePosition(state: ReferenceState, position: ReferencePosition, price: bigint, exceptOrder?: bigint): void {
  state.positions.delete(position.id)
  markAsset(state, position.asset, price)
  cancelAttached(state, position.id, exceptOrder)
}

export function liquidate(state: ReferenceState, keeper: string, id: bigint): bigint {
  const position = requirePosition(state, id)
  rejectIf(position.isCross, 50n)
  const price = readPrice(state, position.asset, false)
  const equity = position.collateral + pnlAt(position, price) - fundingOwed(state, position)
  const isPriceReached = position.isLong ? price <= position.liquidation : price >= position.liquidation
  rejectIf(!isPriceReached && equity >= maintenanceMargin(position), 50n)
  let reward = (positivePart(equity) * 500n) / 10_000n
  if (reward > position.collateral) reward = position.collateral / 10n
  transferToVault(state, position.collateral - reward)
  transfer(state, MARKET_ACCOUNT, keeper, reward)
  removePosition(state, position, price)
  return reward
}

export function applyFunding(state: ReferenceState): bigint {
  const elapsed = state.nowSec - state.lastFundingSec
  rejectIf(elapsed < 3_600n, 55n)
  const [long, short] = [openInterest(state, true), openInterest(state, false)]
  let rate = 0n
  if (long > short) rate = ((long - short) * UNIT) / (long * 10_000n)
  if (short > long) rate = -(((short - long) * UNIT) / (short * 10_000n))
  state.cumulativeFunding += rate * (elapsed / 3_600n)
  state.lastFundingSec = state.nowSec
  return 0n
}

const poolOf = (state: ReferenceState, trader: string): bigint => state.pools.get(trader) ?? 0n

function crossPositions(state: ReferenceState, trader: string): ReferencePosition[] {
  return [...state.positions.values()].filter((position) => position.isCross && position.trader === trader)
}

interface CrossAccount {
  readonly legs: readonly { readonly position: ReferencePosition; readonly price: bigint; readonly pnl: bigint; readonly funding: bigint }[]
  readonly equity: bigint
  readonly maintenance: bigint
}

/** The cross account at the current prices, read leniently. */
export function readCrossAccount(state: ReferenceState, trader: string): CrossAccount {
  const legs = crossPositions(state, trader).map((position) => {
    const price = readPrice(state, position.asset, false)
    return { position, price, pnl: pnlAt(position, price), funding: fundingOwed(state, position) }
  })
  const equity = legs.reduce((sum, { position, pnl, funding }) => sum + position.collateral + pnl - funding, poolOf(state, trader))
  return { legs, equity, maintenance: legs.reduce((sum, { position }) => sum + maintenanceMargin(position), 0n) }
}

export function depositCross(state: ReferenceState, trader: string, amount: bigint): bigint {
  rejectIf(amount <= 0n, 41n)
  transfer(state, trader, MARKET_ACCOUNT, amount)
  state.pools.set(trader, poolOf(state, trader) + amount)
  return 0n
}

export function withdrawCross(state: ReferenceState, trader: string, amount: bigint): bigint {
  rejectIf(amount <= 0n, 41n)
  rejectIf(amount > poolOf(state, trader), 76n)
  const { legs, equity, maintenance } = readCrossAccount(state, trader)
  rejectIf(legs.length > 0 && equity - amount <= maintenance, 77n)
  state.pools.set(trader, poolOf(state, trader) - amount)
  transfer(state, MARKET_ACCOUNT, trader, amount)
  return 0n
}

export function openCross(state: ReferenceState, terms: OpenTerms): bigint {
  const { trader, collateral } = terms
  const size = checkTerms(terms)
  const missing = positivePart(collateral - poolOf(state, trader))
  transfer(state, trader, MARKET_ACCOUNT, missing)
  state.pools.set(trader, poolOf(state, trader) + missing)
  const { legs, equity, maintenance } = readCrossAccount(state, trader)
  rejectIf(legs.length > 0 && equity < maintenance + collateral, 77n)
  checkCapacity(state, terms.asset, terms.isLong, size)
  const price = readPrice(state, terms.asset, true)
  const fee = chargeFee(state, trader, size, 'taker')
  rejectIf(collateral <= fee, 22n)
  state.pools.set(trader, poolOf(state, trader) - collateral)
  return bookPosition(state, terms, price, { net: collateral - fee, fee }, true)
}

export function closeCross(state: ReferenceState, trader: string, id: bigint): bigint {
  const position = requireOwnPosition(state, id, trader)
  rejectIf(!position.isCross, 5n)
  const price = readPrice(state, position.asset, false)
  const pnl = pnlAt(position, price)
  const funding = fundingOwed(state, position)
  const profit = payProfit(state, pnl)
  const owed = positivePart(-pnl) + positivePart(funding)
  const paid = min(owed, state.usdcBalances.get(MARKET_ACCOUNT) ?? 0n)
  transferToVault(state, paid)
  const credit = position.collateral + (pnl > 0n ? profit : pnl) - funding
  if (credit > 0n) state.pools.set(trader, poolOf(state, trader) + credit)
  state.discrepancies.fundingPaidFromPooledCollateral += positivePart(-funding)
  state.discrepancies.crossLossTakenFromOthers += positivePart(-credit)
  state.discrepancies.crossLossNeverPaid += owed - paid
  recordVolume(state, trader, position.size)
  removePosition(state, position, price)
  return pnl
}

export function liquidateCross(state: ReferenceState, keeper: string, trader: string): bigint {
  const { legs, equity, maintenance } = readCrossAccount(state, trader)
  rejectIf(equity >= maintenance, 78n)
  const pool = poolOf(state, trader)
  const marketBalance = (): bigint => state.usdcBalances.get(MARKET_ACCOUNT) ?? 0n
  const before = marketBalance()
  let owed = 0n
  for (const { position, price, pnl, funding } of legs) {
    payProfit(state, pnl)
    removePosition(state, position, price)
    owed += positivePart(-pnl) + positivePart(funding)
  }
  transferToVault(state, min(owed, marketBalance()))
  const reward = equity > 0n ? min((equity * 500n) / 10_000n, pool / 10n, marketBalance()) : 0n
  transfer(state, MARKET_ACCOUNT, keeper, reward)
  transferToVault(state, min(equity - reward, pool - reward, marketBalance()))
  state.pools.set(trader, 0n)
  const released = legs.reduce((sum, { position }) => sum + position.collateral, pool)
  state.discrepancies.crossLiquidationUnassigned += released - (before - marketBalance())
  return reward
}
