// sendTransaction: checks the queue's rules, validates the transaction, then queues it (soroban-rpc, "sendTransaction").

import type { SendOutcome } from '../chain.ts'
import { decodeEnvelope, type Envelope } from './envelope.ts'
import type { QueueRejection, TransactionQueue } from './queue.ts'
import { encodeTransactionResult, type TransactionResult, TX_CODE } from './results.ts'
import type { View } from './state.ts'
import { minimumFeeOf, validateTransaction } from './validity.ts'
import { toBase64 } from './xdr-writer.ts'

export interface SendContext {
  readonly queue: TransactionQueue
  readonly view: View
  readonly networkId: Uint8Array
  /** The ledger that would include the transaction. */
  readonly nextSequence: number
  readonly lastCloseTimeSec: number
}

/** Validates and queues an envelope. Throws RangeError('invalid_xdr') when it does not decode. */
export function sendEnvelope(context: SendContext, envelopeXdr: string): SendOutcome {
  const { queue } = context
  const envelope = decodeEnvelope(envelopeXdr, context.networkId)
  const { hash } = envelope
  const rejection = queue.rejectionOf(envelope)
  if (rejection !== null) return queueRejectionOutcome(envelope, rejection)
  const failure = validateTransaction(envelope, {
    view: context.view,
    sequence: context.nextSequence,
    closeTimeSec: context.lastCloseTimeSec,
    admission: true,
    applying: false,
    queuedFees: (account) => queue.pendingFees(account, envelope),
  })
  if (failure !== null) {
    const innerHash = envelope.feeBump === null || failure.feeBumpFailed ? null : envelope.transaction.hash
    const errorResultXdr = toBase64(encodeTransactionResult(failure, minimumFeeOf(envelope), innerHash))
    const diagnosticEventsXdr = failure.diagnostics.map(toBase64)
    return { status: 'ERROR', hash, errorResultXdr, ...(diagnosticEventsXdr.length === 0 ? {} : { diagnosticEventsXdr }) }
  }
  const addRejection = queue.add(envelope)
  return addRejection === null ? { status: 'PENDING', hash } : queueRejectionOutcome(envelope, addRejection)
}

/** The response for a rejection by the queue. feeCharged is 0, or the fee that would be enough when the fee is too low. */
function queueRejectionOutcome({ hash }: Envelope, rejection: QueueRejection): SendOutcome {
  const error = (code: TransactionResult['code'], fee: bigint): SendOutcome => ({
    status: 'ERROR', hash, errorResultXdr: toBase64(encodeTransactionResult({ code, operations: [] }, fee, null)),
  })
  switch (rejection.kind) {
    case 'duplicate':
      return { status: 'DUPLICATE', hash }
    case 'try-again-later':
      return { status: 'TRY_AGAIN_LATER', hash }
    case 'bad-sequence':
      return error(TX_CODE.badSeq, 0n)
    default:
      return error(TX_CODE.insufficientFee, rejection.neededFee)
  }
}
