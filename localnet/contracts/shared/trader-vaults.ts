// The vault factory: one contract for all trader vaults. It holds their USDC in one balance and trades for all of them under its own
// address (contracts, "Vault factory", "Trader vaults").

import { TRADER_VAULT_ERRORS } from '../../../src/exchange/errors/errors.ts'
import type { ContractCode, EntryPoint } from './host.ts'
import { address, i128, symbol, u32, vec } from './host.ts'
import { administrationEntryPoints } from './trader-vaults/administration.ts'
import { depositEntryPoints } from './trader-vaults/deposits.ts'
import { leaderEntryPoints } from './trader-vaults/leader.ts'
import { KEYS, readAddress, readShares, readVaultCount, readVaultIds, requireVault, VAULT_INFO } from './trader-vaults/vaults.ts'
import { asAddress, asU32, entryPoint } from './values.ts'

/** The factory's code. Call `initialize(admin, market, usdc)` first. */
export function traderVaultsContract(): ContractCode {
  return {
    name: 'trader vaults',
    structs: { VaultInfo: VAULT_INFO.spec },
    errors: TRADER_VAULT_ERRORS,
    entryPoints: { ...administrationEntryPoints(), ...depositEntryPoints(), ...leaderEntryPoints(), ...viewEntryPoints() },
  }
}

/** The views of both generations. */
export function viewEntryPoints(): Record<string, EntryPoint> {
  const vaultInfo = entryPoint({ vault_id: 'u32' }, { struct: 'VaultInfo' }, (env, args) => VAULT_INFO.toVal(requireVault(env, asU32(args[0]))))
  return {
    get_vault: vaultInfo,
    view_vault: vaultInfo,
    get_vault_ids: entryPoint({}, { vec: 'u32' }, (env) => vec(...readVaultIds(env).map(u32))),
    vault_count: entryPoint({}, 'u32', (env) => u32(readVaultCount(env))),
    shares_of: entryPoint({ vault_id: 'u32', holder: 'address' }, 'i128', (env, args) => i128(readShares(env, asU32(args[0]), asAddress(args[1])))),
    get_admin: entryPoint({}, 'address', (env) => address(readAddress(env, KEYS.admin))),
    get_market: entryPoint({}, 'address', (env) => address(readAddress(env, KEYS.market))),
    get_usdc: entryPoint({}, 'address', (env) => address(readAddress(env, KEYS.usdc))),
    version: entryPoint({}, 'symbol', () => symbol('vault_factory_v0')),
  }
}
