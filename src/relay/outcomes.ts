// The outcome of a submitted transaction, from the network's responses (docs/decisions/submitting.md).

import type { Requester } from '../base/fair-share.ts'
import { RpcFailure } from '../chain/failure.ts'
import { findContractError, readTransactionResult } from '../chain/outcome.ts'
import type { TransactionResult } from '../chain/outcome.ts'
import type { LedgerWatermarks } from '../chain/ledger-watermarks.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { SignedTransaction } from '../chain/transaction.ts'
import type { ContractError } from '../resources/submit-result.ts'
import type { ContractErrors } from './contract-errors.ts'
import type { SendResult } from './send.ts'

/** The outcome of a submission for one caller. */
export type SubmitOutcome =
  | { readonly kind: 'success'; readonly ledger: number }
  | { readonly kind: 'failed'; readonly contractError: ContractError | null; readonly resultXdr: string }
  /** The network has the transaction; it is not final. */
  | { readonly kind: 'pending' }
  /** `result` is null when the network returned none that can be decoded. */
  | { readonly kind: 'rejected'; readonly result: TransactionResult | null; readonly contractError: ContractError | null }
  /** The network's queue or this gateway has no room for the transaction now, or the requester has its share of the gateway's capacity. */
  | { readonly kind: 'tryAgainLater'; readonly fullQueue: 'network' | 'gateway' | 'share' }
  /** No node received the transaction. */
  | { readonly kind: 'notSent' }
  /** It is unknown whether the network has the transaction. */
  | { readonly kind: 'unknown' }

/** One look-up of a transaction by its hash; without an outcome the node does not know the hash. */
export interface TransactionLookup {
  readonly outcome?: SubmitOutcome
  readonly latestLedger: number
}

export interface OutcomeReader {
  /** Looks the transaction up by its hash; null when the node does not respond. */
  lookUp(signed: SignedTransaction, requester: Requester, signal: AbortSignal): Promise<TransactionLookup | null>
  /**
   * The outcome of a send that was not accepted, given that a node at `latestLedger` does not know the hash. Undefined while that is not conclusive.
   */
  unacceptedOutcome(sent: SendResult, latestLedger: number, signed: SignedTransaction): SubmitOutcome | undefined
}

export function createOutcomeReader({ rpc, contractErrors, ledgerWatermarks }: {
  readonly rpc: Rpc
  readonly contractErrors: ContractErrors
  readonly ledgerWatermarks: LedgerWatermarks
}): OutcomeReader {
  return {
    async lookUp(signed, requester, signal) {
      try {
        const response = await rpc.getTransaction(signed.hash, { signal, requester: requester.address })
        const { latestLedger } = response
        if (response.status === 'NOT_FOUND') return { latestLedger }
        ledgerWatermarks.record(signed.source, response.ledger)
        if (response.status === 'SUCCESS') return { outcome: { kind: 'success', ledger: response.ledger }, latestLedger }
        const contractError = contractErrors.describe(findContractError(response.diagnosticEventsXdr), signed.contract)
        return { outcome: { kind: 'failed', contractError, resultXdr: response.resultXdr }, latestLedger }
      } catch (error) {
        if (signal.aborted || error instanceof RpcFailure) return null
        throw error
      }
    },
    unacceptedOutcome(sent, latestLedger, signed) {
      if (sent.kind === 'tryAgainLater') return { kind: 'tryAgainLater', fullQueue: 'network' }
      if (sent.kind === 'coreError') return { kind: 'unknown' }
      // The transaction's own success makes a node reject it. A node that lags behind the rejecting one may not know of that success yet.
      if (sent.kind !== 'rejected' || latestLedger < sent.latestLedger) return undefined
      const contractError = contractErrors.describe(findContractError(sent.diagnosticEventsXdr), signed.contract)
      return { kind: 'rejected', result: sent.resultXdr === null ? null : readTransactionResult(sent.resultXdr), contractError }
    },
  }
}

/** The outcome to report while the transaction is not final. */
export function provisionalOutcome(sent: SendResult | null): SubmitOutcome {
  if (sent?.kind === 'accepted') return { kind: 'pending' }
  return sent?.kind === 'tryAgainLater' ? { kind: 'tryAgainLater', fullQueue: 'network' } : { kind: 'unknown' }
}
