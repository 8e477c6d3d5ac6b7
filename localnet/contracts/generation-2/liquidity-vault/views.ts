// The vault's views in generation 2.

import { tokenBalance } from '../../shared/calls.ts'
import type { ContractEnv, EntryPoint, SpecType, Val } from '../../shared/host.ts'
import { address, bool, i128, struct, u32, u64, vec, VOID } from '../../shared/host.ts'
import { aumOf, lpPriceOf } from '../../shared/liquidity-vault/pool.ts'
import { asAddress, asSymbol, entryPoint, trap } from '../../shared/values.ts'
import { type Generation2Build, isSince } from '../build.ts'
import * as vault from './storage.ts'
import { AMOUNTS, KEYS } from './storage.ts'

export function viewEntryPoints(build: Generation2Build): Record<string, EntryPoint> {
  return { ...poolViews(), ...amountViews(), ...accountViews(), ...settingViews(build), ...assetViews() }
}

/** A view that answers with defaults before initialization. */
function view(output: SpecType, read: (env: ContractEnv) => Val): EntryPoint {
  return entryPoint({}, output, read)
}

/** A view that fails with 1 before initialization. */
function initializedView(output: SpecType, read: (env: ContractEnv) => Val): EntryPoint {
  return view(output, (env) => {
    vault.requireInitialized(env)
    return read(env)
  })
}

function poolViews(): Record<string, EntryPoint> {
  return {
    get_pool_info: initializedView({ struct: 'PoolInfo' }, (env) => {
      const pool = vault.readPool(env)
      return struct({
        aum: i128(aumOf(pool)),
        total_fees: i128(pool.total_fees),
        total_glp: i128(pool.total_lp),
        total_usdc: i128(pool.total_usdc),
        unrealized_pnl: i128(pool.unrealized_pnl),
      })
    }),
    get_noe_price: initializedView('i128', (env) => i128(lpPriceOf(vault.readPool(env)))),
    get_aum: initializedView('i128', (env) => i128(vault.readAum(env))),
    get_usdc_balance: initializedView('i128', (env) => i128(vault.usdcBalance(env))),
    get_noe_token: initializedView('address', (env) => address(vault.readAddress(env, KEYS.lpToken))),
    get_usdc_token: initializedView('address', (env) => address(vault.readAddress(env, KEYS.usdc))),
    get_market_contract: initializedView('address', (env) => address(vault.readAddress(env, KEYS.market))),
    get_admin: initializedView('address', (env) => address(vault.readAddress(env, KEYS.admin))),
    is_paused: view('bool', (env) => bool(vault.isPaused(env))),
    get_recovery_address: view({ option: 'address' }, (env) => env.get('instance', KEYS.recoveryAddress) ?? VOID),
    get_recovery_proposal: view({ option: { tuple: ['i128', 'u64'] } }, (env) => env.get('instance', KEYS.recoveryProposal) ?? VOID),
  }
}

function amountViews(): Record<string, EntryPoint> {
  const amount = (key: Val): EntryPoint => view('i128', (env) => i128(vault.readAmount(env, key)))
  return {
    get_total_noe: amount(AMOUNTS.totalLp),
    get_total_usdc: amount(AMOUNTS.totalUsdc),
    get_reserved_payout: amount(AMOUNTS.reservedPayout),
    get_buffer_balance: amount(AMOUNTS.buffer),
    get_shortfall: amount(AMOUNTS.shortfall),
    get_shortfall_reserve: amount(AMOUNTS.shortfallReserve),
    get_cum_shortfall: amount(AMOUNTS.cumShortfall),
    get_cum_shortfall_repaid: amount(AMOUNTS.cumShortfallRepaid),
    get_cum_bad_debt_covered: amount(AMOUNTS.cumBadDebtCovered),
    get_cum_bad_debt_lp_absorbed: amount(AMOUNTS.cumBadDebtLpAbsorbed),
  }
}

function accountViews(): Record<string, EntryPoint> {
  const accountView = (output: SpecType, read: (env: ContractEnv, account: string) => Val): EntryPoint =>
    entryPoint({ account: 'address' }, output, (env, args) => read(env, asAddress(args[0])))
  return {
    get_noe_balance: accountView('i128', (env, account) => {
      const token = env.get('instance', KEYS.lpToken) ?? trap('no LP token is stored')
      return i128(tokenBalance(env, asAddress(token), account))
    }),
    get_deposited: accountView('i128', (env, account) => i128(vault.readAmount(env, vault.depositedKey(account)))),
    get_last_deposit_ts: accountView('u64', (env, account) => u64(vault.readLastDepositSec(env, account))),
    get_shortfall_owed: accountView('i128', (env, account) => i128(vault.readAmount(env, vault.shortfallOwedKey(account)))),
  }
}

function settingViews(build: Generation2Build): Record<string, EntryPoint> {
  const cap = (key: Val): EntryPoint => view('i128', (env) => i128(vault.readInstanceAmount(env, key)))
  return {
    get_deposit_fee: view('u32', (env) => u32(vault.readFeeBps(env, KEYS.depositFeeBps))),
    get_withdraw_fee: view('u32', (env) => u32(vault.readFeeBps(env, KEYS.withdrawFeeBps))),
    get_deposit_cap: cap(KEYS.depositCap),
    ...(isSince(build, '2.1') && { get_aum_cap: cap(KEYS.aumCap) }),
    get_reserve_cap: view('u32', (env) => u32(vault.readReserveCapBps(env))),
    get_buffer_target_bps: view('u32', (env) => u32(vault.readBufferTargetBps(env))),
    get_withdraw_cooldown: view('u64', (env) => u64(vault.readWithdrawCooldownSec(env))),
  }
}

function assetViews(): Record<string, EntryPoint> {
  const assetView = (output: SpecType, read: (env: ContractEnv, asset: string) => Val): EntryPoint =>
    entryPoint({ asset: 'symbol' }, output, (env, args) => read(env, asSymbol(args[0])))
  return {
    get_asset_unrealized_pnl: assetView('i128', (env, asset) => i128(vault.readAmount(env, vault.assetUnrealizedPnlKey(asset)))),
    get_asset_cap: assetView('u32', (env, asset) => u32(vault.readAssetCapBps(env, asset))),
    get_asset_caps: assetView({ tuple: ['u32', 'i128', 'u32', 'i128'] }, (env, asset) =>
      vec(
        u32(vault.readAssetCapBps(env, asset)),
        i128(vault.readAmount(env, vault.assetCapAbsKey(asset))),
        u32(vault.readSkewCapBps(env, asset)),
        i128(vault.sideCap(env, asset, vault.readAum(env))),
      ),
    ),
  }
}
