// Auto-deleveraging: while the vault's coverage of an asset's profits is low, anyone may close a profitable position (generation 2, "ADL").

import { ONE_E7 } from '../../../../src/base/fixed-point.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv } from '../../shared/host.ts'
import { address, bool, i128, symbol, u32, u64 } from '../../shared/host.ts'
import { readExposure } from '../../shared/market/exposure.ts'
import { requirePosition } from '../../shared/market/positions.ts'
import { requireInitialized, vaultOf } from '../../shared/market/storage.ts'
import { CROSS, type Position } from '../../shared/market/types.ts'
import { asAddress, asI128, asSymbol, asU64, BPS_DENOMINATOR, bpsOf, checked, fail, mulDiv, positivePart } from '../../shared/values.ts'
import { ERRORS } from './errors.ts'
import { closeIsolated } from './close.ts'
import { endCross } from './close-cross.ts'
import { type MarketEntryPoints, marketEntryPoint } from './env.ts'
import { valuePosition } from './positions.ts'
import { readLenientPrice } from './prices.ts'
import { COVERAGE_RATIO, emitAdl } from './settlement.ts'
import { ADDED_KEYS, readConfig, readFlag, requireCaller, writeFlag } from './storage.ts'

export function adlEntryPoints(): MarketEntryPoints {
  return {
    /** Turns the flag of an asset on or off. Callable by anyone, also while paused. */
    check_adl_trigger: marketEntryPoint({ asset: 'symbol' }, 'bool', (env, args) => {
      requireInitialized(env)
      return bool(updateAdlFlag(env, asSymbol(args[0])))
    }),
    /** Also while paused. */
    adl_close: marketEntryPoint({ caller: 'address', position_id: 'u64' }, 'i128', (env, args) => {
      const [caller, id] = [asAddress(args[0]), asU64(args[1])]
      requireCaller(env, caller)
      const position = requirePosition(env, id)
      if (!readFlag(env, ADDED_KEYS.adlActive(position.asset))) fail(ERRORS.AdlNotActive)
      const price = readLenientPrice(env, position.asset)
      const { pnl, funding } = valuePosition(env, position, price)
      if (pnl - funding <= 0n) fail(ERRORS.AdlNotEligible)
      const score = checked(mulDiv(pnl, BPS_DENOMINATOR, position.collateral) * BigInt(position.leverage))
      if (position.margin_mode === CROSS) endCross(env, position, price, null)
      else closeIsolated(env, position, price, null)
      compensate(env, position)
      emitDeleveraged(env, position, price, pnl, score)
      return i128(pnl)
    }),
  }
}

function updateAdlFlag(env: ContractEnv, asset: string): boolean {
  const config = readConfig(env)
  const key = ADDED_KEYS.adlActive(asset)
  const active = readFlag(env, key)
  const payable = payableProfit(env, asset)
  const coverage = coverageOf(env)
  const ratio = checked(coverage * BPS_DENOMINATOR)
  const next = active
    ? payable > 0n && ratio < checked(payable * BigInt(config.adl_clear_ratio_bps))
    : payable > 0n && ratio < checked(payable * BigInt(config.adl_trigger_ratio_bps))
  if (next === active) return active
  writeFlag(env, key, next)
  emitAdl(env, next ? 'adl_triggered' : 'adl_cleared', asset, { reason: COVERAGE_RATIO, payable, coverage })
  return next
}

/** The unrealized profit of the sides that are in profit. */
function payableProfit(env: ContractEnv, asset: string): bigint {
  const price = readLenientPrice(env, asset)
  const { longUnits, longSize, shortUnits, shortSize } = readExposure(env, asset)
  const longProfit = positivePart(mulDiv(price, longUnits, ONE_E7) - longSize)
  const shortProfit = positivePart(shortSize - mulDiv(price, shortUnits, ONE_E7))
  return checked(longProfit + shortProfit)
}

/** Returns the amount from which the vault can pay profits. */
function coverageOf(env: ContractEnv): bigint {
  const read = (view: string): bigint => asI128(env.call(vaultOf(env), view, []))
  return checked(read('get_buffer_balance') + read('get_total_usdc'))
}

/** Pays the trader a share of the size from the vault's buffer, as far as that suffices. */
function compensate(env: ContractEnv, { trader, size }: Position): void {
  const amount = bpsOf(size, readConfig(env).adl_compensation_bps)
  if (amount > 0n) env.call(vaultOf(env), 'pay_from_buffer', [address(trader), i128(amount)])
}

function emitDeleveraged(env: ContractEnv, position: Position, price: bigint, pnl: bigint, score: bigint): void {
  emit(
    env, 'adl_executed', u64(position.id), address(position.trader), symbol(position.asset), u32(position.direction), i128(position.size),
    i128(price), i128(pnl), i128(score),
  )
}
