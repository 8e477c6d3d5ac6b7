// Opening positions; an open first closes the trader's positions in the other direction (generation 2, "Open - order of checks").

import { transferToken } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import { address, i128, type SpecType, symbol, u32, u64 } from '../../shared/host.ts'
import { sideOpenInterest } from '../../shared/market/exposure.ts'
import { type Execution, OPEN_INPUTS, type OpenRequest, readOpenRequest } from '../../shared/market/open.ts'
import { liquidationPrice } from '../../shared/market/positions.ts'
import { KEYS, nextId, usdcOf, vaultOf } from '../../shared/market/storage.ts'
import { CROSS, ISOLATED, LONG, POSITION, type Position } from '../../shared/market/types.ts'
import { asI128, checked, fail, mulDiv } from '../../shared/values.ts'
import { callReserveForPosition } from '../calls.ts'
import { ERRORS } from './errors.ts'
import { closeIsolated } from './close.ts'
import { endCross } from './close-cross.ts'
import { type MarketEntryPoints, type MarketEnv, marketEntryPoint } from './env.ts'
import { chargeFee, distributeFee, type Fee } from './fees.ts'
import { fundingIndexOf, skewOf } from './funding.ts'
import { requireOpenable } from './gates.ts'
import { addOpenInterest, positionsOf, storePosition } from './positions.ts'
import { checkAcceptablePrice, opensByBuying, readStrictPrice } from './prices.ts'
import { checkCollateral, checkLeverage, checkSize, maintenanceBps } from './risk.ts'
import { ADDED_KEYS, readConfig, readFlag } from './storage.ts'

const NETTED_POSITIONS_MAX = 4

export const BOUNDED_OPEN_INPUTS: Readonly<Record<string, SpecType>> = { ...OPEN_INPUTS, acceptable_price: 'i128' }

export function openEntryPoints(): MarketEntryPoints {
  return {
    open_position: marketEntryPoint(BOUNDED_OPEN_INPUTS, { struct: 'Position' }, (env, args) => {
      const request = readOpenRequest(args)
      requireOpenable(env, request.asset)
      env.requireAuth(request.trader)
      const order = netAgainstOpposite(env, request, checkLimits(env, request), ISOLATED)
      return POSITION.toVal(openAtMarket(env, order, asI128(args[5]), ISOLATED, () => {
        transferToken(env, usdcOf(env), request.trader, env.self, order.collateral)
      }))
    }),
  }
}

/** A request with the size it opens, which is less than collateral times leverage if positions were netted. */
export interface SizedRequest extends OpenRequest {
  readonly size: bigint
}

/** Fails with 82 while positions of the asset are being deleveraged, then checks its limits. Returns the size. */
export function checkLimits(env: MarketEnv, request: OpenRequest): bigint {
  if (readFlag(env, ADDED_KEYS.adlActive(request.asset))) fail(ERRORS.OpenInterestCapExceeded)
  checkCollateral(env, request.collateral)
  const limits = checkLeverage(env, request.asset, request.leverage)
  return checkSize(limits, request.collateral, request.leverage)
}

/** Closes the trader's opposite positions of this margin mode. The request continues with the rest, or fails with 91 if too little is left. */
export function netAgainstOpposite(env: MarketEnv, request: OpenRequest, size: bigint, marginMode: number): SizedRequest {
  const opposite = positionsOf(env, request.trader).filter((position) =>
    position.asset === request.asset && position.direction !== request.direction && position.margin_mode === marginMode)
  if (opposite.length === 0) return { ...request, size }
  const netted = opposite.reduce((sum, position) => checked(sum + position.size), 0n)
  if (opposite.length > NETTED_POSITIONS_MAX || netted >= size) fail(ERRORS.NetsToZero)
  const rest = size - netted
  const collateral = mulDiv(request.collateral, rest, size)
  if (collateral < readConfig(env).min_collateral) fail(ERRORS.NetsToZero)
  const price = readStrictPrice(env, request.asset)
  // As deployed, closing cross positions here does not count towards the volume.
  const close = marginMode === ISOLATED ? closeIsolated : endCross
  for (const position of opposite) close(env, position, price, null)
  return { ...request, collateral, size: rest }
}

/** Opens at the present price with the taker fee. `takeCollateral` moves the collateral into the market once every check has passed. */
export function openAtMarket(
  env: MarketEnv, order: SizedRequest, acceptablePrice: bigint, marginMode: typeof ISOLATED | typeof CROSS, takeCollateral: () => void,
): Position {
  reserveInVault(env, order)
  const price = readStrictPrice(env, order.asset)
  checkAcceptablePrice(price, acceptablePrice, opensByBuying(order.direction))
  const execution: Execution = { size: order.size, price, marginMode, feeKind: 'taker', keeperFee: 0n }
  const charged = deductFees(env, order, execution)
  takeCollateral()
  return bookPosition(env, order, execution, charged)
}

/** Reserves the size in the vault; fails with 82, 89 or 40. */
export function reserveInVault(env: MarketEnv, { asset, size, direction }: SizedRequest): void {
  const skewBefore = skewOf(env, asset)
  callReserveForPosition(env, vaultOf(env), {
    asset,
    size,
    sideOpenInterestAfter: checked(sideOpenInterest(env, asset, direction) + size),
    skewBefore,
    skewAfter: checked(skewBefore + (direction === LONG ? size : -size)),
  })
}

/** The rest of an open's collateral after fees. */
export interface ChargedCollateral {
  readonly net: bigint
  readonly fee: Fee
}

/** Charges the trading fee and the keeper's fee; fails with 22 if nothing is left. */
export function deductFees(env: MarketEnv, request: OpenRequest, execution: Execution): ChargedCollateral {
  const fee = chargeFee(env, request.trader, execution.size, execution.feeKind)
  const net = request.collateral - fee.amount - execution.keeperFee
  if (net <= 0n) fail(ERRORS.InsufficientCollateral)
  return { net, fee }
}

/** Stores a position whose collateral the market already holds, updates exposure, distributes the fee and emits the event. */
export function bookPosition(env: MarketEnv, request: OpenRequest, execution: Execution, charged: ChargedCollateral): Position {
  const { price, size, marginMode } = execution
  const timestamp = env.ledger.timestampSec
  const marginBps = maintenanceBps(env, { asset: request.asset, timestamp })
  const position: Position = {
    asset: request.asset,
    collateral: charged.net,
    direction: request.direction,
    entry_cumulative_funding: fundingIndexOf(env, request.asset),
    entry_price: price,
    id: nextId(env, KEYS.positionCounter),
    leverage: request.leverage,
    liquidation_price: marginMode === CROSS ? 0n : liquidationPrice(request.direction, price, request.leverage, marginBps),
    margin_mode: marginMode,
    size,
    timestamp,
    trader: request.trader,
  }
  storePosition(env, position)
  addOpenInterest(env, position)
  distributeFee(env, charged.fee)
  emit(
    env, 'position_opened', u64(position.id), address(position.trader), symbol(position.asset), u32(position.direction), i128(size),
    i128(price),
  )
  return position
}
