// Checks that a call stayed within the resources and fee that its transaction declared (soroban-rpc, "getTransaction outcomes": operation
// codes -3 and -5, and the diagnostics of errors outside the host).

import type { HostFailure } from '../contracts/shared/host.ts'
import { DATA_ENTRY_BYTES_MAX, EVENTS_BYTES_MAX } from './constants.ts'
import type { SorobanData } from './envelope.ts'
import { hostFailure } from './failure.ts'
import type { ResourceCharges } from './fees.ts'
import { type ContractRun, eventBytes, largestEntryBytes, writtenBytes } from './soroban-run.ts'

type LimitFailure = HostFailure | undefined

function checkLimit(message: string, used: number | bigint, limit: number | bigint): LimitFailure {
  if (used <= limit) return undefined
  return hostFailure('Budget', 'ExceededLimit', message, { type: 'u64', value: BigInt(used) }, { type: 'u64', value: BigInt(limit) })
}

/** Bytes of classic and restored entries, checked before the call runs. */
export function diskReadExcess(usedBytes: number, data: SorobanData): LimitFailure {
  return checkLimit('operation byte-read resources exceeds amount specified', usedBytes, data.diskReadBytes)
}

/** Bytes written by restoring entries. */
export function writeExcess(usedBytes: number, data: SorobanData): LimitFailure {
  return checkLimit('operation byte-write resources exceeds amount specified', usedBytes, data.writeBytes)
}

/** For a run that failed: whether it used more instructions than declared. */
export function instructionsExcess({ meter }: ContractRun, data: SorobanData): LimitFailure {
  return checkLimit('operation instructions exceeds amount specified', meter.instructions, data.instructions)
}

/** For a run that succeeded: its writes and events. */
export function runExcess(run: ContractRun, data: SorobanData): LimitFailure {
  return (
    checkLimit('ContractData size exceeds network config maximum size', largestEntryBytes(run.storage), DATA_ENTRY_BYTES_MAX) ??
    checkLimit('operation byte-write resources exceeds amount specified', writtenBytes(run.storage), data.writeBytes) ??
    checkLimit('total events size exceeds network config maximum', eventBytes(run), EVENTS_BYTES_MAX)
  )
}

/** The refundable part of the fee must cover rent first, then events. */
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
