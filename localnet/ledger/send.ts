// sendTransaction: the queue is asked first, then the transaction is judged, then it waits (soroban-rpc, "sendTransaction").

import type { SendOutcome } from '../chain.ts'
import { decodeEnvelope, type Envelope } from './envelope.ts'
import type { QueueRejection, TransactionQueue } from './queue.ts'
import { encodeTransactionResult, TX_CODE, type TransactionResult } from './results.ts'
import type { View } from './state.ts'
import { validateTransaction, minimumFeeOf } from './validity.ts'
import { toBase64 } from './xdr-writer.ts'

/** What an envelope is sent into. */
export interface SendContext {
  readonly queue: TransactionQueue
  readonly view: View
  readonly networkId: Uint8Array
  /** The ledger that would take it, and the last one's close time. */
  readonly nextSequence: number
  readonly lastCloseTimeSec: number
}

/** Judges and queues an envelope. Throws RangeError('invalid_xdr') when it does not decode. */
export function sendEnvelope(context: SendContext, envelopeXdr: string): SendOutcome {
  const { queue } = context
  const envelope = decodeEnvelope(envelopeXdr, context.networkId)
  const { hash } = envelope
  const obstacle = queue.rejectionOf(envelope)
  if (obstacle !== null) return queueRejectionOutcome(envelope, obstacle)
  const refusal = validateTransaction(envelope, {
    view: context.view,
    sequence: context.nextSequence,
    closeTimeSec: context.lastCloseTimeSec,
    admission: true,
    applying: false,
    queuedFees: (account) => queue.pendingFees(account, envelope),
  })
  if (refusal !== null) {
    const innerHash = envelope.feeBump === null || refusal.feeBumpFailed ? null : envelope.transaction.hash
    const errorResultXdr = toBase64(encodeTransactionResult(refusal, minimumFeeOf(envelope), innerHash))
    const diagnosticEventsXdr = refusal.diagnostics.map(toBase64)
    return { status: 'ERROR', hash, errorResultXdr, ...(diagnosticEventsXdr.length === 0 ? {} : { diagnosticEventsXdr }) }
  }
  const full = queue.add(envelope)
  return full === null ? { status: 'PENDING', hash } : queueRejectionOutcome(envelope, full)
}

/** What the queue itself says. It charges nothing; with too low a fee it names the fee that would do. */
function queueRejectionOutcome({ hash }: Envelope, obstacle: QueueRejection): SendOutcome {
  const error = (code: TransactionResult['code'], fee: bigint): SendOutcome => ({
    status: 'ERROR', hash, errorResultXdr: toBase64(encodeTransactionResult({ code, operations: [] }, fee, null)),
  })
  switch (obstacle.kind) {
    case 'duplicate':
      return { status: 'DUPLICATE', hash }
    case 'try-again-later':
      return { status: 'TRY_AGAIN_LATER', hash }
    case 'bad-sequence':
      return error(TX_CODE.badSeq, 0n)
    default:
      return error(TX_CODE.insufficientFee, obstacle.neededFee)
  }
}
