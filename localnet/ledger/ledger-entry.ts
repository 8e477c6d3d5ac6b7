// Entries at their places in the ledger, in both their forms.

import { xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { type Entry, ENTRY_TYPE } from './entries.ts'
import { decodeEntry } from './entry-decoder.ts'
import { encodeEntryData } from './entry-encoder.ts'
import { encode, putBytes, putU32 } from './xdr-writer.ts'

/**
 * An entry at its place in the ledger. The entry itself never changes; its two forms (decoded, and LedgerEntryData) are made from each
 * other when first asked for, so that a chain of a hundred thousand entries opens without decoding them all.
 */
export interface LedgerEntry {
  readonly lastModified: number
  /** The last ledger that the entry lives in; null for classic entries, which have no end. */
  readonly liveUntil: number | null
  entry: Entry | null
  data: Uint8Array | null
}

export function createLedgerEntry(entry: Entry, modified: number, liveUntil: number | null): LedgerEntry {
  return { lastModified: modified, liveUntil, entry, data: null }
}

export function ledgerEntryFromData(data: Uint8Array, modified: number, liveUntil: number | null): LedgerEntry {
  return { lastModified: modified, liveUntil, entry: null, data }
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

/** LedgerEntry: the data with the ledger that last changed it. */
export function encodeLedgerEntry(ledgerEntry: LedgerEntry): Uint8Array {
  return encode((writer) => {
    putU32(writer, ledgerEntry.lastModified)
    putBytes(writer, dataOf(ledgerEntry))
    putU32(writer, 0)
  })
}

/** What stands around the data in a LedgerEntry: the ledger before it, no extension behind it. */
const LEDGER_ENTRY_OVERHEAD_BYTES = 8

/** How long a LedgerEntry is: what resources and rent count. */
export function entryBytes(ledgerEntry: LedgerEntry): number {
  return dataOf(ledgerEntry).length + LEDGER_ENTRY_OVERHEAD_BYTES
}

/** The LedgerEntry of an entry's time to live. */
export function encodeTtlEntry(keyHash: Uint8Array, liveUntil: number, modified: number): Uint8Array {
  return encode((writer) => {
    putU32(writer, modified)
    putU32(writer, ENTRY_TYPE.ttl)
    putBytes(writer, keyHash)
    putU32(writer, liveUntil)
    putU32(writer, 0)
  })
}
