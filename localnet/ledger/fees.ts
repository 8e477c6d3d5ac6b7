// Resource fees and rent in stroops (soroban-rpc, "Closing a ledger"; the rates are the test network's).

import type { SorobanData } from './envelope.ts'
import { ENTRY_TYPE } from './entries.ts'
import { entryTypeOf, type LedgerKey } from './keys.ts'

/** Stroops. */
export const FEE_RATES = {
  per10000Instructions: 25n,
  perDiskReadEntry: 6_250n,
  perWriteEntry: 10_000n,
  perDiskReadKib: 1_786n,
  perWriteKib: 3_500n,
  perTxKib: 1_624n,
  perHistoryKib: 16_235n,
  perEventsKib: 10_000n,
} as const
/** History also stores the result of each transaction. */
const RESULT_BYTES = 300n

/** Rent: one KiB for this many ledgers costs the write fee of one KiB. */
const PERSISTENT_RENT_DENOMINATOR = 1_215n
const TEMPORARY_RENT_DENOMINATOR = 2_430n
const KIB = 1_024n

function ceilDiv(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}

/** The resources that a transaction declares and pays for, used or not. */
export interface Resources {
  readonly instructions: number
  readonly diskReadEntries: number
  readonly writeEntries: number
  readonly diskReadBytes: number
  readonly writeBytes: number
  readonly txBytes: number
}

/** The part of the resource fee that is never refunded. */
export function nonRefundableFee(resources: Resources): bigint {
  const txBytes = BigInt(resources.txBytes)
  return (
    ceilDiv(BigInt(resources.instructions) * FEE_RATES.per10000Instructions, 10_000n) +
    BigInt(resources.diskReadEntries) * FEE_RATES.perDiskReadEntry +
    BigInt(resources.writeEntries) * FEE_RATES.perWriteEntry +
    ceilDiv(BigInt(resources.diskReadBytes) * FEE_RATES.perDiskReadKib, KIB) +
    ceilDiv(BigInt(resources.writeBytes) * FEE_RATES.perWriteKib, KIB) +
    ceilDiv(txBytes * FEE_RATES.perTxKib, KIB) +
    ceilDiv((txBytes + RESULT_BYTES) * FEE_RATES.perHistoryKib, KIB)
  )
}

/** The fee for events and the return value. */
export function eventsFee(bytes: number): bigint {
  return ceilDiv(BigInt(bytes) * FEE_RATES.perEventsKib, KIB)
}

/** Resource fees charged, stroops. A failed transaction is charged `nonRefundable` only. */
export interface ResourceCharges {
  readonly nonRefundable: bigint
  /** Events, return value and rent. */
  readonly refundable: bigint
  readonly rent: bigint
}

/** A change of an entry's size or TTL. Rent is its whole size for the added ledgers, plus its growth for the ledgers it already had. */
export interface RentChange {
  readonly persistent: boolean
  readonly oldBytes: number
  readonly newBytes: number
  /** The remaining TTL before the change; 0 for a new entry. */
  readonly oldLedgers: number
  readonly newLedgers: number
}

export function rentFee(changes: Iterable<RentChange>): bigint {
  let total = 0n
  for (const { persistent, oldBytes, newBytes, oldLedgers, newLedgers } of changes) {
    const denominator = KIB * (persistent ? PERSISTENT_RENT_DENOMINATOR : TEMPORARY_RENT_DENOMINATOR)
    const added = BigInt(Math.max(0, newLedgers - oldLedgers))
    const grown = BigInt(Math.max(0, newBytes - oldBytes)) * BigInt(oldLedgers)
    total += ceilDiv((BigInt(newBytes) * added + grown) * FEE_RATES.perWriteKib, denominator)
  }
  return total
}

/** True for classic entries, which are read from disk. Contract entries are in memory. */
export function isDiskEntry(key: LedgerKey): boolean {
  const type = entryTypeOf(key)
  return type === ENTRY_TYPE.account || type === ENTRY_TYPE.trustline
}

/** The resources that a transaction of `txBytes` declares. */
export function declaredResources(data: SorobanData, txBytes: number): Resources {
  const { readOnly, readWrite } = data.footprint
  return {
    instructions: data.instructions,
    diskReadEntries: [...readOnly, ...readWrite].filter(isDiskEntry).length + data.archivedIndices.length,
    writeEntries: readWrite.length,
    diskReadBytes: data.diskReadBytes,
    writeBytes: data.writeBytes,
    txBytes,
  }
}
