// Footprints: recorded during simulation, enforced when a transaction is applied.

import { HostFailure } from '../contracts/host.ts'
import { SCV } from '../scval.ts'
import { ENTRY_TYPE } from './entries.ts'
import { entryTypeOf, type LedgerKey } from './keys.ts'
import type { View } from './state.ts'

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

/** A numbered key ends with a u64 and the durability. Keys that differ only in the number are one family. */
const NUMBER_AND_DURABILITY_BYTES = 12
const DURABILITY_BYTES = 4
/** The ScVal type before the u64. */
const TYPE_BYTES = 4

/** The family of a numbered contract data key such as `[Position, 7]`; undefined for other keys. */
function numberedKeyFamily(key: LedgerKey): string | undefined {
  if (entryTypeOf(key) !== ENTRY_TYPE.contractData) return undefined
  const bytes = Buffer.from(key, 'base64')
  const end = bytes.length - NUMBER_AND_DURABILITY_BYTES
  if (end < TYPE_BYTES || bytes.readUInt32BE(end - TYPE_BYTES) !== SCV.u64) return undefined
  return `${bytes.toString('base64', 0, end)} ${bytes.toString('base64', bytes.length - DURABILITY_BYTES)}`
}

/**
 * Enforces the declared footprint, with one exception: a run may use another number of the same family as a declared read-write key, as long
 * as that entry does not exist yet (docs/decisions/local-footprints.md).
 */
export function createEnforcingFootprint(keys: FootprintKeys, view: View): Footprint {
  const writable = new Set(keys.readWrite)
  const readable = new Set([...keys.readOnly, ...keys.readWrite])

  const declaredFamilies = keys.readWrite.map(numberedKeyFamily)
  const substitutedFamilies: (string | undefined)[] = []

  /** Allows one undeclared key of a family per declared key of that family. */
  function substitute(key: LedgerKey): boolean {
    const family = numberedKeyFamily(key)
    if (family === undefined || view.get(key) !== undefined) return false
    const used = substitutedFamilies.filter((substituted) => substituted === family).length
    if (used >= declaredFamilies.filter((declared) => declared === family).length) return false
    substitutedFamilies.push(family)
    writable.add(key)
    readable.add(key)
    return true
  }

  function checkSubstitute(key: LedgerKey): void {
    if (substitute(key)) return
    throw new HostFailure('Storage', 'ExceededLimit', `trying to access ${ENTRY_TYPE_NAMES[entryTypeOf(key)] ?? 'entry'} outside of the footprint`)
  }
  return {
    read: (key) => (readable.has(key) ? undefined : checkSubstitute(key)),
    write: (key) => (writable.has(key) ? undefined : checkSubstitute(key)),
  }
}
