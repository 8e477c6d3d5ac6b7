// Decoded ledger entries (soroban-rpc, "Ledger entries").

import type { Val } from '../contracts/shared/host.ts'

/** A signer besides the master key: the address of an Ed25519 key, and its weight. */
export interface Signer {
  readonly key: string
  readonly weight: number
}

export interface AccountEntry {
  readonly kind: 'account'
  readonly account: string
  /** Stroops. */
  readonly balance: bigint
  readonly seqNum: bigint
  readonly subEntries: number
  readonly flags: number
  readonly homeDomain: string
  /** Master weight, low, medium, high. */
  readonly thresholds: readonly [number, number, number, number]
  readonly signers: readonly Signer[]
  /** The ledger that last consumed a sequence number, and its close time; 0 if never. */
  readonly seqLedger: number
  readonly seqTimeSec: number
}

export interface TrustlineEntry {
  readonly kind: 'trustline'
  readonly account: string
  /** `CODE:ISSUER`. */
  readonly asset: string
  readonly balance: bigint
  readonly limit: bigint
  readonly flags: number
}

export interface DataEntry {
  readonly kind: 'data'
  readonly account: string
  readonly name: string
  readonly value: Uint8Array
}

interface ContractDataEntry {
  readonly kind: 'contractData'
  readonly contract: string
  readonly key: Val
  readonly durability: 'persistent' | 'temporary'
  readonly value: Val
}

/** A contract instance. `wasmHash` is hex; null for the built-in asset contract. */
export interface InstanceEntry {
  readonly kind: 'instance'
  readonly contract: string
  readonly wasmHash: string | null
  /** By the key's ScVal in base64. Never mutated. */
  readonly storage: ReadonlyMap<string, readonly [Val, Val]>
}

interface CodeEntry {
  readonly kind: 'code'
  readonly hash: string
  readonly wasm: Uint8Array
}

/** A consumed nonce; the entry lives until the signature expires. */
interface NonceEntry {
  readonly kind: 'nonce'
  readonly address: string
  readonly nonce: bigint
}

export type Entry = AccountEntry | TrustlineEntry | DataEntry | ContractDataEntry | InstanceEntry | CodeEntry | NonceEntry

/** LedgerEntryType. */
export const ENTRY_TYPE = { account: 0, trustline: 1, data: 3, contractData: 6, contractCode: 7, ttl: 9 } as const

export const TRUSTLINE_AUTHORIZED_FLAG = 1
const TEMPORARY = 0
const PERSISTENT = 1

/** ContractDataDurability. */
export const durabilityCode = (durability: 'persistent' | 'temporary'): number => (durability === 'temporary' ? TEMPORARY : PERSISTENT)
