// Converts the keys of ledger entries. Calls use the same few hundred keys again and again, and their XDR is slow to read and write.

import { createCache } from '../../base/cache.ts'
import type { Cache } from '../../base/cache.ts'
import { entryKeyXdr, readEntryKey } from '../../chain/codec/footprint.ts'
import type { EntryKey } from '../../exchange/contracts/footprint-keys.ts'

const KEYS_MAX = 20_000

export interface KeyCodec {
  /** The entry of a base64 LedgerKey; undefined for those that no storage key names. */
  read(keyXdr: string): EntryKey | undefined
  /** The base64 LedgerKey of an entry; undefined for a trustline to something that is not an asset. */
  write(key: EntryKey): string | undefined
}

export function createKeyCodec(): KeyCodec {
  const keys = createCache<string, Converted<EntryKey>>(KEYS_MAX)
  const texts = createCache<string, Converted<string>>(KEYS_MAX)
  return {
    read: (keyXdr) => cached(keys, keyXdr, () => readEntryKey(keyXdr)),
    write: (key) => cached(texts, nameOf(key), () => entryKeyXdr(key)),
  }
}

interface Converted<T> {
  readonly result: T | undefined
}

function cached<T>(cache: Cache<string, Converted<T>>, id: string, convert: () => T | undefined): T | undefined {
  const known = cache.get(id)
  if (known !== undefined) return known.result
  const result = convert()
  cache.set(id, { result })
  return result
}

function nameOf(key: EntryKey): string {
  if (key.kind === 'trustline') return `trustline ${key.account} ${key.asset}`
  if (key.kind === 'instance') return `instance ${key.contract}`
  return [key.contract, key.durability, key.name, ...key.parts.map(({ type, value }) => `${type} ${String(value)}`)].join(' ')
}
