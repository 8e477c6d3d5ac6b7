// LedgerKeys in base64.

import { createCache } from '../../src/base/cache.ts'
import type { Val } from '../contracts/shared/host.ts'
import { putVal, SCV } from '../scval.ts'
import { putAccountId, putAsset, putScAddress, sha256 } from './addresses.ts'
import { durabilityCode, type Entry, ENTRY_TYPE } from './entries.ts'
import { putNonceKey } from './entry-encoder.ts'
import { encode, fromBase64, fromHex, putBytes, putText, putU32, toBase64, type XdrWriter } from './xdr-writer.ts'

/** A LedgerKey in base64. */
export type LedgerKey = string

const encodeKey = (write: (writer: XdrWriter) => void): LedgerKey => toBase64(encode(write))

/** Account keys are needed many times per second, so they are cached. */
const ACCOUNT_KEYS_MAX = 20_000
const accountKeys = createCache<string, LedgerKey>(ACCOUNT_KEYS_MAX)

export function accountKey(account: string): LedgerKey {
  const cached = accountKeys.get(account)
  if (cached !== undefined) return cached
  const created = encodeKey((writer) => {
    putU32(writer, ENTRY_TYPE.account)
    putAccountId(writer, account)
  })
  accountKeys.set(account, created)
  return created
}

export function trustlineKey(account: string, asset: string): LedgerKey {
  return encodeKey((writer) => {
    putU32(writer, ENTRY_TYPE.trustline)
    putAccountId(writer, account)
    putAsset(writer, asset)
  })
}

export function dataKey(account: string, name: string): LedgerKey {
  return encodeKey((writer) => {
    putU32(writer, ENTRY_TYPE.data)
    putAccountId(writer, account)
    putText(writer, name)
  })
}

function contractData(contract: string, durability: 'persistent' | 'temporary', putKey: (writer: XdrWriter) => void): LedgerKey {
  return encodeKey((writer) => {
    putU32(writer, ENTRY_TYPE.contractData)
    putScAddress(writer, contract)
    putKey(writer)
    putU32(writer, durabilityCode(durability))
  })
}

export function contractDataKey(contract: string, durability: 'persistent' | 'temporary', val: Val): LedgerKey {
  return contractData(contract, durability, (writer) => putVal(writer, val))
}

export function instanceKey(contract: string): LedgerKey {
  return contractData(contract, 'persistent', (writer) => putU32(writer, SCV.instanceKey))
}

export function nonceKey(address: string, nonce: bigint): LedgerKey {
  return contractData(address, 'temporary', (writer) => putNonceKey(writer, nonce))
}

/** By the module's hash in hex. */
export function codeKey(hash: string): LedgerKey {
  return encodeKey((writer) => {
    putU32(writer, ENTRY_TYPE.contractCode)
    putBytes(writer, fromHex(hash))
  })
}

/** The key of an entry. */
export function keyOf(entry: Entry): LedgerKey {
  switch (entry.kind) {
    case 'account':
      return accountKey(entry.account)
    case 'trustline':
      return trustlineKey(entry.account, entry.asset)
    case 'data':
      return dataKey(entry.account, entry.name)
    case 'contractData':
      return contractDataKey(entry.contract, entry.durability, entry.key)
    case 'instance':
      return instanceKey(entry.contract)
    case 'code':
      return codeKey(entry.hash)
    default:
      return nonceKey(entry.address, entry.nonce)
  }
}

/** The key hash of an entry's TTL entry. */
export function ttlHash(key: LedgerKey): Uint8Array {
  return sha256(fromBase64(key))
}

/** LedgerEntryType of a key, from its first four bytes. */
export function entryTypeOf(key: LedgerKey): number {
  return Buffer.from(key.slice(0, 8), 'base64').readUInt32BE(0)
}

/** True for a contract data key of temporary durability, which is the last field of the key. */
export function isTemporaryKey(key: LedgerKey): boolean {
  const bytes = Buffer.from(key, 'base64')
  return bytes.readUInt32BE(0) === ENTRY_TYPE.contractData && bytes.readUInt32BE(bytes.length - 4) === 0
}
