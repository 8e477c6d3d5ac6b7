// Sends a signed transaction once and classifies every possible response (soroban-rpc, "sendTransaction").

import type { Requester } from '../../base/fair-share.ts'
import type { Log } from '../../base/log.ts'
import { RPC_CODES, RpcFailure, isUnprocessed } from '../../chain/rpc/failure.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { SignedTransaction } from '../../chain/codec/transaction.ts'

export type SendResult =
  /** The network has queued the transaction, or had it already. */
  | { readonly kind: 'accepted' }
  /** The queue is full, another transaction of the account is queued, or this one was just applied. */
  | { readonly kind: 'tryAgainLater' }
  /** Invalid according to a node at `latestLedger`. A transaction that was already applied is invalid too. */
  | { readonly kind: 'rejected'; readonly latestLedger: number; readonly resultXdr: string | null; readonly diagnosticEventsXdr: readonly string[] }
  /** The node cannot decode it. */
  | { readonly kind: 'undecodable' }
  /** The node's stellar-core failed without validating it. */
  | { readonly kind: 'coreError' }
  /** The network may or may not have received it. */
  | { readonly kind: 'unconfirmed' }
  /** No node received it. */
  | { readonly kind: 'notSent' }

/** The node reports failures of stellar-core as -32603, like its own. Only these message prefixes identify them. */
const CORE_ERROR_PREFIXES = ['invalid status', 'received exception']

/** Never rejects with an RpcFailure. */
export async function send(
  { rpc, log }: { readonly rpc: Rpc; readonly log: Log }, signed: Pick<SignedTransaction, 'hash' | 'envelopeXdr'>, { address }: Requester,
): Promise<SendResult> {
  try {
    const response = await rpc.sendTransaction(signed.envelopeXdr, { requester: address })
    if (response.hash !== signed.hash) {
      log.error({ hash: signed.hash, nodeHash: response.hash }, 'the node computed a different transaction hash: check that it belongs to this network')
      return { kind: 'unconfirmed' }
    }
    if (response.status === 'TRY_AGAIN_LATER') return { kind: 'tryAgainLater' }
    if (response.status !== 'ERROR') return { kind: 'accepted' }
    const { latestLedger, errorResultXdr, diagnosticEventsXdr } = response
    return { kind: 'rejected', latestLedger, resultXdr: errorResultXdr, diagnosticEventsXdr }
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error
    const kind = classifyFailure(error)
    const { kind: failure, code, status, detail } = error
    log.warn({ hash: signed.hash, kind, failure, code, status, detail }, 'sending a transaction failed')
    return { kind }
  }
}

function classifyFailure(failure: RpcFailure): 'undecodable' | 'coreError' | 'notSent' | 'unconfirmed' {
  if (isUnprocessed(failure)) return 'notSent'
  if (failure.kind !== 'rpc') return 'unconfirmed'
  if (failure.code === RPC_CODES.invalidParams) return 'undecodable'
  const detail = failure.detail ?? ''
  return failure.code === RPC_CODES.internal && CORE_ERROR_PREFIXES.some((prefix) => detail.startsWith(prefix)) ? 'coreError' : 'unconfirmed'
}
