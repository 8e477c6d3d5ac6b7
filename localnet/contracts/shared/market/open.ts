// Opening positions (contracts, "Open - order of checks").

import { callReserveForPosition, transferToken } from '../calls.ts'
import { emit } from '../emit.ts'
import type { ContractEnv, EntryPoint, SpecType, Val } from '../host.ts'
import { address, HostFailure, i128, symbol, u32, u64 } from '../host.ts'
import { readPersistentI128 } from '../instance-storage.ts'
import { asAddress, asI128, asSymbol, asU32, checked, entryPoint, fail } from '../values.ts'
import { addExposure, sideOpenInterest } from './exposure.ts'
import { chargeFee, distributeFee, type FeeKind } from './fees.ts'
import { liquidationPrice, storePosition } from './positions.ts'
import { readPrice } from './prices.ts'
import { KEYS, nextId, readConfig, requireTrader, usdcOf, vaultOf } from './storage.ts'
import { CROSS, ERRORS, ISOLATED, LONG, POSITION, type Position, SHORT } from './types.ts'

/** A trader's request to open a position. `collateral` is gross of fees. */
export interface OpenRequest {
  readonly trader: string
  readonly asset: string
  readonly collateral: bigint
  readonly leverage: number
  readonly direction: number
}

/** The execution of a request: size, price and fees. */
export interface Execution {
  readonly size: bigint
  readonly price: bigint
  readonly marginMode: typeof ISOLATED | typeof CROSS
  readonly feeKind: FeeKind
  readonly keeperFee: bigint
}

export const OPEN_INPUTS: Readonly<Record<string, SpecType>> = {
  trader: 'address', asset: 'symbol', collateral: 'i128', leverage: 'u32', direction: 'u32',
}

export function openEntryPoints(): Record<string, EntryPoint> {
  return {
    open_position: entryPoint(OPEN_INPUTS, { struct: 'Position' }, (env, args) => {
      const request = readOpenRequest(args)
      requireTrader(env, request.trader)
      const size = checkLimits(env, request)
      reserveInVault(env, request, size)
      const price = readPrice(env, request.asset, 'strict')
      const execution: Execution = { size, price, marginMode: ISOLATED, feeKind: 'taker', keeperFee: 0n }
      const collateral = deductFees(env, request, execution)
      transferToken(env, usdcOf(env), request.trader, env.self, request.collateral)
      return POSITION.toVal(bookPosition(env, request, execution, collateral))
    }),
  }
}

export function readOpenRequest(args: readonly Val[]): OpenRequest {
  return {
    trader: asAddress(args[0]),
    asset: asSymbol(args[1]),
    collateral: asI128(args[2]),
    leverage: asU32(args[3]),
    direction: asDirection(args[4]),
  }
}

/** Decodes the direction enumeration. Like a real contract, fails to decode any other integer before the call runs. */
export function asDirection(val: Val | undefined): number {
  const direction = asU32(val)
  if (direction !== LONG && direction !== SHORT) throw new HostFailure('WasmVm', 'InvalidAction', 'not a Direction')
  return direction
}

/** Fails with 22 below the minimum collateral, with 21 if the leverage is out of range. */
export function checkCollateralAndLeverage(env: ContractEnv, collateral: bigint, leverage: number): void {
  const config = readConfig(env)
  if (collateral < config.min_collateral) fail(ERRORS.InsufficientCollateral)
  if (leverage < 1 || leverage > config.max_leverage) fail(ERRORS.InvalidLeverage)
}

/** The size of a position; fails with 23 above the limit. */
export function checkSize(env: ContractEnv, collateral: bigint, leverage: number): bigint {
  const size = checked(collateral * BigInt(leverage))
  if (size > readConfig(env).max_position_size) fail(ERRORS.PositionTooLarge)
  return size
}

export function checkLimits(env: ContractEnv, request: OpenRequest): bigint {
  checkCollateralAndLeverage(env, request.collateral, request.leverage)
  return checkSize(env, request.collateral, request.leverage)
}

/** Reserves the size in the vault; fails with 82 above a cap, with 40 above the vault's balance. */
export function reserveInVault(env: ContractEnv, request: OpenRequest, size: bigint): void {
  const after = checked(sideOpenInterest(env, request.asset, request.direction) + size)
  callReserveForPosition(env, vaultOf(env), request.asset, size, after)
}

/** The collateral net of the trading fee and the keeper's fee; fails with 22 if nothing is left. */
export function deductFees(env: ContractEnv, request: OpenRequest, execution: Execution): { net: bigint; fee: bigint } {
  const fee = chargeFee(env, request.trader, execution.size, execution.feeKind)
  const net = request.collateral - fee - execution.keeperFee
  if (net <= 0n) fail(ERRORS.InsufficientCollateral)
  return { net, fee }
}

/** Stores a position whose collateral the market already holds, updates exposure, distributes the fee and emits the event. */
export function bookPosition(env: ContractEnv, request: OpenRequest, execution: Execution, collateral: { net: bigint; fee: bigint }): Position {
  const { price, size, marginMode } = execution
  const position: Position = {
    asset: request.asset,
    collateral: collateral.net,
    direction: request.direction,
    entry_cumulative_funding: readPersistentI128(env, KEYS.cumulativeFundingRate),
    entry_price: price,
    id: nextId(env, KEYS.positionCounter),
    leverage: request.leverage,
    liquidation_price:
      marginMode === CROSS ? 0n : liquidationPrice(request.direction, price, request.leverage, readConfig(env).maintenance_margin_bps),
    margin_mode: marginMode,
    size,
    timestamp: env.ledger.timestampSec,
    trader: request.trader,
  }
  storePosition(env, position)
  addExposure(env, position)
  distributeFee(env, collateral.fee)
  emit(
    env, 'position_opened', u64(position.id), address(position.trader), symbol(position.asset), u32(position.direction), i128(size),
    i128(price),
  )
  return position
}
