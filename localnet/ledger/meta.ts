// TransactionMeta v4 and LedgerCloseMeta v2 (soroban-rpc, "Meta, now").

import type { AppliedTransaction } from './apply-transaction.ts'
import { encodeEvent, type HostEvent } from './host-events.ts'
import { encode, putArray, putBytes, putI64, putU32, putU64, type XdrWriter } from './xdr-writer.ts'

/** TransactionEventStage. */
export const STAGE = { beforeAll: 0, afterTransaction: 1, afterAll: 2 } as const

const META_VERSION = 4

/** TransactionEvent. */
export function transactionEvent(stage: number, event: HostEvent): Uint8Array {
  return encode((writer) => {
    putU32(writer, stage)
    putBytes(writer, encodeEvent(event))
  })
}

/** TransactionMeta. `transactionEvents` are the encoded fee and refund events. */
export function encodeMeta(applied: AppliedTransaction, transactionEvents: readonly Uint8Array[]): Uint8Array {
  return encode((writer) => {
    putU32(writer, META_VERSION)
    putU32(writer, 0)
    putArray(writer, applied.changesBefore)
    putU32(writer, applied.operations.length)
    for (const { changes, events } of applied.operations) {
      putU32(writer, 0)
      putArray(writer, changes)
      putArray(writer, events.map(encodeEvent))
    }
    putArray(writer, [])
    putSorobanMeta(writer, applied.soroban)
    putArray(writer, transactionEvents)
    putArray(writer, applied.diagnostics)
  })
}

/** Present on failure too, with the charges but without a return value. */
function putSorobanMeta(writer: XdrWriter, soroban: AppliedTransaction['soroban']): void {
  putU32(writer, soroban === null ? 0 : 1)
  if (soroban === null) return
  const { charges, returnValue } = soroban
  putU32(writer, 1)
  putU32(writer, 0)
  putI64(writer, charges.nonRefundable)
  putI64(writer, charges.refundable)
  putI64(writer, charges.rent)
  putU32(writer, returnValue === null ? 0 : 1)
  if (returnValue !== null) putBytes(writer, returnValue)
}

/** LedgerEntryChanges of encoded changes. */
export function encodeChanges(changes: readonly Uint8Array[]): Uint8Array {
  return encode((writer) => putArray(writer, changes))
}

/** A transaction in the close meta. All XDR. */
export interface MetaTransaction {
  readonly hash: Uint8Array
  readonly soroban: boolean
  readonly envelope: Uint8Array
  readonly result: Uint8Array
  readonly meta: Uint8Array
  readonly feeChanges: Uint8Array
  readonly postChanges: Uint8Array
}

/** GeneralizedTransactionSet: a classic phase, and a Soroban phase of one stage with one cluster. */
export function encodeTransactionSet(
  previousHash: Uint8Array,
  transactions: readonly Pick<MetaTransaction, 'soroban' | 'envelope'>[],
): Uint8Array {
  const envelopes = (soroban: boolean): Uint8Array[] => transactions.filter((tx) => tx.soroban === soroban).map((tx) => tx.envelope)
  const classic = envelopes(false)
  const sorobanEnvelopes = envelopes(true)
  return encode((writer) => {
    putU32(writer, 1)
    putBytes(writer, previousHash)
    putU32(writer, 2)
    putU32(writer, 0)
    putU32(writer, classic.length === 0 ? 0 : 1)
    if (classic.length > 0) {
      putU32(writer, 0)
      putU32(writer, 0)
      putArray(writer, classic)
    }
    putU32(writer, 1)
    putU32(writer, 0)
    putU32(writer, sorobanEnvelopes.length === 0 ? 0 : 1)
    if (sorobanEnvelopes.length > 0) {
      putU32(writer, 1)
      putArray(writer, sorobanEnvelopes)
    }
  })
}

/** TransactionResultPair. */
export function resultPair(hash: Uint8Array, result: Uint8Array): Uint8Array {
  return encode((writer) => {
    putBytes(writer, hash)
    putBytes(writer, result)
  })
}

const CLOSE_META_VERSION = 2

/** LedgerCloseMeta. `evicted` are encoded LedgerKeys. */
export function encodeCloseMeta(ledger: {
  readonly headerEntry: Uint8Array
  readonly previousHash: Uint8Array
  /** LedgerUpgrade each. */
  readonly upgrades: readonly Uint8Array[]
  readonly transactions: readonly MetaTransaction[]
  readonly evicted: readonly Uint8Array[]
}): Uint8Array {
  return encode((writer) => {
    putU32(writer, CLOSE_META_VERSION)
    putU32(writer, 0)
    putBytes(writer, ledger.headerEntry)
    putBytes(writer, encodeTransactionSet(ledger.previousHash, ledger.transactions))
    putU32(writer, ledger.transactions.length)
    for (const tx of ledger.transactions) {
      putU32(writer, 0)
      putBytes(writer, resultPair(tx.hash, tx.result))
      putBytes(writer, tx.feeChanges)
      putBytes(writer, tx.meta)
      putBytes(writer, tx.postChanges)
    }
    putU32(writer, ledger.upgrades.length)
    for (const upgrade of ledger.upgrades) {
      putBytes(writer, upgrade)
      putU32(writer, 0)
    }
    // No consensus messages.
    putU32(writer, 0)
    putU64(writer, 0n)
    putArray(writer, ledger.evicted)
  })
}
