// The current ledger entries, and layers of changes that are merged or dropped as a whole.

import type { Entry } from './entries.ts'
import type { LedgerKey } from './keys.ts'
import { entryOf, type LedgerEntry } from './ledger-entry.ts'

export interface View {
  get(key: LedgerKey): LedgerEntry | undefined
}

/** The decoded entry at a key. */
export function findEntry(view: View, key: LedgerKey): Entry | undefined {
  const ledgerEntry = view.get(key)
  return ledgerEntry === undefined ? undefined : entryOf(ledgerEntry)
}

/** Changes on top of a view. Reads fall through to the view; dropping the layer undoes its changes at no cost. */
export interface Layer extends View {
  put(key: LedgerKey, ledgerEntry: LedgerEntry): void
  remove(key: LedgerKey): void
  /** Changes in the order of first write; null for removed entries. Includes entries that were created and removed in this layer. */
  changes(): ReadonlyMap<LedgerKey, LedgerEntry | null>
  /** Applies the layer's changes to `target`. */
  mergeInto(target: Layer): void
  readonly parent: View
}

export function createLayer(parent: View): Layer {
  const written = new Map<LedgerKey, LedgerEntry | null>()
  return {
    parent,
    get(key) {
      const change = written.get(key)
      if (change === undefined) return parent.get(key)
      return change ?? undefined
    },
    put: (key, ledgerEntry) => void written.set(key, ledgerEntry),
    remove: (key) => void written.set(key, null),
    changes: () => written,
    mergeInto(target) {
      for (const [key, ledgerEntry] of written) {
        if (ledgerEntry === null) target.remove(key)
        else target.put(key, ledgerEntry)
      }
    },
  }
}

export interface State extends View {
  /** Applies changes to the current state. */
  commit(changes: ReadonlyMap<LedgerKey, LedgerEntry | null>): void
  /** All entries, in unspecified order. */
  entries(): IterableIterator<[LedgerKey, LedgerEntry]>
  /** Temporary entries whose TTL ended before `sequence`; closing that ledger evicts them. */
  expired(sequence: number): readonly LedgerKey[]
  /** A copy of the current state. It shares the entries, which are never mutated. */
  copy(): ReadonlyMap<LedgerKey, LedgerEntry>
  replace(entries: ReadonlyMap<LedgerKey, LedgerEntry>): void
}

/** An empty state. `isTemporary` identifies the keys of temporary entries, which are evicted when they expire. */
export function createState(isTemporary: (key: LedgerKey) => boolean): State {
  let entries = new Map<LedgerKey, LedgerEntry>()
  /** Keys of temporary entries by their last ledger, so that closing a ledger does not scan all of them. */
  let keysByLastLedger = new Map<number, Set<LedgerKey>>()

  function schedule(key: LedgerKey, ledgerEntry: LedgerEntry): void {
    if (ledgerEntry.liveUntil === null || !isTemporary(key)) return
    const keys = keysByLastLedger.get(ledgerEntry.liveUntil) ?? new Set<LedgerKey>()
    keysByLastLedger.set(ledgerEntry.liveUntil, keys.add(key))
  }

  return {
    get: (key) => entries.get(key),
    commit(changes) {
      for (const [key, ledgerEntry] of changes) {
        if (ledgerEntry === null) {
          entries.delete(key)
        } else {
          entries.set(key, ledgerEntry)
          schedule(key, ledgerEntry)
        }
      }
    },
    entries: () => entries.entries(),
    expired(sequence) {
      const expired: LedgerKey[] = []
      for (const [lastLedger, keys] of keysByLastLedger) {
        if (lastLedger >= sequence) continue
        let remaining = 0
        for (const key of keys) {
          // Skip keys that were removed, or extended and therefore listed under a later ledger.
          if (entries.get(key)?.liveUntil !== lastLedger) continue
          remaining += 1
          expired.push(key)
        }
        if (remaining === 0) keysByLastLedger.delete(lastLedger)
      }
      return expired
    },
    copy: () => new Map(entries),
    replace(next) {
      entries = new Map(next)
      keysByLastLedger = new Map()
      for (const [key, ledgerEntry] of entries) schedule(key, ledgerEntry)
    },
  }
}
