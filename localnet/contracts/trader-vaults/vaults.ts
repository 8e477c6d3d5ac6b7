// The factory's books: what is stored of each vault, and who may touch it. The keys are this network's own.

import type { ContractEnv, Val } from '../host.ts'
import { address, i128, u32, vec } from '../host.ts'
import { asAddress, asI128, asU32, type CodecRecord, fail, storageKey, structCodec } from '../values.ts'

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

/** A vault. `circulating_shares` are everybody's, the leader's included; amounts have 7 decimals. */
export type Vault = CodecRecord<typeof VAULT_INFO>

/** Instance keys. */
export const KEYS = { admin: storageKey('Admin'), market: storageKey('Market'), usdc: storageKey('UsdcToken') } as const

const VAULT_COUNT = storageKey('VaultCount')

/** Persistent keys. */
export const vaultKey = (id: number): Val => storageKey('Vault', u32(id))
export const sharesKey = (id: number, holder: string): Val => storageKey('Shares', vec(u32(id), address(holder)))

/** 2 before initialisation. */
export function requireInitialized(env: ContractEnv): void {
  if (env.get('instance', KEYS.admin) === undefined) fail(ERRORS.NotInitialized)
}

export function readAddress(env: ContractEnv, key: Val): string {
  return asAddress(env.get('instance', key) ?? fail(ERRORS.NotInitialized))
}

/** How many vaults there are: their ids are dense, from 0. */
export function readVaultCount(env: ContractEnv): number {
  const stored = env.get('instance', VAULT_COUNT)
  return stored === undefined ? 0 : asU32(stored)
}

export function addVault(env: ContractEnv, vault: Omit<Vault, 'id'>): number {
  const id = readVaultCount(env)
  env.set('instance', VAULT_COUNT, u32(id + 1))
  writeVault(env, { ...vault, id })
  return id
}

/** The vault, which must exist (5). */
export function requireVault(env: ContractEnv, id: number): Vault {
  return VAULT_INFO.fromVal(env.get('persistent', vaultKey(id)) ?? fail(ERRORS.VaultNotFound))
}

export function writeVault(env: ContractEnv, vault: Vault): void {
  env.set('persistent', vaultKey(vault.id), VAULT_INFO.toVal(vault))
}

/** 12 while its leader or the admin has paused it. */
export function requireActive(vault: Vault): void {
  if (vault.paused) fail(ERRORS.Paused)
}

export function readShares(env: ContractEnv, id: number, holder: string): bigint {
  const stored = env.get('persistent', sharesKey(id, holder))
  return stored === undefined ? 0n : asI128(stored)
}

export function writeShares(env: ContractEnv, id: number, holder: string, shares: bigint): void {
  env.set('persistent', sharesKey(id, holder), i128(shares))
}
