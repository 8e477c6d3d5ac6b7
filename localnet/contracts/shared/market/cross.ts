// Cross margin: one collateral pool per trader backs all of the trader's cross positions (contracts, "Cross margin").

import { callSettlePnl, tokenBalance, transferToken } from '../calls.ts'
import type { ContractEnv, EntryPoint } from '../host.ts'
import { i128, VOID } from '../host.ts'
import { readPersistentI128 } from '../instance-storage.ts'
import { asAddress, asI128, asU64, bpsOf, checked, entryPoint, fail, minOf, positivePart } from '../values.ts'
import { emitClosed } from './close.ts'
import { addCrossTrader, removeCrossTrader } from './cross-traders.ts'
import { removeExposure } from './exposure.ts'
import { addVolume, sendToVault } from './fees.ts'
import { fundingOwed } from './funding.ts'
import { bookPosition, checkLimits, deductFees, type Execution, OPEN_INPUTS, readOpenRequest, reserveInVault } from './open.ts'
import { deletePosition, pricePnl, requireOwnPosition } from './positions.ts'
import { readPrice, readPriceOrZero } from './prices.ts'
import {
  addId, KEYS, readConfig, readIds, readPosition, removeId, requireTrader, usdcOf, vaultOf, writeAmount,
} from './storage.ts'
import { CROSS, ERRORS, POSITION, type Position } from './types.ts'

export function crossEntryPoints(): Record<string, EntryPoint> {
  return {
    open_position_cross: entryPoint(OPEN_INPUTS, { struct: 'Position' }, (env, args) => {
      const request = readOpenRequest(args)
      const { trader, collateral } = request
      requireTrader(env, trader)
      const size = checkLimits(env, request)
      topUpPool(env, trader, collateral)
      requireFreeMargin(env, trader, collateral)
      reserveInVault(env, request, size)
      const price = readPrice(env, request.asset, 'strict')
      const execution: Execution = { size, price, marginMode: CROSS, feeKind: 'taker', keeperFee: 0n }
      const net = deductFees(env, request, execution)
      writePool(env, trader, readPool(env, trader) - collateral)
      const position = bookPosition(env, request, execution, net)
      addId(env, KEYS.crossMarginPositions(trader), position.id)
      addCrossTrader(env, trader)
      return POSITION.toVal(position)
    }),
    close_position_cross: entryPoint({ trader: 'address', position_id: 'u64' }, 'i128', (env, args) => {
      const [trader, id] = [asAddress(args[0]), asU64(args[1])]
      requireTrader(env, trader)
      const position = requireOwnPosition(env, id, trader)
      if (position.margin_mode !== CROSS) fail(ERRORS.InvalidParameter)
      return i128(closeCross(env, position, readPrice(env, position.asset, 'lenient')))
    }),
    ...poolBalanceEntryPoints(),
  }
}

function poolBalanceEntryPoints(): Record<string, EntryPoint> {
  return {
    deposit_cross_margin: entryPoint({ trader: 'address', amount: 'i128' }, 'void', (env, args) => {
      const [trader, amount] = [asAddress(args[0]), asI128(args[1])]
      requireTrader(env, trader)
      if (amount <= 0n) fail(ERRORS.InvalidAmount)
      transferToken(env, usdcOf(env), trader, env.self, amount)
      writePool(env, trader, checked(readPool(env, trader) + amount))
      return VOID
    }),
    withdraw_cross_margin: entryPoint({ trader: 'address', amount: 'i128' }, 'void', (env, args) => {
      const [trader, amount] = [asAddress(args[0]), asI128(args[1])]
      requireTrader(env, trader)
      if (amount <= 0n) fail(ERRORS.InvalidAmount)
      const pool = readPool(env, trader)
      if (amount > pool) fail(ERRORS.CrossMarginInsufficientBalance)
      const account = readCrossAccount(env, trader, valueForMarginCheck)
      if (account.legs.length > 0 && account.equity - amount <= account.maintenance) fail(ERRORS.CrossMarginInsufficientFreeMargin)
      writePool(env, trader, pool - amount)
      transferToken(env, usdcOf(env), env.self, trader, amount)
      return VOID
    }),
  }
}

/** One position of a cross account, valued at a price. */
interface CrossLeg {
  readonly position: Position
  readonly price: bigint
  readonly pnl: bigint
  readonly funding: bigint
}

export interface CrossAccount {
  readonly pool: bigint
  readonly legs: readonly CrossLeg[]
  readonly equity: bigint
  readonly maintenance: bigint
}

/** Values one position of an account. Margin checks and liquidation treat an unreadable price differently. */
export type LegValuation = (env: ContractEnv, position: Position) => { readonly price: bigint; readonly pnl: bigint }

/** Valuation for opening and withdrawing: a price of zero or less counts as 0. */
const valueForMarginCheck: LegValuation = (env, position) => {
  const price = readPriceOrZero(env, position.asset)
  return { price, pnl: pricePnl(position, price) }
}

/** The trader's cross account. Equity is the pool plus collateral and PnL of all positions, minus funding. */
export function readCrossAccount(env: ContractEnv, trader: string, valuation: LegValuation): CrossAccount {
  const pool = readPool(env, trader)
  const maintenanceBps = readConfig(env).maintenance_margin_bps
  const legs: CrossLeg[] = []
  let equity = pool
  let maintenance = 0n
  for (const id of readIds(env, KEYS.crossMarginPositions(trader))) {
    const position = readPosition(env, id)
    if (position === undefined) continue
    const leg: CrossLeg = { position, ...valuation(env, position), funding: fundingOwed(env, position) }
    legs.push(leg)
    equity = checked(equity + position.collateral + leg.pnl - leg.funding)
    maintenance = checked(maintenance + bpsOf(position.size, maintenanceBps))
  }
  return { pool, legs, equity, maintenance }
}

export function readPool(env: ContractEnv, trader: string): bigint {
  return readPersistentI128(env, KEYS.crossMarginBalance(trader))
}

export function writePool(env: ContractEnv, trader: string, amount: bigint): void {
  writeAmount(env, KEYS.crossMarginBalance(trader), amount)
}

/** Transfers what the pool lacks for an open from the trader's wallet. */
export function topUpPool(env: ContractEnv, trader: string, collateral: bigint): void {
  const missing = collateral - readPool(env, trader)
  if (missing <= 0n) return
  transferToken(env, usdcOf(env), trader, env.self, missing)
  writePool(env, trader, collateral)
}

/** Fails with 77 unless equity covers the new collateral on top of the maintenance margin of the open positions. */
function requireFreeMargin(env: ContractEnv, trader: string, collateral: bigint): void {
  const account = readCrossAccount(env, trader, valueForMarginCheck)
  if (account.legs.length > 0 && account.equity < account.maintenance + collateral) fail(ERRORS.CrossMarginInsufficientFreeMargin)
}

/** Settles a cross position into its trader's pool at this price. Returns the price PnL. */
function closeCross(env: ContractEnv, position: Position, price: bigint): bigint {
  const pnl = pricePnl(position, price)
  const funding = fundingOwed(env, position)
  const profitPaid = callSettlePnl(env, vaultOf(env), pnl)
  // The whole loss is taken from the market's pooled USDC: neither the position's collateral nor the trader's pool limits it.
  const owed = checked(positivePart(-pnl) + positivePart(funding))
  if (owed > 0n) sendToVault(env, minOf(owed, tokenBalance(env, usdcOf(env), env.self)))
  const credit = checked(position.collateral + (pnl > 0n ? profitPaid : pnl) - funding)
  if (credit > 0n) writePool(env, position.trader, checked(readPool(env, position.trader) + credit))
  removeExposure(env, position, price)
  addVolume(env, position.trader, position.size)
  deletePosition(env, position)
  removeId(env, KEYS.crossMarginPositions(position.trader), position.id)
  if (readIds(env, KEYS.crossMarginPositions(position.trader)).length === 0) removeCrossTrader(env, position.trader)
  emitClosed(env, position, price, pnl)
  return pnl
}
