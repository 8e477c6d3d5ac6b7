// Footprints: recorded during simulation, enforced when a transaction is applied.

import { HostFailure } from '../contracts/host.ts'
import { ENTRY_TYPE } from './entries.ts'
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

/** Enforces the declared footprint. Keys whose entries do not exist may be declared and used. */
export function createEnforcingFootprint(keys: FootprintKeys): Footprint {
  const writable = new Set(keys.readWrite)
  const readable = new Set([...keys.readOnly, ...keys.readWrite])
  const refuse = (key: LedgerKey): never => {
    throw new HostFailure('Storage', 'ExceededLimit', `trying to access ${ENTRY_TYPE_NAMES[entryTypeOf(key)] ?? 'entry'} outside of the footprint`)
  }
  return {
    read: (key) => (readable.has(key) ? undefined : refuse(key)),
    write: (key) => (writable.has(key) ? undefined : refuse(key)),
  }
}
