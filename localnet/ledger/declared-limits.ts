// Whether a call stayed within what its transaction declared and pays for (soroban-rpc, "getTransaction outcomes": operation codes -3 and
// -5, and the diagnostics of errors outside the host).

import type { HostFailure } from '../contracts/host.ts'
import { DATA_ENTRY_BYTES_MAX, EVENTS_BYTES_MAX, SHARED_LIST_GROWTH_BYTES_MAX } from './constants.ts'
import type { SorobanData } from './envelope.ts'
import { hostFailure } from './failure.ts'
import type { ResourceCharges } from './fees.ts'
import { eventBytes, largestEntryBytes, type Run, writtenBytes } from './soroban-run.ts'
import { entryBytes, entryOf, type Stored } from './stored.ts'

type Finding = HostFailure | undefined

function excess(sentence: string, used: number | bigint, limit: number | bigint): Finding {
  if (used <= limit) return undefined
  return hostFailure('Budget', 'ExceededLimit', sentence, { type: 'u64', value: BigInt(used) }, { type: 'u64', value: BigInt(limit) })
}

/** Bytes of classic and restored entries: looked at before anything runs. */
export function readExcess(usedBytes: number, data: SorobanData): Finding {
  return excess('operation byte-read resources exceeds amount specified', usedBytes, data.diskReadBytes)
}

/** Bytes that restoring writes. */
export function writeExcess(usedBytes: number, data: SorobanData): Finding {
  return excess('operation byte-write resources exceeds amount specified', usedBytes, data.writeBytes)
}

/** A run that ended because its instructions were used up. */
export function instructionsExcess({ meter }: Run, data: SorobanData): Finding {
  return excess('operation instructions exceeds amount specified', meter.instructions, data.instructions)
}

/** What a successful run wrote and said. */
export function outcomeExcess(run: Run, data: SorobanData): Finding {
  return (
    excess('ContractData size exceeds network config maximum size', largestEntryBytes(run.storage), DATA_ENTRY_BYTES_MAX) ??
    excess('operation byte-write resources exceeds amount specified', writtenBytes(run.storage), data.writeBytes + forgivenBytes(run)) ??
    excess('total events size exceeds network config maximum', eventBytes(run), EVENTS_BYTES_MAX)
  )
}

/**
 * What is not held against a run: lists that everybody shares may have grown since it was simulated (docs/decisions/local-footprints.md).
 */
function forgivenBytes(run: Run): number {
  let total = 0
  for (const stored of run.storage.base.changes().values()) {
    if (stored !== null && isList(stored)) total += Math.min(entryBytes(stored), SHARED_LIST_GROWTH_BYTES_MAX)
  }
  return total
}

function isList(stored: Stored): boolean {
  const entry = entryOf(stored)
  return entry.kind === 'contractData' && entry.value.type === 'vec'
}

/** What is refundable must pay for rent first, then for events. */
export function feeShortage(charges: ResourceCharges, data: SorobanData): Finding {
  const available = data.resourceFee - charges.nonRefundable
  return (
    excess('refundable resource fee was not sufficient to cover the ledger storage rent: {} > {}', charges.rent, available) ??
    excess(
      'refundable resource fee was not sufficient to cover the events fee after paying for ledger storage rent: {} > {}',
      charges.refundable - charges.rent,
      available - charges.rent,
    )
  )
}
