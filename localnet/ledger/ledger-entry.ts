// LedgerEntry: an entry with its last modified ledger and TTL, encoded or decoded.

import { xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { type Entry, ENTRY_TYPE } from './entries.ts'
import { decodeEntry } from './entry-decoder.ts'
import { encodeEntryData } from './entry-encoder.ts'
import { encode, putBytes, putU32 } from './xdr-writer.ts'

/**
 * An entry in the ledger. Its value never changes. The two forms, decoded and LedgerEntryData, are derived from each other on first use, so
 * a chain of a hundred thousand entries opens without decoding them all.
 */
export interface LedgerEntry {
  readonly lastModified: number
  /** The last ledger of the entry's TTL; null for classic entries, which do not expire. */
  readonly liveUntil: number | null
  entry: Entry | null
  data: Uint8Array | null
}

export function createLedgerEntry(entry: Entry, lastModified: number, liveUntil: number | null): LedgerEntry {
  return { lastModified, liveUntil, entry, data: null }
}

export function ledgerEntryFromData(data: Uint8Array, lastModified: number, liveUntil: number | null): LedgerEntry {
  return { lastModified, liveUntil, entry: null, data }
}

/** The decoded entry. */
export function entryOf(ledgerEntry: LedgerEntry): Entry {
  ledgerEntry.entry ??= decodeEntry(xdr.LedgerEntryData.fromXdr(defined(ledgerEntry.data, 'the bytes of an undecoded entry')))
  return ledgerEntry.entry
}

/** LedgerEntryData. */
export function dataOf(ledgerEntry: LedgerEntry): Uint8Array {
  ledgerEntry.data ??= encodeEntryData(defined(ledgerEntry.entry, 'an entry without bytes'))
  return ledgerEntry.data
}

/** LedgerEntry. */
export function encodeLedgerEntry(ledgerEntry: LedgerEntry): Uint8Array {
  return encode((writer) => {
    putU32(writer, ledgerEntry.lastModified)
    putBytes(writer, dataOf(ledgerEntry))
    putU32(writer, 0)
  })
}

/** A LedgerEntry adds lastModifiedLedgerSeq before the data and an empty extension after it. */
const LEDGER_ENTRY_OVERHEAD_BYTES = 8

/** The size of the LedgerEntry, which resource limits and rent are based on. */
export function entryBytes(ledgerEntry: LedgerEntry): number {
  return dataOf(ledgerEntry).length + LEDGER_ENTRY_OVERHEAD_BYTES
}

/** The TTL entry of another entry, as LedgerEntry. */
export function encodeTtlEntry(keyHash: Uint8Array, liveUntil: number, modified: number): Uint8Array {
  return encode((writer) => {
    putU32(writer, modified)
    putU32(writer, ENTRY_TYPE.ttl)
    putBytes(writer, keyHash)
    putU32(writer, liveUntil)
    putU32(writer, 0)
  })
}
