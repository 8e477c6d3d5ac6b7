// One attempt to send a signed transaction, and what its answer means (soroban-rpc, "sendTransaction"). Every answer that a node, a proxy or the way to
// them can give is one of these.

import type { Log } from '../base/log.ts'
import { RPC_CODES, RpcFailure, isUnprocessed } from '../chain/failure.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { SignedTransaction } from '../chain/transaction.ts'

export type SendResult =
  /** In a queue of the network, or there already. */
  | { readonly kind: 'accepted' }
  /** No room, or another transaction of the account is in the way, or this very one was applied a moment ago. */
  | { readonly kind: 'later' }
  /** Judged invalid by a node that stood at `latestLedger`: now, or for having been applied already. */
  | { readonly kind: 'refused'; readonly latestLedger: number; readonly resultXdr: string | null; readonly diagnosticEventsXdr: readonly string[] }
  /** The node cannot read it. */
  | { readonly kind: 'undecodable' }
  /** Turned away by the network's core without a judgement. */
  | { readonly kind: 'turnedAway' }
  /** It may be on its way, or not. */
  | { readonly kind: 'lost' }
  /** Certainly not: nobody took it. */
  | { readonly kind: 'unsent' }

/** Words of the node that tell one -32603 from another: there is nothing else to tell them by. */
const REJECTED_BY_CORE_PREFIXES = ['invalid status', 'received exception']

/** Sends once. Never rejects with an RpcFailure. */
export async function send(parts: { readonly rpc: Rpc; readonly log: Log }, signed: SignedTransaction): Promise<SendResult> {
  const { rpc, log } = parts
  try {
    const answer = await rpc.sendTransaction(signed.envelopeXdr)
    if (answer.hash !== signed.hash) {
      log.error({ hash: signed.hash, answered: answer.hash }, 'the node hashes a transaction otherwise: does it belong to another network?')
      return { kind: 'lost' }
    }
    if (answer.status === 'TRY_AGAIN_LATER') return { kind: 'later' }
    if (answer.status !== 'ERROR') return { kind: 'accepted' }
    const { latestLedger, errorResultXdr, diagnosticEventsXdr } = answer
    return { kind: 'refused', latestLedger, resultXdr: errorResultXdr, diagnosticEventsXdr }
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error
    const kind = classifyFailure(error)
    const { kind: failure, code, status, detail } = error
    log.warn({ hash: signed.hash, kind, failure, code, status, detail }, 'a transaction was not sent cleanly')
    return { kind }
  }
}

function classifyFailure(failure: RpcFailure): 'undecodable' | 'turnedAway' | 'unsent' | 'lost' {
  if (isUnprocessed(failure)) return 'unsent'
  if (failure.kind !== 'rpc') return 'lost'
  if (failure.code === RPC_CODES.invalidParams) return 'undecodable'
  const words = failure.detail ?? ''
  return failure.code === RPC_CODES.internal && REJECTED_BY_CORE_PREFIXES.some((start) => words.startsWith(start)) ? 'turnedAway' : 'lost'
}
