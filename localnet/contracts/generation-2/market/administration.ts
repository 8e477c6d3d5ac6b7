// The admin's entry points: initialization, pauses, fee split, risk parameters, rotation (generation 2, "Entry points, admin").

import { requireBothAuth } from '../../shared/authorization.ts'
import { emit, emitWithSubject } from '../../shared/emit.ts'
import type { ContractEnv, Val } from '../../shared/host.ts'
import { address, bool, symbol, u32, u64, vec, VOID } from '../../shared/host.ts'
import { requireAdmin, storeInitialState } from '../../shared/market/administration.ts'
import { INSTANCE, instanceAddress, KEYS, requireInitialized, usdcOf } from '../../shared/market/storage.ts'
import { upgradeEntryPoint } from '../../shared/upgrade.ts'
import { asAddress, asBool, asSymbol, asU32, fail } from '../../shared/values.ts'
import { type Generation2Build, isSince } from '../build.ts'
import { ERRORS } from './errors.ts'
import { SYMBOLS } from './symbols.ts'
import { type MarketEntryPoints, type MarketEnv, marketEntryPoint, ofGeneration1 } from './env.ts'
import { FROZEN, HALTED, LIVE, writePauseState } from './gates.ts'
import { leverageOfMargin } from './risk.ts'
import { ADDED_KEYS, readTime, writeFlag, writeTime } from './storage.ts'
import { ASSET_RISK, type AssetRisk, MARKET_CONFIG, type MarketConfig } from './types.ts'

const FEE_SPLIT_MAX_BPS = 5000

export function administrationEntryPoints(build: Generation2Build): MarketEntryPoints {
  return {
    initialize: marketEntryPoint(
      { admin: 'address', oracle: 'address', vault: 'address', usdc: 'address', config: { struct: 'MarketConfig' } }, 'void', initialize,
    ),
    pause: marketEntryPoint({ mode: 'u32' }, 'void', (env, args) => {
      requireMarketAdmin(env)
      const mode = asU32(args[0])
      if (mode !== HALTED && mode !== FROZEN) fail(ERRORS.InvalidParameter)
      const sinceSec = env.ledger.timestampSec
      writePauseState(env, { mode, sinceSec })
      emit(env, 'paused', u32(mode), u64(sinceSec))
      return VOID
    }),
    unpause: marketEntryPoint({}, 'void', (env) => {
      requireMarketAdmin(env)
      writePauseState(env, { mode: LIVE, sinceSec: env.ledger.timestampSec })
      emit(env, 'unpaused')
      return VOID
    }),
    set_asset_halt: marketEntryPoint({ asset: 'symbol', halted: 'bool' }, 'void', (env, args) => {
      const [asset, halted] = [asSymbol(args[0]), asBool(args[1])]
      requireMarketAdmin(env)
      if (!SYMBOLS.includes(asset)) fail(ERRORS.InvalidPrice)
      writeFlag(env, ADDED_KEYS.assetHalted(asset), halted)
      emitWithSubject(env, 'asset_halt_set', symbol(asset), bool(halted))
      return VOID
    }),
    set_asset_risk: marketEntryPoint({ asset: 'symbol', risk: { struct: 'AssetRisk' } }, 'void', setAssetRisk),
    migrate_config: marketEntryPoint({ config: { struct: 'MarketConfig' } }, 'void', (env, args) => {
      requireMarketAdmin(env)
      env.set('instance', INSTANCE.config, validConfig(args[0]))
      return VOID
    }),
    ...ofGeneration1({ upgrade: upgradeEntryPoint(requireMarketAdmin) }),
    ...feeEntryPoints(build),
    ...(isSince(build, '2.1') ? rotationEntryPoints() : {}),
  }
}

function feeEntryPoints(build: Generation2Build): MarketEntryPoints {
  return {
    set_fee_split: marketEntryPoint({ treasury: 'address', bps: 'u32' }, 'void', (env, args) => {
      const [treasury, bps] = [asAddress(args[0]), asU32(args[1])]
      requireMarketAdmin(env)
      if (bps > FEE_SPLIT_MAX_BPS || !isAuthorizedToHoldUsdc(env, treasury)) fail(ERRORS.InvalidParameter)
      env.set('instance', INSTANCE.treasury, address(treasury))
      env.set('instance', INSTANCE.protocolFeeBps, u32(bps))
      // The first build emits no events of settings.
      if (isSince(build, '2.1')) emit(env, 'fee_split_set', address(treasury), u32(bps))
      return VOID
    }),
  }
}

/** Fails with the token's error for an account without a trustline. */
function isAuthorizedToHoldUsdc(env: ContractEnv, holder: string): boolean {
  return asBool(env.call(usdcOf(env), 'authorized', [address(holder)]))
}

function rotationEntryPoints(): MarketEntryPoints {
  return {
    set_referral: marketEntryPoint({ referral: 'address' }, 'void', (env, args) => {
      const referral = asAddress(args[0])
      requireMarketAdmin(env)
      env.set('instance', INSTANCE.referral, address(referral))
      emit(env, 'referral_set', address(referral))
      return VOID
    }),
    set_admin: marketEntryPoint({ new_admin: 'address' }, 'void', (env, args) => {
      const newAdmin = asAddress(args[0])
      requireInitialized(env)
      const oldAdmin = instanceAddress(env, INSTANCE.admin)
      requireBothAuth(env, oldAdmin, newAdmin)
      env.set('instance', INSTANCE.admin, address(newAdmin))
      emit(env, 'admin_rotated', address(oldAdmin), address(newAdmin))
      return VOID
    }),
  }
}

export function requireMarketAdmin(env: ContractEnv): void {
  requireInitialized(env)
  requireAdmin(env)
}

function initialize(env: MarketEnv, args: readonly Val[]): Val {
  const [admin, oracle, vault, usdc] = [asAddress(args[0]), asAddress(args[1]), asAddress(args[2]), asAddress(args[3])]
  if (env.get('instance', INSTANCE.initialized) !== undefined) fail(ERRORS.AlreadyInitialized)
  env.requireAuth(admin)
  storeInitialState(env, { admin, oracle, vault, usdc, config: validConfig(args[4]) })
  if (isSince(env.build, '2.3')) seedOpenCounts(env, 0, 0)
  else for (const list of [KEYS.allPositions, KEYS.allOrders, KEYS.allCrossMarginTraders]) env.set('persistent', list, vec())
  emit(env, 'initialized', address(admin), address(vault), address(oracle))
  return VOID
}

/** Stores the counts of open positions and pending orders, which replace the lists. */
export function seedOpenCounts(env: ContractEnv, positions: number, orders: number): void {
  env.set('persistent', ADDED_KEYS.openPositionCount, u32(positions))
  env.set('persistent', ADDED_KEYS.openOrderCount, u32(orders))
  writeFlag(env, ADDED_KEYS.openCountsSeeded, true)
}

/** The configuration; fails with 5 for a value out of range. */
function validConfig(val: Val | undefined): Val {
  const config = MARKET_CONFIG.fromVal(val ?? VOID)
  if (!isValidConfig(config)) fail(ERRORS.InvalidParameter)
  return MARKET_CONFIG.toVal(config)
}

function isValidConfig(config: MarketConfig): boolean {
  const below100Percent = [
    config.maintenance_margin_bps, config.liquidation_fee_bps, config.partial_liq_tranche_bps, config.liquidation_penalty_bps,
    config.cross_close_out_bps, config.lenient_clamp_bps,
  ]
  return below100Percent.every((bps) => bps < 10_000) &&
    config.max_leverage >= 1 && config.max_leverage <= 100 &&
    config.min_collateral > 0n &&
    config.insurance_buffer_share_bps <= 10_000 && config.penalty_keeper_share_bps <= 10_000 &&
    config.cross_liq_restore_target_bps > 10_000 &&
    config.adl_clear_ratio_bps >= config.adl_trigger_ratio_bps && config.adl_compensation_bps <= 100 &&
    config.min_liq_bounty >= 0n &&
    config.keeper_fee_deci_bps <= 15 && config.keeper_fee_base <= 500_000n &&
    config.twap_records <= 32
}

/** Sets the limits of an asset. The first call for any asset ends the time in which the configuration's limits apply. */
function setAssetRisk(env: MarketEnv, args: readonly Val[]): Val {
  const [asset, risk] = [asSymbol(args[0]), ASSET_RISK.fromVal(args[1] ?? VOID)]
  requireMarketAdmin(env)
  if (!SYMBOLS.includes(asset) || !isValidRisk(risk)) fail(ERRORS.InvalidParameter)
  env.set('persistent', ADDED_KEYS.assetRisk(asset), ASSET_RISK.toVal(risk))
  if (readTime(env, ADDED_KEYS.riskEpochTs) === undefined) writeTime(env, ADDED_KEYS.riskEpochTs, env.ledger.timestampSec)
  emit(env, 'asset_risk_set', symbol(asset), u32(risk.max_leverage), u32(risk.im_bps), u32(risk.mm_bps))
  return VOID
}

function isValidRisk(risk: AssetRisk): boolean {
  return risk.im_bps >= 400 && risk.mm_bps === Math.trunc(risk.im_bps / 2) &&
    risk.max_leverage >= 1 && risk.max_leverage <= leverageOfMargin(risk.im_bps) &&
    risk.close_out_bps < risk.mm_bps &&
    risk.max_position_size > 0n &&
    risk.funding_clamp_bps <= 1000 &&
    risk.skew_scale >= 0n
}
