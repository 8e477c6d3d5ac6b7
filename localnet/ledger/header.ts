// Ledger headers. Each contains the hashes of the previous header, the transaction set, the results and the state.

import { sha256 } from './addresses.ts'
import {
  BASE_FEE_STROOPS, BASE_RESERVE_STROOPS, SOROBAN_TRANSACTIONS_PER_LEDGER, TOTAL_COINS_STROOPS,
} from './constants.ts'
import type { LedgerKey } from './keys.ts'
import { dataOf, type LedgerEntry } from './ledger-entry.ts'
import { encodeValue, type LedgerValue, ZERO_HASH } from './stellar-value.ts'
import type { Validator } from './validator.ts'
import { encode, fromBase64, putBytes, putI64, putU32, putU64 } from './xdr-writer.ts'

export interface Header extends LedgerValue {
  readonly sequence: number
  readonly resultsHash: Uint8Array
  readonly stateHash: Uint8Array
  /** All fees collected so far, stroops. */
  readonly feePool: bigint
}

const SKIP_LIST_LENGTH = 4
/** The position of the upgrades: after the protocol, two hashes and the close time. */
const UPGRADES_AT = 4 + 32 + 32 + 8

/** The network's protocol after a ledger: its header says so already. */
export const protocolAfter = ({ upgradeTo, previousProtocol }: Pick<Header, 'upgradeTo' | 'previousProtocol'>): number => upgradeTo ?? previousProtocol

/** LedgerHeader. */
export function encodeHeader(header: Header, validator: Validator): Uint8Array {
  return encode((writer) => {
    putU32(writer, protocolAfter(header))
    putBytes(writer, header.previousHash)
    putBytes(writer, encodeValue(header, validator))
    putBytes(writer, header.resultsHash)
    putBytes(writer, header.stateHash)
    putU32(writer, header.sequence)
    putI64(writer, TOTAL_COINS_STROOPS)
    putI64(writer, header.feePool)
    // No inflation, no id pool.
    putU32(writer, 0)
    putU64(writer, 0n)
    putU32(writer, BASE_FEE_STROOPS)
    putU32(writer, Number(BASE_RESERVE_STROOPS))
    putU32(writer, SOROBAN_TRANSACTIONS_PER_LEDGER)
    for (let slot = 0; slot < SKIP_LIST_LENGTH; slot++) putBytes(writer, ZERO_HASH)
    putU32(writer, 0)
  })
}

/** The protocol in a LedgerHeader. */
export const protocolOf = (headerXdr: Uint8Array): number => Buffer.from(headerXdr.buffer, headerXdr.byteOffset).readUInt32BE(0)

/** The upgrades in a LedgerHeader, LedgerUpgrade each. */
export function upgradesIn(headerXdr: Uint8Array): readonly Uint8Array[] {
  const bytes = Buffer.from(headerXdr.buffer, headerXdr.byteOffset, headerXdr.byteLength)
  let at = UPGRADES_AT
  const upgrades: Uint8Array[] = []
  for (let left = bytes.readUInt32BE(at); left > 0; left--) {
    const length = bytes.readUInt32BE(at + 4)
    upgrades.push(new Uint8Array(bytes.subarray(at + 8, at + 8 + length)))
    at += 4 + length
  }
  return upgrades
}

/** The hash of a ledger. */
export const headerHash = (headerXdr: Uint8Array): Uint8Array => sha256(headerXdr)

/** LedgerHeaderHistoryEntry. */
export function encodeHeaderEntry(hash: Uint8Array, headerXdr: Uint8Array): Uint8Array {
  return encode((writer) => {
    putBytes(writer, hash)
    putBytes(writer, headerXdr)
    putU32(writer, 0)
  })
}

/** Chains the changes of each ledger into one hash. It commits to the whole state at the cost of hashing only the changes. */
export function nextStateHash(previous: Uint8Array, changes: ReadonlyMap<LedgerKey, LedgerEntry | null>): Uint8Array {
  const parts: Uint8Array[] = [previous]
  for (const [key, ledgerEntry] of changes) {
    parts.push(fromBase64(key))
    if (ledgerEntry === null) continue
    parts.push(
      encode((writer) => {
        putU32(writer, ledgerEntry.lastModified)
        putU32(writer, ledgerEntry.liveUntil ?? 0)
      }),
      dataOf(ledgerEntry),
    )
  }
  return sha256(...parts)
}
