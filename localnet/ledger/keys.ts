// Where entries stand: LedgerKeys in base64, as they are asked for.

import type { Val } from '../contracts/host.ts'
import { putVal, SCV } from '../scval.ts'
import { putAccountId, putAsset, putScAddress, sha256 } from './addresses.ts'
import { durabilityCode, type Entry, ENTRY_TYPE } from './entries.ts'
import { putNonceKey } from './entry-encoder.ts'
import { encode, fromBase64, fromHex, putBytes, putText, putU32, toBase64, type XdrWriter } from './xdr-writer.ts'

/** A LedgerKey in base64. */
export type LedgerKey = string

const key = (write: (writer: XdrWriter) => void): LedgerKey => toBase64(encode(write))

/** Accounts are looked up many times a second; the text of their keys is kept. */
const ACCOUNT_KEYS_MAX = 20_000
const accountKeys = new Map<string, LedgerKey>()

export function accountKey(account: string): LedgerKey {
  const known = accountKeys.get(account)
  if (known !== undefined) return known
  if (accountKeys.size >= ACCOUNT_KEYS_MAX) accountKeys.clear()
  const made = key((writer) => {
    putU32(writer, ENTRY_TYPE.account)
    putAccountId(writer, account)
  })
  accountKeys.set(account, made)
  return made
}

export function trustlineKey(account: string, asset: string): LedgerKey {
  return key((writer) => {
    putU32(writer, ENTRY_TYPE.trustline)
    putAccountId(writer, account)
    putAsset(writer, asset)
  })
}

export function dataKey(account: string, name: string): LedgerKey {
  return key((writer) => {
    putU32(writer, ENTRY_TYPE.data)
    putAccountId(writer, account)
    putText(writer, name)
  })
}

function contractData(contract: string, durability: 'persistent' | 'temporary', putKey: (writer: XdrWriter) => void): LedgerKey {
  return key((writer) => {
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
  return key((writer) => {
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

/** The hash by which an entry's time to live is found. */
export function ttlHash(of: LedgerKey): Uint8Array {
  return sha256(fromBase64(of))
}

/** LedgerEntryType of a key, from its first four bytes. */
export function entryTypeOf(of: LedgerKey): number {
  return Buffer.from(of.slice(0, 8), 'base64').readUInt32BE(0)
}

/** True for a contract data key of temporary durability: it ends with that. */
export function isTemporaryKey(of: LedgerKey): boolean {
  const bytes = Buffer.from(of, 'base64')
  return bytes.readUInt32BE(0) === ENTRY_TYPE.contractData && bytes.readUInt32BE(bytes.length - 4) === 0
}
