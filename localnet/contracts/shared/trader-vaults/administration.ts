// Initializing the factory, creating and pausing vaults (contracts, "Vault factory").

import { ONE_E7 } from '../../../../src/base/fixed-point.ts'
import { bytesOfText } from '../../../../src/base/text.ts'
import { emit, emitWithSubject } from '../emit.ts'
import type { ContractEnv, EntryPoint, Val } from '../host.ts'
import { address, bool, text, u32, VOID } from '../host.ts'
import { asAddress, asBool, asText, asU32, entryPoint, fail } from '../values.ts'
import { addVault, ERRORS, KEYS, readAddress, requireInitialized, requireVault, writeVault } from './vaults.ts'

const NAME_MAX_BYTES = 64
const PROFIT_SHARE_BPS = 1000

export function administrationEntryPoints(): Record<string, EntryPoint> {
  return {
    initialize: entryPoint({ admin: 'address', market: 'address', usdc: 'address' }, 'void', initialize),
    create_vault: createVaultEntryPoint(() => {}),
    set_paused: entryPoint({ vault_id: 'u32', paused: 'bool' }, 'void', (env, args) => {
      requireInitialized(env)
      env.requireAuth(requireVault(env, asU32(args[0])).leader)
      return setPaused(env, args, ['paused', 'unpaused'])
    }),
    admin_pause: entryPoint({ vault_id: 'u32', paused: 'bool' }, 'void', (env, args) => {
      env.requireAuth(readAddress(env, KEYS.admin))
      return setPaused(env, args, ['admin_paused', 'admin_unpaused'])
    }),
  }
}

function initialize(env: ContractEnv, args: readonly Val[]): Val {
  const [admin, market, usdc] = [asAddress(args[0]), asAddress(args[1]), asAddress(args[2])]
  if (env.get('instance', KEYS.admin) !== undefined) fail(ERRORS.AlreadyInitialized)
  env.requireAuth(admin)
  env.set('instance', KEYS.admin, address(admin))
  env.set('instance', KEYS.market, address(market))
  env.set('instance', KEYS.usdc, address(usdc))
  env.set('instance', KEYS.initialized, bool(true))
  emit(env, 'initialized', address(admin), address(market), address(usdc))
  return VOID
}

/** Creates a vault: 2, authorization, 4, the errors of `checkCreation`. */
export function createVaultEntryPoint(checkCreation: (env: ContractEnv, leader: string) => void): EntryPoint {
  return entryPoint({ leader: 'address', name: 'string' }, 'u32', (env, args) => {
    const [leader, name] = [asAddress(args[0]), asText(args[1])]
    requireInitialized(env)
    env.requireAuth(leader)
    if (name === '' || bytesOfText(name).length > NAME_MAX_BYTES) fail(ERRORS.InvalidName)
    checkCreation(env, leader)
    return createVault(env, leader, name)
  })
}

function createVault(env: ContractEnv, leader: string, name: string): Val {
  const id = addVault(env, {
    leader, name,
    created_at: env.ledger.timestampSec,
    circulating_shares: 0n, leader_shares: 0n, total_usdc: 0n, realized_pnl: 0n,
    hwm_nav: ONE_E7,
    profit_share_bps: PROFIT_SHARE_BPS,
    paused: false,
  })
  emitWithSubject(env, 'vault_created', u32(id), address(leader), text(name))
  return u32(id)
}

/** Leader and admin set the same flag; only their events differ. */
function setPaused(env: ContractEnv, args: readonly Val[], [pausedTopic, unpausedTopic]: readonly [string, string]): Val {
  const [vault, paused] = [requireVault(env, asU32(args[0])), asBool(args[1])]
  writeVault(env, { ...vault, paused })
  emitWithSubject(env, paused ? pausedTopic : unpausedTopic, u32(vault.id))
  return VOID
}
