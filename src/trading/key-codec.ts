// Converts the keys of ledger entries. Calls use the same few hundred keys again and again, and their XDR is slow to read and write.

import { entryKeyXdr, readEntryKey } from '../chain/codec/footprint.ts'
import type { EntryKey } from '../exchange/contracts/footprint-keys.ts'

const KEYS_MAX = 20_000

export interface KeyCodec {
  /** The entry of a base64 LedgerKey; undefined for those that no storage key names. */
  read(keyXdr: string): EntryKey | undefined
  /** The base64 LedgerKey of an entry; undefined for a trustline to something that is not an asset. */
  write(key: EntryKey): string | undefined
}

export function createKeyCodec(): KeyCodec {
  const keys = new Map<string, EntryKey | undefined>()
  const texts = new Map<string, string | undefined>()
  return {
    read: (keyXdr) => cached(keys, keyXdr, () => readEntryKey(keyXdr)),
    write: (key) => cached(texts, nameOf(key), () => entryKeyXdr(key)),
  }
}

function cached<T>(cache: Map<string, T>, id: string, create: () => T): T {
  const known = cache.get(id)
  if (known !== undefined || cache.has(id)) return known as T
  if (cache.size >= KEYS_MAX) cache.clear()
  const created = create()
  cache.set(id, created)
  return created
}

function nameOf(key: EntryKey): string {
  if (key.kind === 'trustline') return `trustline ${key.account} ${key.asset}`
  if (key.kind === 'instance') return `instance ${key.contract}`
  return [key.contract, key.durability, key.name, ...key.parts.map(({ type, value }) => `${type} ${String(value)}`)].join(' ')
}
