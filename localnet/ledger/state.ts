// The present: every entry of the ledger, and layers of changes that are kept or thrown away as one.

import type { Entry } from './entries.ts'
import type { LedgerKey } from './keys.ts'
import { entryOf, type LedgerEntry } from './ledger-entry.ts'

/** What can be read. */
export interface View {
  get(key: LedgerKey): LedgerEntry | undefined
}

/** The decoded entry at a key. */
export function findEntry(view: View, key: LedgerKey): Entry | undefined {
  const ledgerEntry = view.get(key)
  return ledgerEntry === undefined ? undefined : entryOf(ledgerEntry)
}

/** Changes on top of a view. Reading falls through to it; dropping the layer undoes them at no cost. */
export interface Layer extends View {
  put(key: LedgerKey, ledgerEntry: LedgerEntry): void
  remove(key: LedgerKey): void
  /** What was written, in the order of first writing; null for what is gone. Entries that came and went inside the layer are among them. */
  changes(): ReadonlyMap<LedgerKey, LedgerEntry | null>
  /** Makes the layer's changes in `target`. */
  mergeInto(target: Layer): void
  readonly parent: View
}

/** An empty layer on `parent`. */
export function createLayer(parent: View): Layer {
  const written = new Map<LedgerKey, LedgerEntry | null>()
  return {
    parent,
    get(key) {
      const own = written.get(key)
      if (own === undefined) return parent.get(key)
      return own ?? undefined
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

/** The whole ledger. */
export interface State extends View {
  /** Makes changes the present. */
  commit(changes: ReadonlyMap<LedgerKey, LedgerEntry | null>): void
  /** All entries, in no order that anything may depend on. */
  entries(): IterableIterator<[LedgerKey, LedgerEntry]>
  /** Temporary entries whose last ledger is before `sequence`: they are taken out of the ledger. */
  expired(sequence: number): readonly LedgerKey[]
  /** The present, kept: entries are shared, they never change in place. */
  copy(): ReadonlyMap<LedgerKey, LedgerEntry>
  replace(entries: ReadonlyMap<LedgerKey, LedgerEntry>): void
}

/** Builds a state; `isTemporary` tells which entries end by themselves. */
export function createState(isTemporary: (key: LedgerKey) => boolean): State {
  let entries = new Map<LedgerKey, LedgerEntry>()
  /** Temporary entries by their last ledger, so that closing a ledger need not look at all of them. */
  let endings = new Map<number, Set<LedgerKey>>()

  function schedule(key: LedgerKey, ledgerEntry: LedgerEntry): void {
    if (ledgerEntry.liveUntil === null || !isTemporary(key)) return
    const keys = endings.get(ledgerEntry.liveUntil) ?? new Set<LedgerKey>()
    endings.set(ledgerEntry.liveUntil, keys.add(key))
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
      const gone: LedgerKey[] = []
      for (const [ending, keys] of endings) {
        if (ending >= sequence) continue
        let left = 0
        for (const key of keys) {
          // An entry that was extended since stands in a later ledger's list too; one that left stands in none.
          if (entries.get(key)?.liveUntil !== ending) continue
          left += 1
          gone.push(key)
        }
        if (left === 0) endings.delete(ending)
      }
      return gone
    },
    copy: () => new Map(entries),
    replace(next) {
      entries = new Map(next)
      endings = new Map()
      for (const [key, ledgerEntry] of entries) schedule(key, ledgerEntry)
    },
  }
}
