// The vault factory: one contract for all trader vaults. On the local network it stands at its address with its published interface and is
// not initialised: calls answer 2, views answer as of a factory that holds no vault.

import { TRADER_VAULT_ERRORS } from '../../src/exchange/errors.ts'
import type { ContractCode, EntryPoint, SpecType } from './host.ts'
import { i128, symbol, u32, vec } from './host.ts'
import { entryPoint, fail } from './values.ts'

const NOT_INITIALIZED = 2
const VAULT_NOT_FOUND = 5

const LEADER: Readonly<Record<string, SpecType>> = { leader: 'address', vault_id: 'u32' }

/** The factory's code, uninitialised. */
export function traderVaultsContract(): ContractCode {
  return {
    name: 'trader vaults',
    structs: {
      VaultInfo: [
        ['circulating_shares', 'i128'], ['created_at', 'u64'], ['hwm_nav', 'i128'], ['id', 'u32'], ['leader', 'address'],
        ['leader_shares', 'i128'], ['name', 'string'], ['paused', 'bool'], ['profit_share_bps', 'u32'], ['realized_pnl', 'i128'],
        ['total_usdc', 'i128'],
      ],
    },
    errors: TRADER_VAULT_ERRORS,
    entryPoints: { ...calls(), ...views() },
  }
}

function calls(): Record<string, EntryPoint> {
  return {
    create_vault: uninitialised({ leader: 'address', name: 'string' }, 'u32'),
    deposit: uninitialised({ depositor: 'address', vault_id: 'u32', amount: 'i128' }, 'i128'),
    withdraw: uninitialised({ depositor: 'address', vault_id: 'u32', shares: 'i128' }, 'i128'),
    leader_open_position: uninitialised(
      { ...LEADER, asset: 'symbol', collateral: 'i128', leverage: 'u32', direction: 'u32' },
      'u64',
    ),
    leader_close_position: uninitialised({ ...LEADER, position_id: 'u64' }, 'void'),
    leader_place_limit_order: uninitialised(
      {
        ...LEADER, asset: 'symbol', collateral: 'i128', leverage: 'u32', direction: 'u32', trigger_price: 'i128', trigger_above: 'bool',
        slippage_tolerance_bps: 'u32',
      },
      'u64',
    ),
    leader_cancel_order: uninitialised({ ...LEADER, order_id: 'u64' }, 'void'),
    claim_leader_fees: uninitialised({ vault_id: 'u32' }, 'i128'),
    set_paused: uninitialised({ vault_id: 'u32', paused: 'bool' }, 'void'),
    admin_pause: uninitialised({ vault_id: 'u32', paused: 'bool' }, 'void'),
  }
}

function views(): Record<string, EntryPoint> {
  const unknownVault = entryPoint({ vault_id: 'u32' }, { struct: 'VaultInfo' }, () => fail(VAULT_NOT_FOUND))
  return {
    get_vault: unknownVault,
    view_vault: unknownVault,
    get_vault_ids: entryPoint({}, { vec: 'u32' }, () => vec()),
    vault_count: entryPoint({}, 'u32', () => u32(0)),
    shares_of: entryPoint({ vault_id: 'u32', holder: 'address' }, 'i128', () => i128(0n)),
    get_admin: uninitialised({}, 'address'),
    get_market: uninitialised({}, 'address'),
    get_usdc: uninitialised({}, 'address'),
    version: entryPoint({}, 'symbol', () => symbol('v1')),
  }
}

function uninitialised(inputs: Readonly<Record<string, SpecType>>, output: SpecType): EntryPoint {
  return entryPoint(inputs, output, () => fail(NOT_INITIALIZED))
}
