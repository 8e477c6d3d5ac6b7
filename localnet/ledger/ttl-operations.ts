// ExtendFootprintTTL and RestoreFootprint: the lives of entries, without running anything.

import type { SimulationResult } from '../chain.ts'
import { TTL_MAX_LEDGERS, TTL_PERSISTENT_MIN_LEDGERS } from './constants.ts'
import type { Envelope, SorobanData } from './envelope.ts'
import { nonRefundableFee, type RentChange, rentFee } from './fees.ts'
import type { FootprintKeys } from './footprint.ts'
import { hasEnded } from './host-storage.ts'
import { isTemporaryKey, type Key } from './keys.ts'
import { encodeSorobanData, withInstructionsMargin, withRefundableMargin, withSizeMargin } from './soroban-data.ts'
import { createLayer, type Layer, type View } from './state.ts'
import { entryBytes, type Stored } from './stored.ts'
import { toBase64 } from './xdr-writer.ts'

/** Neither operation runs a contract; both are charged for little. */
const NOMINAL_INSTRUCTIONS = 100_000

/** What became of the entries. */
export interface TtlRun {
  readonly layer: Layer
  readonly restored: readonly Key[]
  readonly rent: bigint
  readonly readBytes: number
  readonly writeBytes: number
}

function rentChange(key: Key, stored: Stored, liveUntil: number, sequence: number): RentChange {
  const bytes = entryBytes(stored)
  const left = Math.max(0, (stored.liveUntil ?? 0) - sequence + 1)
  return { persistent: !isTemporaryKey(key), oldBytes: bytes, newBytes: bytes, oldLedgers: left, newLedgers: liveUntil - sequence + 1 }
}

/** Extends the read-only footprint's entries to live for `extendTo` more ledgers; what lives longer stays as it is. */
export function extendTtl(view: View, data: SorobanData, extendTo: number, sequence: number): TtlRun {
  const layer = createLayer(view)
  const changes: RentChange[] = []
  let readBytes = 0
  for (const key of data.footprint.readOnly) {
    const stored = view.get(key)
    if (stored === undefined || stored.liveUntil === null || hasEnded(stored, sequence)) continue
    readBytes += entryBytes(stored)
    const liveUntil = sequence + Math.min(extendTo, TTL_MAX_LEDGERS - 1)
    if (liveUntil <= stored.liveUntil) continue
    changes.push(rentChange(key, stored, liveUntil, sequence))
    layer.put(key, { ...stored, liveUntil })
  }
  return { layer, restored: [], rent: rentFee(changes), readBytes, writeBytes: 0 }
}

/** Restores the archived entries among `keys`: they live the least time of a new entry. */
export function restoreEntries(view: View, keys: readonly Key[], sequence: number): TtlRun {
  const layer = createLayer(view)
  const changes: RentChange[] = []
  const restored: Key[] = []
  let readBytes = 0
  for (const key of keys) {
    const stored = view.get(key)
    if (stored === undefined || isTemporaryKey(key) || !hasEnded(stored, sequence)) continue
    const liveUntil = sequence + TTL_PERSISTENT_MIN_LEDGERS - 1
    readBytes += entryBytes(stored)
    changes.push({ ...rentChange(key, stored, liveUntil, sequence), oldBytes: 0, oldLedgers: 0 })
    layer.put(key, { ...stored, modified: sequence, liveUntil })
    restored.push(key)
  }
  return { layer, restored, rent: rentFee(changes), readBytes, writeBytes: readBytes }
}

/**
 * The simulation of either operation: it needs its SorobanTransactionData, which names the entries. What is archived cannot be extended: a
 * preamble says how to restore it first, and the rest of the answer takes that as done.
 */
export function simulateTtlOperation(
  context: { readonly view: View; readonly sequence: number },
  envelope: Envelope,
  leeway: number,
): SimulationResult {
  const { operations, soroban } = envelope.transaction
  const body = operations[0]?.body
  if (soroban === null) return { error: 'To perform this operation, set the SorobanTransactionData of the transaction', latestLedger: 0 }
  const { view, sequence } = context
  const txBytes = withSizeMargin(envelope.bytes.length)
  const latestLedger = sequence
  if (body?.type !== 'extendFootprintTtl') {
    const run = restoreEntries(view, soroban.footprint.readWrite, sequence)
    return { ...needs(run, soroban.footprint, txBytes, leeway), latestLedger }
  }
  const restoring = restoreEntries(view, soroban.footprint.readOnly, sequence)
  const run = extendTtl(restoring.layer, soroban, body.extendFootprintTtlOp.extendTo, sequence)
  const preamble = restoring.restored.length === 0
    ? {}
    : { restorePreamble: needs(restoring, { readOnly: [], readWrite: restoring.restored }, txBytes, leeway) }
  return { ...needs(run, soroban.footprint, txBytes, leeway), ...preamble, latestLedger }
}

/** What a transaction of this outcome must declare. */
function needs(
  run: TtlRun,
  footprint: FootprintKeys,
  txBytes: number,
  leeway: number,
): { readonly transactionData: string; readonly minResourceFee: string } {
  const declared = {
    footprint,
    instructions: withInstructionsMargin(NOMINAL_INSTRUCTIONS, leeway),
    diskReadBytes: run.readBytes,
    writeBytes: run.writeBytes,
    archived: [],
  }
  const resources = { ...declared, diskReadEntries: run.restored.length, writeEntries: footprint.readWrite.length, txBytes }
  const resourceFee = nonRefundableFee(resources) + withRefundableMargin(run.rent)
  return { transactionData: toBase64(encodeSorobanData({ ...declared, resourceFee })), minResourceFee: resourceFee.toString() }
}
