// The vault factory of generation 2: shares at full value, all order types, and an owner for each position and order
// (generation 2, "Trader vaults").

import type { ContractCode, EntryPoint } from '../../shared/host.ts'
import { i128, u32, VOID } from '../../shared/host.ts'
import { viewEntryPoints } from '../../shared/trader-vaults.ts'
import { requireVault, VAULT_INFO } from '../../shared/trader-vaults/vaults.ts'
import { asU32, asU64, entryPoint } from '../../shared/values.ts'
import type { Generation2Build } from '../build.ts'
import { TRADER_VAULT_ERRORS } from '../errors.ts'
import { administrationEntryPoints } from './administration.ts'
import { depositEntryPoints } from './deposits.ts'
import { leaderEntryPoints } from './leader.ts'
import { reconcileEntryPoints } from './reconcile.ts'
import { ownerOf, type SlotKind } from './slots.ts'
import { fullNav } from './valuation.ts'

/** The factory's code. Call `initialize(admin, market, usdc)` first. */
export function traderVaultsContract(build: Generation2Build): ContractCode {
  return {
    name: 'trader vaults',
    structs: { VaultInfo: VAULT_INFO.spec },
    errors: TRADER_VAULT_ERRORS,
    entryPoints: {
      ...administrationEntryPoints(build), ...depositEntryPoints(build), ...leaderEntryPoints(), ...reconcileEntryPoints(),
      ...viewEntryPoints(),
      get_full_nav: entryPoint({ vault_id: 'u32' }, 'i128', (env, args) => i128(fullNav(env, requireVault(env, asU32(args[0]))))),
      get_position_vault: ownerView('Position', 'position_id'),
      get_order_vault: ownerView('Order', 'order_id'),
    },
  }
}

function ownerView(kind: SlotKind, input: string): EntryPoint {
  return entryPoint({ [input]: 'u64' }, { option: 'u32' }, (env, args) => {
    const owner = ownerOf(env, kind, asU64(args[0]))
    return owner === undefined ? VOID : u32(owner)
  })
}
