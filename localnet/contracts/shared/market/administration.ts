// The admin's entry points of the market: initialization, pause, fee split, referral.

import { emit } from '../emit.ts'
import type { ContractEnv, EntryPoint, Val } from '../host.ts'
import { address, bool, i128, u32, u64, vec, VOID } from '../host.ts'
import { upgradeEntryPoint } from '../upgrade.ts'
import { asAddress, asU32, entryPoint, fail } from '../values.ts'
import { FEE_TIERS } from './defaults.ts'
import { INSTANCE, instanceAddress, KEYS } from './storage.ts'
import { ERRORS, FEE_TIER, MARKET_CONFIG } from './types.ts'

const FEE_SPLIT_MAX_BPS = 5000

export function administrationEntryPoints(): Record<string, EntryPoint> {
  return {
    initialize: entryPoint(
      { admin: 'address', oracle: 'address', vault: 'address', usdc: 'address', config: { struct: 'MarketConfig' } },
      'void',
      initialize,
    ),
    pause: entryPoint({}, 'void', (env) => setPaused(env, true)),
    unpause: entryPoint({}, 'void', (env) => setPaused(env, false)),
    set_fee_split: entryPoint({ treasury: 'address', bps: 'u32' }, 'void', (env, args) => {
      const [treasury, bps] = [asAddress(args[0]), asU32(args[1])]
      requireAdmin(env)
      if (bps > FEE_SPLIT_MAX_BPS) fail(ERRORS.InvalidParameter)
      env.set('instance', INSTANCE.treasury, address(treasury))
      env.set('instance', INSTANCE.protocolFeeBps, u32(bps))
      return VOID
    }),
    // Only on the local network: the deployed market reports its trades to no referral contract.
    set_referral: entryPoint({ referral: 'address' }, 'void', (env, args) => {
      requireAdmin(env)
      env.set('instance', INSTANCE.referral, address(asAddress(args[0])))
      return VOID
    }),
    upgrade: upgradeEntryPoint(requireAdmin),
  }
}

function initialize(env: ContractEnv, args: readonly Val[]): Val {
  const [admin, oracle, vault, usdc] = [asAddress(args[0]), asAddress(args[1]), asAddress(args[2]), asAddress(args[3])]
  if (env.get('instance', INSTANCE.initialized) !== undefined) fail(ERRORS.AlreadyInitialized)
  env.requireAuth(admin)
  storeInitialState(env, { admin, oracle, vault, usdc, config: MARKET_CONFIG.toVal(MARKET_CONFIG.fromVal(args[4] ?? VOID)) })
  env.set('persistent', KEYS.currentFundingRate, i128(0n))
  env.set('persistent', KEYS.orderCounter, u64(0n))
  for (const list of [KEYS.allPositions, KEYS.allOrders, KEYS.allCrossMarginTraders]) env.set('persistent', list, vec())
  emit(env, 'initialized', address(admin), address(vault), address(oracle))
  return VOID
}

/** The contracts and the configuration that a market is initialized with. */
export interface InitialState {
  readonly admin: string
  readonly oracle: string
  readonly vault: string
  readonly usdc: string
  readonly config: Val
}

/** Writes the entries that every generation has after initialization. */
export function storeInitialState(env: ContractEnv, state: InitialState): void {
  env.set('instance', INSTANCE.admin, address(state.admin))
  env.set('instance', INSTANCE.oracle, address(state.oracle))
  env.set('instance', INSTANCE.vault, address(state.vault))
  env.set('instance', INSTANCE.usdc, address(state.usdc))
  env.set('instance', INSTANCE.config, state.config)
  env.set('instance', INSTANCE.initialized, bool(true))
  env.set('persistent', KEYS.feeTiers, vec(...FEE_TIERS.map((tier) => FEE_TIER.toVal(tier))))
  // The first funding interval starts at initialization.
  env.set('persistent', KEYS.lastFundingTime, u64(env.ledger.timestampSec))
  for (const key of [KEYS.totalLongSize, KEYS.totalShortSize, KEYS.cumulativeFundingRate]) env.set('persistent', key, i128(0n))
  env.set('persistent', KEYS.positionCounter, u64(0n))
  env.set('instance', INSTANCE.paused, bool(false))
}

export function requireAdmin(env: ContractEnv): void {
  env.requireAuth(instanceAddress(env, INSTANCE.admin))
}

function setPaused(env: ContractEnv, paused: boolean): Val {
  requireAdmin(env)
  env.set('instance', INSTANCE.paused, bool(paused))
  emit(env, paused ? 'paused' : 'unpaused')
  return VOID
}
