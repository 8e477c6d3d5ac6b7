// Encodes entries as LedgerEntryData.

import type { Val } from '../contracts/shared/host.ts'
import { encodeVal, putVal, SCV } from '../scval.ts'
import { putAccountId, putAsset, putScAddress } from './addresses.ts'
import {
  type AccountEntry, type DataEntry, durabilityCode, type Entry, ENTRY_TYPE, type InstanceEntry, type TrustlineEntry,
} from './entries.ts'
import {
  encode, fromHex, putBool, putBytes, putI64, putOpaque, putText, putU32, putU64, type XdrWriter,
} from './xdr-writer.ts'

/** LedgerEntryData. */
export function encodeEntryData(entry: Entry): Uint8Array {
  return encode((writer) => {
    switch (entry.kind) {
      case 'account':
        return putAccount(writer, entry)
      case 'trustline':
        return putTrustline(writer, entry)
      case 'data':
        return putData(writer, entry)
      case 'contractData':
        return putContractData(writer, entry.contract, entry.durability, () => putVal(writer, entry.key), () => putVal(writer, entry.value))
      case 'instance':
        return putInstance(writer, entry)
      case 'nonce':
        return putContractData(writer, entry.address, 'temporary', () => putNonceKey(writer, entry.nonce), () => putU32(writer, SCV.void))
      case 'code':
        putU32(writer, ENTRY_TYPE.contractCode)
        putU32(writer, 0)
        putBytes(writer, fromHex(entry.hash))
        return putOpaque(writer, entry.wasm)
    }
  })
}

function putAccount(writer: XdrWriter, entry: AccountEntry): void {
  putU32(writer, ENTRY_TYPE.account)
  putAccountId(writer, entry.account)
  putI64(writer, entry.balance)
  putI64(writer, entry.seqNum)
  putU32(writer, entry.subEntries)
  // No inflation destination.
  putU32(writer, 0)
  putU32(writer, entry.flags)
  putText(writer, entry.homeDomain)
  putBytes(writer, Uint8Array.from(entry.thresholds))
  putU32(writer, entry.signers.length)
  for (const signer of entry.signers) {
    putAccountId(writer, signer.key)
    putU32(writer, signer.weight)
  }
  putAccountExtension(writer, entry)
}

/** The third extension records when a sequence number was last consumed. It is absent until the first one is. */
function putAccountExtension(writer: XdrWriter, entry: AccountEntry): void {
  if (entry.seqLedger === 0) return putU32(writer, 0)
  putU32(writer, 1)
  // Liabilities: this ledger has no offers.
  putI64(writer, 0n)
  putI64(writer, 0n)
  putU32(writer, 2)
  // No sponsorships: two counters, and no sponsor for each signer.
  putU32(writer, 0)
  putU32(writer, 0)
  putU32(writer, entry.signers.length)
  for (let index = 0; index < entry.signers.length; index++) putU32(writer, 0)
  putU32(writer, 3)
  putU32(writer, 0)
  putU32(writer, entry.seqLedger)
  putU64(writer, BigInt(entry.seqTimeSec))
}

function putTrustline(writer: XdrWriter, entry: TrustlineEntry): void {
  putU32(writer, ENTRY_TYPE.trustline)
  putAccountId(writer, entry.account)
  putAsset(writer, entry.asset)
  putI64(writer, entry.balance)
  putI64(writer, entry.limit)
  putU32(writer, entry.flags)
  putU32(writer, 0)
}

function putData(writer: XdrWriter, entry: DataEntry): void {
  putU32(writer, ENTRY_TYPE.data)
  putAccountId(writer, entry.account)
  putText(writer, entry.name)
  putOpaque(writer, entry.value)
  putU32(writer, 0)
}

function putContractData(
  writer: XdrWriter,
  contract: string,
  durability: 'persistent' | 'temporary',
  putKey: () => void,
  putValue: () => void,
): void {
  putU32(writer, ENTRY_TYPE.contractData)
  putU32(writer, 0)
  putScAddress(writer, contract)
  putKey()
  putU32(writer, durabilityCode(durability))
  putValue()
}

/** The ScVal key of a nonce entry. */
export function putNonceKey(writer: XdrWriter, nonce: bigint): void {
  putU32(writer, SCV.nonceKey)
  putI64(writer, nonce)
}

function putInstance(writer: XdrWriter, entry: InstanceEntry): void {
  putContractData(writer, entry.contract, 'persistent', () => putU32(writer, SCV.instanceKey), () => {
    putU32(writer, SCV.instance)
    putU32(writer, entry.wasmHash === null ? 1 : 0)
    if (entry.wasmHash !== null) putBytes(writer, fromHex(entry.wasmHash))
    putBool(writer, entry.storage.size > 0)
    if (entry.storage.size === 0) return
    putU32(writer, entry.storage.size)
    for (const [key, value] of sortedStorage(entry.storage)) {
      putVal(writer, key)
      putVal(writer, value)
    }
  })
}

/** Map keys must be sorted. Instance keys are vecs of a name and at most one argument, for which byte order is the correct order. */
function sortedStorage(storage: InstanceEntry['storage']): readonly (readonly [Val, Val])[] {
  return [...storage.values()]
    .map((pair) => ({ pair, bytes: Buffer.from(encodeVal(pair[0])) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ pair }) => pair)
}
