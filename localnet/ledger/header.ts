// Ledger headers. Each contains the hashes of the previous header, the transaction set, the results and the state.

import { sha256 } from './addresses.ts'
import {
  BASE_FEE_STROOPS, BASE_RESERVE_STROOPS, PROTOCOL_VERSION, SOROBAN_TRANSACTIONS_PER_LEDGER, TOTAL_COINS_STROOPS,
} from './constants.ts'
import type { LedgerKey } from './keys.ts'
import { dataOf, type LedgerEntry } from './ledger-entry.ts'
import { encode, fromBase64, putBytes, putI64, putU32, putU64 } from './xdr-writer.ts'

export interface Header {
  readonly sequence: number
  readonly previousHash: Uint8Array
  readonly closeTimeSec: number
  readonly txSetHash: Uint8Array
  readonly resultsHash: Uint8Array
  readonly stateHash: Uint8Array
  /** All fees collected so far, stroops. */
  readonly feePool: bigint
}

export const ZERO_HASH = new Uint8Array(32)
const SKIP_LIST_LENGTH = 4

/** LedgerHeader. */
export function encodeHeader(header: Header): Uint8Array {
  return encode((writer) => {
    putU32(writer, PROTOCOL_VERSION)
    putBytes(writer, header.previousHash)
    // StellarValue: no upgrades, basic.
    putBytes(writer, header.txSetHash)
    putU64(writer, BigInt(header.closeTimeSec))
    putU32(writer, 0)
    putU32(writer, 0)
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
