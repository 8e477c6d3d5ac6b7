// Footprints: recorded during simulation, enforced when a transaction is applied.

import { SCV, valFromBase64 } from '../scval.ts'
import { contractAddress } from './addresses.ts'
import { ENTRY_TYPE } from './entries.ts'
import { hostFailure } from './failure.ts'
import type { EventVal } from './host-events.ts'
import { entryTypeOf, type LedgerKey } from './keys.ts'

export interface FootprintKeys {
  readonly readOnly: readonly LedgerKey[]
  readonly readWrite: readonly LedgerKey[]
}

/** Called before every access to an entry. */
export interface Footprint {
  /** Throws Storage/ExceededLimit when the access was not declared. */
  read(key: LedgerKey): void
  write(key: LedgerKey): void
}

/** Records the accessed keys. */
export interface RecordingFootprint extends Footprint {
  /** Sorted by their bytes, as on the network. */
  keys(): FootprintKeys
}

export function createRecordingFootprint(): RecordingFootprint {
  const reads = new Set<LedgerKey>()
  const writes = new Set<LedgerKey>()
  return {
    read: (key) => void reads.add(key),
    write: (key) => void writes.add(key),
    keys: () => ({ readOnly: sortKeys([...reads].filter((key) => !writes.has(key))), readWrite: sortKeys([...writes]) }),
  }
}

function sortKeys(keys: readonly LedgerKey[]): readonly LedgerKey[] {
  return keys
    .map((key) => ({ key, bytes: Buffer.from(key, 'base64') }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ key }) => key)
}

const ENTRY_TYPE_NAMES: Readonly<Record<number, string>> = {
  [ENTRY_TYPE.account]: 'account',
  [ENTRY_TYPE.trustline]: 'trustline',
  [ENTRY_TYPE.contractData]: 'contract data key',
  [ENTRY_TYPE.contractCode]: 'contract code',
}

/** The encoded key: its type, the type of an address and its hash, the storage key, the durability. */
const ADDRESS_TYPE_AT = 4
const ADDRESS_AT = 8
const STORAGE_KEY_AT = 40
const DURABILITY_BYTES = 4
const CONTRACT = 1

/** Returns the values that the diagnostic event names: the contract and the storage key, if it is not its instance. */
function valuesOf(key: LedgerKey): readonly EventVal[] {
  const bytes = Buffer.from(key, 'base64')
  if (entryTypeOf(key) !== ENTRY_TYPE.contractData || bytes.readUInt32BE(ADDRESS_TYPE_AT) !== CONTRACT) return []
  const storageKey = bytes.subarray(STORAGE_KEY_AT, bytes.length - DURABILITY_BYTES)
  const named = storageKey.readUInt32BE(0) === SCV.vec ? [valFromBase64(storageKey.toString('base64'))] : []
  return [{ type: 'address', value: contractAddress(bytes.subarray(ADDRESS_AT, STORAGE_KEY_AT)) }, ...named]
}

/** Enforces the declared footprint. Keys whose entries do not exist may be declared and used. */
export function createEnforcingFootprint(keys: FootprintKeys): Footprint {
  const writable = new Set(keys.readWrite)
  const readable = new Set([...keys.readOnly, ...keys.readWrite])
  const refuse = (key: LedgerKey): never => {
    const type = ENTRY_TYPE_NAMES[entryTypeOf(key)] ?? 'entry'
    throw hostFailure('Storage', 'ExceededLimit', `trying to access ${type} outside of the footprint`, ...valuesOf(key))
  }
  return {
    read: (key) => (readable.has(key) ? undefined : refuse(key)),
    write: (key) => (writable.has(key) ? undefined : refuse(key)),
  }
}
