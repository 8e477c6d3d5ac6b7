// The present on the disk: every entry of the ledger by its key.

import type { LedgerDatabase } from './database.ts'
import type { Key } from './keys.ts'
import { dataOf, type Stored, storedData } from './stored.ts'

export interface EntryStore {
  load(): ReadonlyMap<Key, Stored>
  /** Makes changes; inside the caller's transaction. */
  write(changes: Iterable<readonly [Key, Stored | null]>): void
}

export function createEntryStore({ sql }: LedgerDatabase): EntryStore {
  const put = sql.prepare('insert or replace into entries (key, data, modified, live_until) values (?, ?, ?, ?)')
  const remove = sql.prepare('delete from entries where key = ?')
  const all = sql.prepare('select key, data, modified, live_until from entries')
  return {
    load() {
      const entries = new Map<Key, Stored>()
      for (const row of all.iterate()) {
        const liveUntil = row['live_until'] === null ? null : Number(row['live_until'])
        entries.set(String(row['key']), storedData(row['data'] as Uint8Array, Number(row['modified']), liveUntil))
      }
      return entries
    },
    write(changes) {
      for (const [key, stored] of changes) {
        if (stored === null) remove.run(key)
        else put.run(key, dataOf(stored), stored.modified, stored.liveUntil)
      }
    },
  }
}
