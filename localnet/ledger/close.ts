// Closes a ledger (soroban-rpc, "Closing a ledger"): charges all fees, applies the transactions in order, then refunds.

import { defined } from '../../src/base/assert.ts'
import { type AppliedTransaction, type ApplyContext, applyTransaction } from './apply-transaction.ts'
import { changeBetween } from './changes.ts'
import { findAccount, putAccountEntry } from './classic-entries.ts'
import { feeEvent } from './classic-events.ts'
import { chargedOperations, type Envelope, feeSourceOf, inclusionFeeOf, isSoroban, resourceFeeOf } from './envelope.ts'
import type { HostEvent } from './host-events.ts'
import { accountKey, type LedgerKey } from './keys.ts'
import { encodeChanges, encodeMeta, STAGE, transactionEvent } from './meta.ts'
import { encodeTransactionResult, TX_CODE } from './results.ts'
import { createLayer, type Layer, type View } from './state.ts'
import { fromBase64 } from './xdr-writer.ts'

export interface CloseInput extends ApplyContext {
  readonly state: View
  readonly envelopes: readonly Envelope[]
  /** Stroops per operation. */
  readonly baseFee: { readonly classic: bigint; readonly soroban: bigint }
  /** Temporary entries to evict. */
  readonly expired: readonly LedgerKey[]
}

export interface ClosedTransaction {
  readonly envelope: Envelope
  readonly soroban: boolean
  readonly success: boolean
  /** The inclusion fee per operation, stroops. */
  readonly inclusionFee: bigint
  readonly result: Uint8Array
  readonly meta: Uint8Array
  /** LedgerEntryChanges. */
  readonly feeChanges: Uint8Array
  readonly postChanges: Uint8Array
  readonly feeEvents: { readonly charge: HostEvent; readonly refund: HostEvent | null }
  /** One list per operation. */
  readonly operationEvents: readonly (readonly HostEvent[])[]
}

export interface ClosedLedger {
  /** All changes of the ledger. */
  readonly layer: Layer
  readonly transactions: readonly ClosedTransaction[]
  /** LedgerKey each. */
  readonly evicted: readonly Uint8Array[]
  /** Fees after refunds, stroops. */
  readonly feesCollected: bigint
}

/** The fee of a transaction before refunds. */
interface FeeCharge {
  readonly fee: bigint
  readonly inclusionFee: bigint
  readonly changes: readonly Uint8Array[]
}

/** Computes the next ledger. Nothing is stored until its layer is committed. */
export function closeLedger(input: CloseInput): ClosedLedger {
  const ledger = createLayer(input.state)
  const charges = input.envelopes.map((envelope) => chargeFee(input, ledger, envelope))
  const applied = input.envelopes.map((envelope) => applyTransaction(input, ledger, envelope))
  const transactions = input.envelopes.map((envelope, index) => {
    const charge = defined(charges[index], 'the charge of a transaction')
    return finishTransaction(input, ledger, envelope, charge, defined(applied[index], 'an applied transaction'))
  })
  for (const key of input.expired) if (ledger.get(key) !== undefined) ledger.remove(key)
  return {
    layer: ledger,
    transactions: transactions.map(({ transaction }) => transaction),
    evicted: input.expired.map(fromBase64),
    feesCollected: transactions.reduce((total, { feeCharged }) => total + feeCharged, 0n),
  }
}

const minBigInt = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Charges the resource fee and the base fee of the operations, however high the bid, but at most the payer's balance. */
function chargeFee(input: CloseInput, ledger: Layer, envelope: Envelope): FeeCharge {
  const payer = defined(findAccount(ledger, feeSourceOf(envelope)), 'the account that pays for a validated transaction')
  const baseFee = isSoroban(envelope) ? input.baseFee.soroban : input.baseFee.classic
  const inclusionFee = minBigInt(inclusionFeeOf(envelope), baseFee * BigInt(chargedOperations(envelope)))
  const fee = minBigInt(resourceFeeOf(envelope) + inclusionFee, payer.balance)
  return { fee, inclusionFee, changes: changeBalance(input, ledger, payer.account, -fee) }
}

/** LedgerEntryChange each. */
function changeBalance(input: CloseInput, ledger: Layer, account: string, delta: bigint): readonly Uint8Array[] {
  const entry = defined(findAccount(ledger, account), 'the account that paid a fee')
  const layer = createLayer(ledger)
  putAccountEntry(layer, { ...entry, balance: entry.balance + delta }, input.sequence)
  const changes = changeBetween(accountKey(account), ledger, layer)
  layer.mergeInto(ledger)
  return changes
}

/** Refunds the unused part of the resource fee and encodes the result and the meta. */
function finishTransaction(
  input: CloseInput,
  ledger: Layer,
  envelope: Envelope,
  charge: FeeCharge,
  applied: AppliedTransaction,
): { readonly transaction: ClosedTransaction; readonly feeCharged: bigint } {
  const { networkId } = input
  const payer = feeSourceOf(envelope)
  const used = applied.soroban === null ? 0n : applied.soroban.charges.nonRefundable + applied.soroban.charges.refundable
  const unused = applied.soroban === null ? 0n : resourceFeeOf(envelope) - used
  const refund = unused > 0n ? minBigInt(unused, charge.fee) : 0n
  const postChanges = refund > 0n ? changeBalance(input, ledger, payer, refund) : []
  const feeCharged = charge.fee - refund
  const feeEvents = { charge: feeEvent(networkId, payer, charge.fee), refund: refund > 0n ? feeEvent(networkId, payer, -refund) : null }
  const transactionEvents = [transactionEvent(STAGE.beforeAll, feeEvents.charge)]
  if (feeEvents.refund !== null) transactionEvents.push(transactionEvent(STAGE.afterAll, feeEvents.refund))
  const innerHash = envelope.feeBump === null || applied.feeBumpFailed ? null : envelope.transaction.hash
  const transaction: ClosedTransaction = {
    envelope,
    soroban: isSoroban(envelope),
    success: applied.result.code === TX_CODE.success,
    inclusionFee: charge.inclusionFee / BigInt(chargedOperations(envelope)),
    result: encodeTransactionResult(applied.result, feeCharged, innerHash),
    meta: encodeMeta(applied, transactionEvents),
    feeChanges: encodeChanges(charge.changes),
    postChanges: encodeChanges(postChanges),
    feeEvents,
    operationEvents: applied.operations.map(({ events }) => events),
  }
  return { transaction, feeCharged }
}
