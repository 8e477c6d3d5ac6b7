// Creating vaults under an allow-list and a cap, and the admin's settings of the factory in generation 2.

import { requireBothAuth } from '../../shared/authorization.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint } from '../../shared/host.ts'
import { address, u32, VOID } from '../../shared/host.ts'
import { readInstanceU32 } from '../../shared/instance-storage.ts'
import { administrationEntryPoints as administrationEntryPoints1, createVaultEntryPoint } from '../../shared/trader-vaults/administration.ts'
import { KEYS, readAddress, readVaultCount } from '../../shared/trader-vaults/vaults.ts'
import { upgradeEntryPoint } from '../../shared/upgrade.ts'
import { asAddress, asU32, asVec, entryPoint, fail, storageKey } from '../../shared/values.ts'
import { type Generation2Build, isSince } from '../build.ts'
import { ERRORS } from './slots.ts'

const LEADER_ALLOWLIST = storageKey('LeaderAllowlist')
const MAX_ACTIVE_VAULTS = storageKey('MaxActiveVaults')

export function administrationEntryPoints(build: Generation2Build): Record<string, EntryPoint> {
  const setAdmin = entryPoint({ new_admin: 'address' }, 'void', (env, args) => {
    const [oldAdmin, newAdmin] = [readAddress(env, KEYS.admin), asAddress(args[0])]
    requireBothAuth(env, oldAdmin, newAdmin)
    env.set('instance', KEYS.admin, address(newAdmin))
    emit(env, 'admin_rotated', address(oldAdmin), address(newAdmin))
    return VOID
  })
  return {
    ...administrationEntryPoints1(),
    create_vault: createVaultEntryPoint(checkCreation),
    set_leader_allowlist: entryPoint({ leaders: { vec: 'address' } }, 'void', (env, args) => {
      const leaders = args[0] ?? VOID
      requireAdmin(env)
      env.set('instance', LEADER_ALLOWLIST, leaders)
      emit(env, 'allowlist_set', leaders)
      return VOID
    }),
    set_max_vaults: entryPoint({ max_vaults: 'u32' }, 'void', (env, args) => {
      requireAdmin(env)
      env.set('instance', MAX_ACTIVE_VAULTS, u32(asU32(args[0])))
      emit(env, 'max_vaults_set', u32(asU32(args[0])))
      return VOID
    }),
    ...(isSince(build, '2.1') && { set_admin: setAdmin }),
    upgrade: upgradeEntryPoint(requireAdmin),
  }
}

function requireAdmin(env: ContractEnv): void {
  env.requireAuth(readAddress(env, KEYS.admin))
}

/** Fails with 20 for a leader who is not on a non-empty allow-list, and at the maximum number of vaults; 0 means no maximum. */
function checkCreation(env: ContractEnv, leader: string): void {
  const allowed = env.get('instance', LEADER_ALLOWLIST)
  const leaders = allowed === undefined ? [] : asVec(allowed).map(asAddress)
  if (leaders.length > 0 && !leaders.includes(leader)) fail(ERRORS.CreationRestricted)
  const maximum = readInstanceU32(env, MAX_ACTIVE_VAULTS, 0)
  if (maximum > 0 && readVaultCount(env) >= maximum) fail(ERRORS.CreationRestricted)
}
