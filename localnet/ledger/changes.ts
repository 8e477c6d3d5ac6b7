// LedgerEntryChanges of a layer.

import { defined } from '../../src/base/assert.ts'
import { ENTRY_TYPE } from './entries.ts'
import { type LedgerKey, ttlHash } from './keys.ts'
import type { Layer, View } from './state.ts'
import { dataOf, encodeLedgerEntry, encodeTtlEntry, type LedgerEntry } from './ledger-entry.ts'
import { encode, fromBase64, putBytes, putU32 } from './xdr-writer.ts'

/** LedgerEntryChangeType. */
const CREATED = 0
const UPDATED = 1
const REMOVED = 2
const STATE = 3
const RESTORED = 4

function encodeChange(type: number, body: Uint8Array): Uint8Array {
  return encode((writer) => {
    putU32(writer, type)
    putBytes(writer, body)
  })
}

function ttlKey(key: LedgerKey): Uint8Array {
  return encode((writer) => {
    putU32(writer, ENTRY_TYPE.ttl)
    putBytes(writer, ttlHash(key))
  })
}

const ttlEntry = (key: LedgerKey, liveUntil: number, modified: number): Uint8Array => encodeTtlEntry(ttlHash(key), liveUntil, modified)

/** One LedgerEntryChange per item, for the changes of `layer` in ledger `sequence`. */
export function entryChanges(layer: Layer, sequence: number, restored: readonly LedgerKey[] = []): readonly Uint8Array[] {
  const changes: Uint8Array[] = []
  for (const [key, after] of layer.changes()) {
    const before = layer.parent.get(key)
    if (after === null) {
      if (before !== undefined) changes.push(...removalChanges(key, before))
    } else if (before === undefined) {
      changes.push(encodeChange(CREATED, encodeLedgerEntry(after)))
      if (after.liveUntil !== null) changes.push(encodeChange(CREATED, ttlEntry(key, after.liveUntil, sequence)))
    } else if (restored.includes(key)) {
      changes.push(encodeChange(RESTORED, encodeLedgerEntry(after)))
      changes.push(encodeChange(RESTORED, ttlEntry(key, defined(after.liveUntil, 'the TTL of a restored entry'), sequence)))
    } else {
      changes.push(...updateChanges(key, before, after, sequence))
    }
  }
  return changes
}

function removalChanges(key: LedgerKey, before: LedgerEntry): readonly Uint8Array[] {
  const entry = [encodeChange(STATE, encodeLedgerEntry(before)), encodeChange(REMOVED, fromBase64(key))]
  if (before.liveUntil === null) return entry
  return [...entry, encodeChange(STATE, ttlEntry(key, before.liveUntil, before.lastModified)), encodeChange(REMOVED, ttlKey(key))]
}

/** Changes of the entry when it was written, and of its TTL entry when the TTL changed. */
function updateChanges(key: LedgerKey, before: LedgerEntry, after: LedgerEntry, sequence: number): readonly Uint8Array[] {
  const changes: Uint8Array[] = []
  if (after.lastModified !== before.lastModified || Buffer.compare(dataOf(after), dataOf(before)) !== 0) {
    changes.push(encodeChange(STATE, encodeLedgerEntry(before)), encodeChange(UPDATED, encodeLedgerEntry(after)))
  }
  if (after.liveUntil !== before.liveUntil && after.liveUntil !== null && before.liveUntil !== null) {
    changes.push(encodeChange(STATE, ttlEntry(key, before.liveUntil, before.lastModified)))
    changes.push(encodeChange(UPDATED, ttlEntry(key, after.liveUntil, sequence)))
  }
  return changes
}

/** The change of one entry between two views: for fees and sequence numbers. */
export function changeBetween(key: LedgerKey, before: View, after: View): readonly Uint8Array[] {
  const oldEntry = before.get(key)
  const newEntry = after.get(key)
  if (oldEntry === undefined || newEntry === undefined || oldEntry === newEntry) return []
  return [encodeChange(STATE, encodeLedgerEntry(oldEntry)), encodeChange(UPDATED, encodeLedgerEntry(newEntry))]
}
