// LedgerEntryChanges: what a layer did to the ledger beneath it.

import { defined } from '../../src/base/assert.ts'
import { ENTRY_TYPE } from './entries.ts'
import { type Key, ttlHash } from './keys.ts'
import type { Layer, View } from './state.ts'
import { dataOf, ledgerEntryOf, type Stored, ttlLedgerEntry } from './stored.ts'
import { encode, fromBase64, putBytes, putU32 } from './xdr-writer.ts'

/** LedgerEntryChangeType. */
const CREATED = 0
const UPDATED = 1
const REMOVED = 2
const STATE = 3
const RESTORED = 4

function change(type: number, body: Uint8Array): Uint8Array {
  return encode((writer) => {
    putU32(writer, type)
    putBytes(writer, body)
  })
}

function ttlKey(key: Key): Uint8Array {
  return encode((writer) => {
    putU32(writer, ENTRY_TYPE.ttl)
    putBytes(writer, ttlHash(key))
  })
}

const ttlEntry = (key: Key, liveUntil: number, modified: number): Uint8Array => ttlLedgerEntry(ttlHash(key), liveUntil, modified)

/** LedgerEntryChange each, for what `layer` changed; `sequence` is the ledger that changes it. */
export function entryChanges(layer: Layer, sequence: number, restored: readonly Key[] = []): readonly Uint8Array[] {
  const changes: Uint8Array[] = []
  for (const [key, after] of layer.changes()) {
    const before = layer.parent.get(key)
    if (after === null) {
      if (before !== undefined) changes.push(...removal(key, before))
    } else if (before === undefined) {
      changes.push(change(CREATED, ledgerEntryOf(after)))
      if (after.liveUntil !== null) changes.push(change(CREATED, ttlEntry(key, after.liveUntil, sequence)))
    } else if (restored.includes(key)) {
      changes.push(change(RESTORED, ledgerEntryOf(after)))
      changes.push(change(RESTORED, ttlEntry(key, defined(after.liveUntil, 'the life of a restored entry'), sequence)))
    } else {
      changes.push(...update(key, before, after, sequence))
    }
  }
  return changes
}

function removal(key: Key, before: Stored): readonly Uint8Array[] {
  const entry = [change(STATE, ledgerEntryOf(before)), change(REMOVED, fromBase64(key))]
  if (before.liveUntil === null) return entry
  return [...entry, change(STATE, ttlEntry(key, before.liveUntil, before.modified)), change(REMOVED, ttlKey(key))]
}

/** The entry, when it was written; its life, when that changed. */
function update(key: Key, before: Stored, after: Stored, sequence: number): readonly Uint8Array[] {
  const changes: Uint8Array[] = []
  if (after.modified !== before.modified || Buffer.compare(dataOf(after), dataOf(before)) !== 0) {
    changes.push(change(STATE, ledgerEntryOf(before)), change(UPDATED, ledgerEntryOf(after)))
  }
  if (after.liveUntil !== before.liveUntil && after.liveUntil !== null && before.liveUntil !== null) {
    changes.push(change(STATE, ttlEntry(key, before.liveUntil, before.modified)))
    changes.push(change(UPDATED, ttlEntry(key, after.liveUntil, sequence)))
  }
  return changes
}

/** The change of one entry between two views, as fees and sequence numbers leave it. */
export function changeBetween(key: Key, before: View, after: View): readonly Uint8Array[] {
  const old = before.get(key)
  const now = after.get(key)
  if (old === undefined || now === undefined || old === now) return []
  return [change(STATE, ledgerEntryOf(old)), change(UPDATED, ledgerEntryOf(now))]
}
