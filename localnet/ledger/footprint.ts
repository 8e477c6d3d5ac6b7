// Which entries a run touches: recorded in a simulation, held to the declaration when a transaction is applied.

import { HostFailure } from '../contracts/host.ts'
import { SCV } from '../scval.ts'
import { ENTRY_TYPE } from './entries.ts'
import { type LedgerKey, entryTypeOf } from './keys.ts'
import type { View } from './state.ts'

/** The declared or recorded keys. */
export interface FootprintKeys {
  readonly readOnly: readonly LedgerKey[]
  readonly readWrite: readonly LedgerKey[]
}

/** Asked before every access. */
export interface Footprint {
  /** Throws Storage/ExceededLimit when the access was not declared. */
  read(key: LedgerKey): void
  write(key: LedgerKey): void
}

/** Notes what is touched. */
export interface RecordingFootprint extends Footprint {
  /** In order of their bytes, as the network orders them. */
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

/** A key ends with the number in it (u64) and its durability; all but the number is its family. */
const NUMBER_AND_DURABILITY_BYTES = 12
const DURABILITY_BYTES = 4
/** Before the number stands its type. */
const TYPE_BYTES = 4

/** The family of a contract data key that is numbered, such as `[Position, 7]`; undefined for other keys. */
function numberedKeyFamily(key: LedgerKey): string | undefined {
  if (entryTypeOf(key) !== ENTRY_TYPE.contractData) return undefined
  const bytes = Buffer.from(key, 'base64')
  const end = bytes.length - NUMBER_AND_DURABILITY_BYTES
  if (end < TYPE_BYTES || bytes.readUInt32BE(end - TYPE_BYTES) !== SCV.u64) return undefined
  return `${bytes.toString('base64', 0, end)} ${bytes.toString('base64', bytes.length - DURABILITY_BYTES)}`
}

/**
 * Holds a run to what its transaction declared. One thing is forgiven: a declared entry's number may turn out to be another one, as long
 * as that entry does not exist yet (docs/decisions/local-footprints.md).
 */
export function createEnforcingFootprint(keys: FootprintKeys, view: View): Footprint {
  const writable = new Set(keys.readWrite)
  const readable = new Set([...keys.readOnly, ...keys.readWrite])

  const declaredFamilies = keys.readWrite.map(numberedKeyFamily)
  const standIns: (string | undefined)[] = []

  /** One undeclared entry of a family for each that was declared. */
  function standsIn(key: LedgerKey): boolean {
    const family = numberedKeyFamily(key)
    if (family === undefined || view.get(key) !== undefined) return false
    const taken = standIns.filter((standIn) => standIn === family).length
    if (taken >= declaredFamilies.filter((declared) => declared === family).length) return false
    standIns.push(family)
    writable.add(key)
    readable.add(key)
    return true
  }

  function refuse(key: LedgerKey): void {
    if (standsIn(key)) return
    throw new HostFailure('Storage', 'ExceededLimit', `trying to access ${ENTRY_TYPE_NAMES[entryTypeOf(key)] ?? 'entry'} outside of the footprint`)
  }
  return {
    read: (key) => (readable.has(key) ? undefined : refuse(key)),
    write: (key) => (writable.has(key) ? undefined : refuse(key)),
  }
}
