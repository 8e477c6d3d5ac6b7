// The liquidity vault: the liquidity providers' USDC, counterparty of every position (contracts, "Liquidity vault").

import { SHARED_ERRORS } from '../../../src/exchange/errors/errors.ts'
import { tokenBalance } from '../shared/calls.ts'
import type { ContractCode, ContractEnv, EntryPoint, SpecType, Val } from '../shared/host.ts'
import { address, bool, i128, struct, u32 } from '../shared/host.ts'
import { readInstanceU32, readPersistentI128 } from '../shared/instance-storage.ts'
import { administrationEntryPoints } from './liquidity-vault/administration.ts'
import { depositEntryPoints } from './liquidity-vault/deposits.ts'
import * as vault from '../shared/liquidity-vault/pool.ts'
import { settlementEntryPoints } from './liquidity-vault/settlement.ts'
import { asAddress, asSymbol, entryPoint, trap } from '../shared/values.ts'

/** The vault's error codes: the shared table and one that the shared table omits. */
export const LIQUIDITY_VAULT_ERRORS = { ...SHARED_ERRORS, 43: 'DepositCapExceeded' } as const

/** The liquidity vault's code. Call `initialize(admin, usdc, lp_token, market, deposit_fee_bps, withdraw_fee_bps)` first. */
export function liquidityVaultContract(): ContractCode {
  return {
    name: 'liquidity vault',
    structs: { PoolInfo: vault.POOL_INFO },
    errors: LIQUIDITY_VAULT_ERRORS,
    entryPoints: { ...depositEntryPoints(), ...settlementEntryPoints(), ...administrationEntryPoints(), ...poolViews(), ...configurationViews() },
  }
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
        aum: i128(vault.aumOf(pool)),
        total_fees: i128(pool.total_fees),
        total_glp: i128(pool.total_lp),
        total_usdc: i128(pool.total_usdc),
        unrealized_pnl: i128(pool.unrealized_pnl),
      })
    }),
    get_noe_price: initializedView('i128', (env) => i128(vault.lpPriceOf(vault.readPool(env)))),
    get_aum: initializedView('i128', (env) => i128(vault.aumOf(vault.readPool(env)))),
    get_total_noe: view('i128', (env) => i128(vault.readPool(env).total_lp)),
    get_total_usdc: view('i128', (env) => i128(vault.readPool(env).total_usdc)),
    get_usdc_balance: initializedView('i128', (env) => i128(tokenBalance(env, vault.readAddress(env, vault.KEYS.usdc), env.self))),
    get_reserved_payout: view('i128', (env) => i128(vault.readPool(env).reserved)),
    get_shortfall: view('i128', (env) => i128(vault.readPool(env).shortfall)),
    get_noe_balance: entryPoint({ account: 'address' }, 'i128', (env, args) => {
      const token = env.get('instance', vault.KEYS.lpToken) ?? trap('no LP token is stored')
      return i128(tokenBalance(env, asAddress(token), asAddress(args[0])))
    }),
    get_asset_unrealized_pnl: entryPoint({ asset: 'symbol' }, 'i128', (env, args) =>
      i128(readPersistentI128(env, vault.assetUnrealizedPnlKey(asSymbol(args[0]))))),
    get_deposited: entryPoint({ account: 'address' }, 'i128', (env, args) =>
      i128(readPersistentI128(env, vault.depositedKey(address(asAddress(args[0])))))),
  }
}

function configurationViews(): Record<string, EntryPoint> {
  return {
    get_deposit_fee: view('u32', (env) => u32(readInstanceU32(env, vault.KEYS.depositFeeBps, vault.DEFAULT_FEE_BPS))),
    get_withdraw_fee: view('u32', (env) => u32(readInstanceU32(env, vault.KEYS.withdrawFeeBps, vault.DEFAULT_FEE_BPS))),
    get_deposit_cap: view('i128', (env) => i128(vault.depositCap(env))),
    get_noe_token: initializedView('address', (env) => address(vault.readAddress(env, vault.KEYS.lpToken))),
    get_usdc_token: initializedView('address', (env) => address(vault.readAddress(env, vault.KEYS.usdc))),
    get_market_contract: initializedView('address', (env) => address(vault.readAddress(env, vault.KEYS.market))),
    get_admin: initializedView('address', (env) => address(vault.readAddress(env, vault.KEYS.admin))),
    is_paused: view('bool', (env) => bool(vault.isPaused(env))),
  }
}
