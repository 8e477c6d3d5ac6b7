// The current ledger entries on disk, by key.

import type { LedgerDatabase } from './database.ts'
import type { LedgerKey } from './keys.ts'
import { dataOf, type LedgerEntry, ledgerEntryFromData } from './ledger-entry.ts'

export interface EntryStore {
  load(): ReadonlyMap<LedgerKey, LedgerEntry>
  /** Writes changes inside the caller's transaction; null deletes an entry. */
  write(changes: Iterable<readonly [LedgerKey, LedgerEntry | null]>): void
}

export function createEntryStore({ sql }: LedgerDatabase): EntryStore {
  const put = sql.prepare('insert or replace into entries (key, data, modified, live_until) values (?, ?, ?, ?)')
  const remove = sql.prepare('delete from entries where key = ?')
  const all = sql.prepare('select key, data, modified, live_until from entries')
  return {
    load() {
      const entries = new Map<LedgerKey, LedgerEntry>()
      for (const row of all.iterate()) {
        const liveUntil = row['live_until'] === null ? null : Number(row['live_until'])
        entries.set(String(row['key']), ledgerEntryFromData(row['data'] as Uint8Array, Number(row['modified']), liveUntil))
      }
      return entries
    },
    write(changes) {
      for (const [key, ledgerEntry] of changes) {
        if (ledgerEntry === null) remove.run(key)
        else put.run(key, dataOf(ledgerEntry), ledgerEntry.lastModified, ledgerEntry.liveUntil)
      }
    },
  }
}
