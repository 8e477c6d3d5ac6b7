// The positions and orders of each vault. The market sees the factory as the trader of all vaults.

import type { ContractEnv, Val } from '../../shared/host.ts'
import { u32, u64, vec } from '../../shared/host.ts'
import { ERRORS as ERRORS_1 } from '../../shared/trader-vaults/vaults.ts'
import { asU32, asU64, asVec, fail, storageKey } from '../../shared/values.ts'

export const ERRORS = {
  ...ERRORS_1,
  NotVaultPosition: 16, LiquidityDeployed: 17, ValuationUnavailable: 18, TooManyOpenSlots: 19, CreationRestricted: 20, MinOutputNotMet: 21,
} as const

/** Positions and entry orders that one vault may have, together. */
const MAX_SLOTS = 16

export type SlotKind = 'Position' | 'Order'

const listKey = (kind: SlotKind, vaultId: number): Val => storageKey(`Vault${kind}s`, u32(vaultId))
const ownerKey = (kind: SlotKind, id: bigint): Val => storageKey(`${kind}Vault`, u64(id))

export function readSlots(env: ContractEnv, kind: SlotKind, vaultId: number): readonly bigint[] {
  const stored = env.get('persistent', listKey(kind, vaultId))
  return stored === undefined ? [] : asVec(stored).map(asU64)
}

/** The vault's id, or undefined. */
export function ownerOf(env: ContractEnv, kind: SlotKind, id: bigint): number | undefined {
  const stored = env.get('persistent', ownerKey(kind, id))
  return stored === undefined ? undefined : asU32(stored)
}

/** Fails with 16 unless the vault owns the position or order. */
export function requireOwned(env: ContractEnv, kind: SlotKind, vaultId: number, id: bigint): void {
  if (ownerOf(env, kind, id) !== vaultId) fail(ERRORS.NotVaultPosition)
}

/** Binds a position or order to a vault; fails with 19 if the vault has no free slot. */
export function addSlot(env: ContractEnv, kind: SlotKind, vaultId: number, id: bigint): void {
  if (readSlots(env, 'Position', vaultId).length + readSlots(env, 'Order', vaultId).length >= MAX_SLOTS) fail(ERRORS.TooManyOpenSlots)
  writeSlots(env, kind, vaultId, [...readSlots(env, kind, vaultId), id])
  env.set('persistent', ownerKey(kind, id), u32(vaultId))
}

export function removeSlot(env: ContractEnv, kind: SlotKind, vaultId: number, id: bigint): void {
  writeSlots(env, kind, vaultId, readSlots(env, kind, vaultId).filter((owned) => owned !== id))
  env.remove('persistent', ownerKey(kind, id))
}

function writeSlots(env: ContractEnv, kind: SlotKind, vaultId: number, ids: readonly bigint[]): void {
  env.set('persistent', listKey(kind, vaultId), vec(...ids.map(u64)))
}
