import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { fc } from '../../test/support/fuzz.ts'
import { decodeEntry } from './entry-decoder.ts'
import { encodeEntryData } from './entry-encoder.ts'
import { entryTypeOf, isTemporaryKey, keyOf } from './keys.ts'
import { createLedgerEntry, encodeLedgerEntry, entryBytes } from './ledger-entry.ts'
import { anyEntry } from './test-values.ts'
import { toBase64 } from './xdr-writer.ts'

/** Normalizes byte arrays and maps for comparison. */
const asHex = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (_, each: unknown) => {
  if (typeof each === 'bigint') return `${each}n`
  if (each instanceof Uint8Array) return Buffer.from(each).toString('hex')
  return each instanceof Map ? Object.fromEntries([...each].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))) : each
})) as unknown

test('entries survive an encode and decode round trip, with the same bytes as the SDK', () => {
  fc.assert(
    fc.property(anyEntry, (entry) => {
      const bytes = encodeEntryData(entry)
      const decoded = xdr.LedgerEntryData.fromXdr(bytes)
      assert.equal(decoded.toXdr('base64'), toBase64(bytes))
      assert.deepEqual(asHex(decodeEntry(decoded)), asHex(entry))
    }),
  )
})

test("ledger keys decode with the SDK to the entry's type and durability", () => {
  fc.assert(
    fc.property(anyEntry, (entry) => {
      const key = keyOf(entry)
      const decoded = xdr.LedgerKey.fromXdr(key, 'base64')
      assert.equal(decoded.toXdr('base64'), key)
      assert.equal(Buffer.from(key, 'base64').readUInt32BE(0), entryTypeOf(key))
      const temporary = decoded.type === 'contractData' && decoded.contractData.durability.name === 'temporary'
      assert.equal(isTemporaryKey(key), temporary)
    }),
  )
})

test('a LedgerEntry has its lastModifiedLedgerSeq, and entryBytes is its encoded length', () => {
  fc.assert(
    fc.property(anyEntry, fc.nat(), (entry, sequence) => {
      const ledgerEntry = createLedgerEntry(entry, sequence, null)
      const bytes = encodeLedgerEntry(ledgerEntry)
      assert.equal(entryBytes(ledgerEntry), bytes.length)
      const decoded = xdr.LedgerEntry.fromXdr(bytes)
      assert.equal(decoded.lastModifiedLedgerSeq, sequence)
      assert.equal(decoded.data.toXdr('base64'), toBase64(encodeEntryData(entry)))
    }),
  )
})
