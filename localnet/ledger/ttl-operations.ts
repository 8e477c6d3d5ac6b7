// ExtendFootprintTTL and RestoreFootprint.

import type { SimulationResult } from '../chain.ts'
import { TTL_MAX_LEDGERS, TTL_PERSISTENT_MIN_LEDGERS } from './constants.ts'
import type { Envelope, SorobanData } from './envelope.ts'
import { nonRefundableFee, type RentChange, rentFee } from './fees.ts'
import type { FootprintKeys } from './footprint.ts'
import { hasExpired } from './host-storage.ts'
import { isTemporaryKey, type LedgerKey } from './keys.ts'
import { encodeSorobanData, withInstructionsMargin, withRefundableMargin, withSizeMargin } from './soroban-data.ts'
import { createLayer, type Layer, type View } from './state.ts'
import { entryBytes, type LedgerEntry } from './ledger-entry.ts'
import { toBase64 } from './xdr-writer.ts'

/** These operations run no contract, so both cost little. */
const NOMINAL_INSTRUCTIONS = 100_000

export interface TtlRun {
  readonly layer: Layer
  readonly restored: readonly LedgerKey[]
  readonly rent: bigint
  readonly readBytes: number
  readonly writeBytes: number
}

function rentChange(key: LedgerKey, ledgerEntry: LedgerEntry, liveUntil: number, sequence: number): RentChange {
  const bytes = entryBytes(ledgerEntry)
  const oldLedgers = Math.max(0, (ledgerEntry.liveUntil ?? 0) - sequence + 1)
  return { persistent: !isTemporaryKey(key), oldBytes: bytes, newBytes: bytes, oldLedgers, newLedgers: liveUntil - sequence + 1 }
}

/** Extends the entries of the read-only footprint by `extendTo` ledgers from now. Entries that live longer are left unchanged. */
export function extendTtl(view: View, data: SorobanData, extendTo: number, sequence: number): TtlRun {
  const layer = createLayer(view)
  const changes: RentChange[] = []
  let readBytes = 0
  for (const key of data.footprint.readOnly) {
    const ledgerEntry = view.get(key)
    if (ledgerEntry === undefined || ledgerEntry.liveUntil === null || hasExpired(ledgerEntry, sequence)) continue
    readBytes += entryBytes(ledgerEntry)
    const liveUntil = sequence + Math.min(extendTo, TTL_MAX_LEDGERS - 1)
    if (liveUntil <= ledgerEntry.liveUntil) continue
    changes.push(rentChange(key, ledgerEntry, liveUntil, sequence))
    layer.put(key, { ...ledgerEntry, liveUntil })
  }
  return { layer, restored: [], rent: rentFee(changes), readBytes, writeBytes: 0 }
}

/** Restores the archived entries among `keys` with the minimum TTL of a new entry. */
export function restoreEntries(view: View, keys: readonly LedgerKey[], sequence: number): TtlRun {
  const layer = createLayer(view)
  const changes: RentChange[] = []
  const restored: LedgerKey[] = []
  let readBytes = 0
  for (const key of keys) {
    const ledgerEntry = view.get(key)
    if (ledgerEntry === undefined || isTemporaryKey(key) || !hasExpired(ledgerEntry, sequence)) continue
    const liveUntil = sequence + TTL_PERSISTENT_MIN_LEDGERS - 1
    readBytes += entryBytes(ledgerEntry)
    changes.push({ ...rentChange(key, ledgerEntry, liveUntil, sequence), oldBytes: 0, oldLedgers: 0 })
    layer.put(key, { ...ledgerEntry, lastModified: sequence, liveUntil })
    restored.push(key)
  }
  return { layer, restored, rent: rentFee(changes), readBytes, writeBytes: readBytes }
}

/**
 * Simulates either operation. The transaction must have SorobanTransactionData, which names the entries. Archived entries cannot be extended:
 * the result then has a restorePreamble, and the rest assumes that it was applied.
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
    return { ...declareResources(run, soroban.footprint, txBytes, leeway), latestLedger }
  }
  const restoring = restoreEntries(view, soroban.footprint.readOnly, sequence)
  const run = extendTtl(restoring.layer, soroban, body.extendFootprintTtlOp.extendTo, sequence)
  const preamble = restoring.restored.length === 0
    ? {}
    : { restorePreamble: declareResources(restoring, { readOnly: [], readWrite: restoring.restored }, txBytes, leeway) }
  return { ...declareResources(run, soroban.footprint, txBytes, leeway), ...preamble, latestLedger }
}

/** The resources and fee that the transaction must declare. */
function declareResources(
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
