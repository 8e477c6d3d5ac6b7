// Whether a call stayed within what its transaction declared and pays for (soroban-rpc, "getTransaction outcomes": operation codes -3 and
// -5, and the diagnostics of errors outside the host).

import type { HostFailure } from '../contracts/host.ts'
import { DATA_ENTRY_BYTES_MAX, EVENTS_BYTES_MAX, SHARED_LIST_GROWTH_BYTES_MAX } from './constants.ts'
import type { SorobanData } from './envelope.ts'
import { hostFailure } from './failure.ts'
import type { ResourceCharges } from './fees.ts'
import { eventBytes, largestEntryBytes, type ContractRun, writtenBytes } from './soroban-run.ts'
import { entryBytes, entryOf, type LedgerEntry } from './ledger-entry.ts'

type LimitFailure = HostFailure | undefined

function checkLimit(sentence: string, used: number | bigint, limit: number | bigint): LimitFailure {
  if (used <= limit) return undefined
  return hostFailure('Budget', 'ExceededLimit', sentence, { type: 'u64', value: BigInt(used) }, { type: 'u64', value: BigInt(limit) })
}

/** Bytes of classic and restored entries: looked at before anything runs. */
export function diskReadExcess(usedBytes: number, data: SorobanData): LimitFailure {
  return checkLimit('operation byte-read resources exceeds amount specified', usedBytes, data.diskReadBytes)
}

/** Bytes that restoring writes. */
export function writeExcess(usedBytes: number, data: SorobanData): LimitFailure {
  return checkLimit('operation byte-write resources exceeds amount specified', usedBytes, data.writeBytes)
}

/** A run that ended because its instructions were used up. */
export function instructionsExcess({ meter }: ContractRun, data: SorobanData): LimitFailure {
  return checkLimit('operation instructions exceeds amount specified', meter.instructions, data.instructions)
}

/** What a successful run wrote and said. */
export function runExcess(run: ContractRun, data: SorobanData): LimitFailure {
  return (
    checkLimit('ContractData size exceeds network config maximum size', largestEntryBytes(run.storage), DATA_ENTRY_BYTES_MAX) ??
    checkLimit('operation byte-write resources exceeds amount specified', writtenBytes(run.storage), data.writeBytes + toleratedGrowthBytes(run)) ??
    checkLimit('total events size exceeds network config maximum', eventBytes(run), EVENTS_BYTES_MAX)
  )
}

/**
 * What is not held against a run: lists that everybody shares may have grown since it was simulated (docs/decisions/local-footprints.md).
 */
function toleratedGrowthBytes(run: ContractRun): number {
  let total = 0
  for (const ledgerEntry of run.storage.base.changes().values()) {
    if (ledgerEntry !== null && isList(ledgerEntry)) total += Math.min(entryBytes(ledgerEntry), SHARED_LIST_GROWTH_BYTES_MAX)
  }
  return total
}

function isList(ledgerEntry: LedgerEntry): boolean {
  const entry = entryOf(ledgerEntry)
  return entry.kind === 'contractData' && entry.value.type === 'vec'
}

/** What is refundable must pay for rent first, then for events. */
export function refundableFeeShortage(charges: ResourceCharges, data: SorobanData): LimitFailure {
  const available = data.resourceFee - charges.nonRefundable
  return (
    checkLimit('refundable resource fee was not sufficient to cover the ledger storage rent: {} > {}', charges.rent, available) ??
    checkLimit(
      'refundable resource fee was not sufficient to cover the events fee after paying for ledger storage rent: {} > {}',
      charges.refundable - charges.rent,
      available - charges.rent,
    )
  )
}
