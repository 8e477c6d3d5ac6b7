// The factory's storage and access checks.

import type { ContractEnv, Val } from '../host.ts'
import { address, i128, symbol, u32, vec } from '../host.ts'
import { readInstanceAddress, readInstanceU32, readPersistentI128 } from '../instance-storage.ts'
import { asU32, asVec, type CodecRecord, fail, storageKey, structCodec } from '../values.ts'

/** Error codes that the factory raises (specification, "Trader vault errors"). */
export const ERRORS = {
  AlreadyInitialized: 1, NotInitialized: 2, InvalidParameter: 3, InvalidName: 4, VaultNotFound: 5, NotLeader: 6, AmountMustBePositive: 8,
  InsufficientShares: 9, InsufficientBalance: 10, LeaderMinimumViolated: 11, Paused: 12, Overflow: 13, NavCalculationFailed: 14,
  NoFeesToClaim: 15,
} as const

export const VAULT_INFO = structCodec({
  circulating_shares: 'i128', created_at: 'u64', hwm_nav: 'i128', id: 'u32', leader: 'address', leader_shares: 'i128', name: 'string',
  paused: 'bool', profit_share_bps: 'u32', realized_pnl: 'i128', total_usdc: 'i128',
})

/** A vault. `circulating_shares` includes the leader's; amounts have 7 decimals. */
export type Vault = CodecRecord<typeof VAULT_INFO>

/** Instance keys. */
export const KEYS = {
  admin: storageKey('Admin'), market: storageKey('Market'), usdc: storageKey('Usdc'), initialized: storageKey('Initialized'),
} as const

const NEXT_VAULT_ID = storageKey('NextVaultId')
const VAULT_LIST = storageKey('VaultList')

/** Persistent keys. */
export const vaultKey = (id: number): Val => storageKey('Vault', u32(id))
export const sharesKey = (id: number, holder: string): Val => vec(symbol('Shares'), u32(id), address(holder))

/** Fails with 2 before initialization. */
export function requireInitialized(env: ContractEnv): void {
  if (env.get('instance', KEYS.admin) === undefined) fail(ERRORS.NotInitialized)
}

export function readAddress(env: ContractEnv, key: Val): string {
  return readInstanceAddress(env, key, ERRORS.NotInitialized)
}

/** The number of vaults. Their ids are dense, from 0. */
export function readVaultCount(env: ContractEnv): number {
  return readInstanceU32(env, NEXT_VAULT_ID, 0)
}

export function addVault(env: ContractEnv, vault: Omit<Vault, 'id'>): number {
  const id = readVaultCount(env)
  env.set('instance', NEXT_VAULT_ID, u32(id + 1))
  env.set('persistent', VAULT_LIST, vec(...readVaultIds(env).map(u32), u32(id)))
  writeVault(env, { ...vault, id })
  return id
}

export function readVaultIds(env: ContractEnv): readonly number[] {
  const stored = env.get('persistent', VAULT_LIST)
  return stored === undefined ? [] : asVec(stored).map(asU32)
}

/** The vault; fails with 5 if it does not exist. */
export function requireVault(env: ContractEnv, id: number): Vault {
  return VAULT_INFO.fromVal(env.get('persistent', vaultKey(id)) ?? fail(ERRORS.VaultNotFound))
}

export function writeVault(env: ContractEnv, vault: Vault): void {
  env.set('persistent', vaultKey(vault.id), VAULT_INFO.toVal(vault))
}

/** Fails with 12 while the vault is paused. */
export function requireActive(vault: Vault): void {
  if (vault.paused) fail(ERRORS.Paused)
}

export function readShares(env: ContractEnv, id: number, holder: string): bigint {
  return readPersistentI128(env, sharesKey(id, holder))
}

export function writeShares(env: ContractEnv, id: number, holder: string, shares: bigint): void {
  if (shares === 0n) env.remove('persistent', sharesKey(id, holder))
  else env.set('persistent', sharesKey(id, holder), i128(shares))
}
