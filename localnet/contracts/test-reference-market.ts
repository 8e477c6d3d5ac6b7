// Test support: what each call does to the reference state. Every function answers what the contract should return, or throws a Refusal; who
// calls it drops all that a refused call did.

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

/** 22, 21, then (after what an order checks in between) 23. Returns the size. */
export function checkTerms({ collateral, leverage }: OpenTerms, between: () => void = () => {}): bigint {
  rejectIf(collateral < 10n * UNIT, 22n)
  rejectIf(leverage < 1n || leverage > 10n, 21n)
  between()
  rejectIf(collateral * leverage > 100_000n * UNIT, 23n)
  return collateral * leverage
}

/** Enters a position whose collateral the market holds, and pays its fee. Returns its id. */
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

/** A trader's isolated position. */
export function openPosition(state: ReferenceState, terms: OpenTerms): bigint {
  const size = checkTerms(terms)
  checkCapacity(state, terms.asset, terms.isLong, size)
  const price = readPrice(state, terms.asset, true)
  const taken = chargeFee(state, terms.trader, size, 'taker')
  rejectIf(terms.collateral <= taken, 22n)
  transfer(state, terms.trader, MARKET_ACCOUNT, terms.collateral)
  return bookPosition(state, terms, price, { net: terms.collateral - taken, fee: taken }, false)
}

function requirePosition(state: ReferenceState, id: bigint): ReferencePosition {
  return state.positions.get(id) ?? reject(20n)
}

/** 20, 24. */
export function requireOwnPosition(state: ReferenceState, id: bigint, trader: string): ReferencePosition {
  const position = requirePosition(state, id)
  rejectIf(position.trader !== trader, 24n)
  return position
}

export function closePosition(state: ReferenceState, trader: string, id: bigint): bigint {
  const position = requireOwnPosition(state, id, trader)
  // Whether the deployed contract refuses here is not known; the local one does.
  rejectIf(position.isCross, 5n)
  return settlePosition(state, position, readPrice(state, position.asset, false), null)
}

/** The execution of an order that closes a position. */
export interface OrderExecution {
  readonly keeper: string
  readonly fee: bigint
  readonly orderId: bigint
}

/** Ends an isolated position at this price: loss, then funding, then the keeper, each as far as the collateral goes. Returns the PnL. */
export function settlePosition(state: ReferenceState, position: ReferencePosition, price: bigint, execution: OrderExecution | null): bigint {
  const pnl = pnlAt(position, price)
  const funding = fundingOwed(state, position)
  const profit = payProfit(state, pnl)
  const loss = min(positivePart(-pnl), position.collateral)
  const fundingPaid = min(positivePart(funding), position.collateral - loss)
  const keeperPaid = min(execution?.fee ?? 0n, position.collateral - loss - fundingPaid)
  transferToVault(state, loss + fundingPaid)
  if (execution !== null) transfer(state, MARKET_ACCOUNT, execution.keeper, keeperPaid)
  const received = positivePart(-funding)
  state.discrepancies.fundingPaidFromPooledCollateral += received
  transfer(state, MARKET_ACCOUNT, position.trader, position.collateral - loss - fundingPaid - keeperPaid + profit + received)
  recordVolume(state, position.trader, position.size)
  removePosition(state, position, price, execution?.orderId)
  return pnl
}

/** Takes a position out of the state; what hangs on it ends, except the order that closes it. */
function removePosition(state: ReferenceState, position: ReferencePosition, price: bigint, exceptOrder?: bigint): void {
  state.positions.delete(position.id)
  markAsset(state, position.asset, price)
  cancelAttached(state, position.id, exceptOrder)
}

export function liquidate(state: ReferenceState, keeper: string, id: bigint): bigint {
  const position = requirePosition(state, id)
  rejectIf(position.isCross, 50n)
  const price = readPrice(state, position.asset, false)
  const remaining = position.collateral + pnlAt(position, price) - fundingOwed(state, position)
  const isCrossed = position.isLong ? price <= position.liquidation : price >= position.liquidation
  rejectIf(!isCrossed && remaining >= maintenanceMargin(position), 50n)
  let reward = (positivePart(remaining) * 500n) / 10_000n
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

/** What a cross account comes to at the prices of the moment, which it reads leniently. */
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
  const taken = chargeFee(state, trader, size, 'taker')
  rejectIf(collateral <= taken, 22n)
  state.pools.set(trader, poolOf(state, trader) - collateral)
  return bookPosition(state, terms, price, { net: collateral - taken, fee: taken }, true)
}

export function closeCross(state: ReferenceState, trader: string, id: bigint): bigint {
  const position = requireOwnPosition(state, id, trader)
  rejectIf(!position.isCross, 5n)
  const price = readPrice(state, position.asset, false)
  const pnl = pnlAt(position, price)
  const funding = fundingOwed(state, position)
  const profit = payProfit(state, pnl)
  const owed = positivePart(-pnl) + positivePart(funding)
  const taken = min(owed, state.usdcBalances.get(MARKET_ACCOUNT) ?? 0n)
  transferToVault(state, taken)
  const credit = position.collateral + (pnl > 0n ? profit : pnl) - funding
  if (credit > 0n) state.pools.set(trader, poolOf(state, trader) + credit)
  state.discrepancies.fundingPaidFromPooledCollateral += positivePart(-funding)
  state.discrepancies.crossLossTakenFromOthers += positivePart(-credit)
  state.discrepancies.crossLossNeverPaid += owed - taken
  recordVolume(state, trader, position.size)
  removePosition(state, position, price)
  return pnl
}

export function liquidateCross(state: ReferenceState, keeper: string, trader: string): bigint {
  const { legs, equity, maintenance } = readCrossAccount(state, trader)
  rejectIf(equity >= maintenance, 78n)
  const pool = poolOf(state, trader)
  const held = (): bigint => state.usdcBalances.get(MARKET_ACCOUNT) ?? 0n
  const before = held()
  let owed = 0n
  for (const { position, price, pnl, funding } of legs) {
    payProfit(state, pnl)
    removePosition(state, position, price)
    owed += positivePart(-pnl) + positivePart(funding)
  }
  transferToVault(state, min(owed, held()))
  const reward = equity > 0n ? min((equity * 500n) / 10_000n, pool / 10n, held()) : 0n
  transfer(state, MARKET_ACCOUNT, keeper, reward)
  transferToVault(state, min(equity - reward, pool - reward, held()))
  state.pools.set(trader, 0n)
  const released = legs.reduce((sum, { position }) => sum + position.collateral, pool)
  state.discrepancies.crossLiquidationUnassigned += released - (before - held())
  return reward
}
