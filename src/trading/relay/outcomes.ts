// The outcome of a submitted transaction, from the network's responses (docs/decisions/submitting.md).

import type { Clock } from '../../base/clock.ts'
import type { Requester } from '../../base/fair-share.ts'
import { readAgreedTransaction } from '../../chain/rpc/agreed-transaction.ts'
import type { AgreedTransaction } from '../../chain/rpc/agreed-transaction.ts'
import type { Agreement } from '../../chain/rpc/agreement.ts'
import { readReturnedOrderId } from '../../chain/codec/entry-changes.ts'
import type { CurrentDeployment } from '../../exchange/deployment.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import { findFailureCause, readTransactionResult } from '../../chain/rpc/outcome.ts'
import type { FailureCause, HostError, TransactionResult } from '../../chain/rpc/outcome.ts'
import type { RetainedLedgers } from '../../chain/rpc/responses.ts'
import type { LedgerWatermarks } from '../../chain/rpc/ledger-watermarks.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { SignedTransaction } from '../../chain/codec/transaction.ts'
import type { ContractError, HostErrorName } from '../../resources/submit-result.ts'
import { adviceForFailure, describeHostError, hostText } from './error-advice.ts'
import type { ContractErrors } from './error-advice.ts'
import { readCreated } from './created-entries.ts'
import type { CreatedEntries } from './created-entries.ts'
import type { SendResult } from './send-envelope.ts'

/** The errors of a transaction, as the API returns them. */
interface NamedErrors {
  readonly contractError: ContractError | null
  readonly hostError: HostErrorName | null
}

/** The nodes that report an outcome. Null: a stored one that the index alone has. */
interface Evidence {
  readonly confirmedBy: number | null
  /** Nodes that are configured. */
  readonly nodes: number | null
}

/** The transaction's position on the chain. */
interface Applied extends Evidence {
  readonly ledger: number
  /** The close time of the ledger, Unix seconds; null when the node does not report it. */
  readonly closeSec: number | null
}

interface Rejection extends NamedErrors {
  readonly kind: 'rejected'
  /** Null when the network returned none that can be decoded. */
  readonly result: TransactionResult | null
  readonly hostText: string | null
  /** The proof that no copy of the transaction can be applied any more. Without it, the rejection is about one copy. */
  readonly proof?: Proof
}

/** The time bound has passed, or another transaction has used the sequence number, and no ledger has the transaction. */
export type Proof = 'expired' | 'superseded'

/** The outcome of a submission for one caller. */
export type SubmitOutcome =
  /** `orderId`: of the order that the call returned, if it placed one. `created`: what the transaction's own result says that it created. */
  | Applied & { readonly kind: 'success'; readonly orderId?: number; readonly created?: CreatedEntries }
  | Applied & NamedErrors & { readonly kind: 'failed'; readonly message: string; readonly txResultCode: string | null; readonly resultXdr: string }
  /** The network has the transaction; it is not final. */
  | { readonly kind: 'pending' }
  | Rejection
  /** The network's queue or this gateway has no room for the transaction now, or the requester has its share of the gateway's capacity. */
  | { readonly kind: 'tryAgainLater'; readonly fullQueue: 'network' | 'gateway' | 'share' }
  /** No node received the transaction. */
  | { readonly kind: 'notSent' }
  /** It is unknown whether the network has the transaction. */
  | { readonly kind: 'unknown' }

/** The outcome of a transaction that is in a ledger. */
export type AppliedOutcome = SubmitOutcome & { readonly kind: 'success' | 'failed' }

/** One look-up of a transaction by its hash; without an outcome the node does not know the hash, or nodes contradict each other. */
export interface TransactionLookup extends RetainedLedgers {
  /** True when nodes contradict each other and none has a majority: nothing is known of the transaction. */
  readonly isContested: boolean
  /** Nodes that report the outcome, or that the transaction is in none of their ledgers. */
  readonly agreeing: number
  /** Base64; only of a transaction that was found, and only from nodes that report it. */
  readonly envelopeXdr?: string | null
  readonly outcome?: AppliedOutcome
}

/** The fields of a transaction that a look-up needs. */
type LookedUp = Pick<SignedTransaction, 'hash' | 'source' | 'contract'>

interface LookUpOptions {
  readonly signal: AbortSignal
  /** Accepts no answer of an earlier ledger. */
  readonly minLedger?: number
  /** Asks all nodes, also when the first does not have the transaction. */
  readonly thorough?: boolean
}

export interface OutcomeReader {
  /** Looks the transaction up by its hash. Other nodes have a limited time to confirm an outcome. Null when no node responds. */
  lookUp(signed: LookedUp, requester: Pick<Requester, 'address'>, options: LookUpOptions): Promise<TransactionLookup | null>
  /**
   * The outcome of a send that was not accepted, given that a node at `latestLedger` does not know the hash. Undefined while that is not conclusive.
   */
  unacceptedOutcome(sent: SendResult, latestLedger: number, signed: LookedUp): SubmitOutcome | undefined
}

/** A transaction that failed in a ledger for a reason of the host. */
export interface HostFailure {
  readonly hash: string
  readonly envelopeXdr: string | null
  readonly diagnosticEventsXdr: readonly string[]
  readonly hostError: HostError
}

export function createOutcomeReader({ rpc, clock, networkId, deployment, agreement, contractErrors, ledgerWatermarks, onHostFailure }: {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  readonly networkId: Uint8Array
  readonly agreement: Pick<Agreement, 'record'>
  readonly contractErrors: ContractErrors
  readonly ledgerWatermarks: LedgerWatermarks
  /** Called whenever such a transaction is looked up. */
  readonly onHostFailure?: (failure: HostFailure) => void
}): OutcomeReader {
  return {
    async lookUp(signed, { address }, options) {
      try {
        const agreed = await readAgreedTransaction({ rpc, clock }, signed.hash, { ...options, networkId, requester: address })
        return toLookup(signed, agreed)
      } catch (error) {
        if (options.signal.aborted || error instanceof RpcFailure) return null
        throw error
      }
    },
    unacceptedOutcome(sent, latestLedger, signed) {
      if (sent.kind === 'tryAgainLater') return { kind: 'tryAgainLater', fullQueue: 'network' }
      if (sent.kind === 'coreError') return { kind: 'unknown' }
      // The transaction's own success makes a node reject it. A node that lags behind the rejecting one may not know of that success yet.
      if (sent.kind !== 'rejected' || latestLedger < sent.latestLedger) return undefined
      const cause = findFailureCause(sent.diagnosticEventsXdr)
      const result = sent.resultXdr === null ? null : readTransactionResult(sent.resultXdr)
      const { contractError, hostError } = nameErrors(cause, signed.contract)
      return { kind: 'rejected', result, contractError, hostError, hostText: hostTextOf(cause) }
    },
  }

  function toLookup(signed: LookedUp, { response, agreeing, asked, isContested }: AgreedTransaction): TransactionLookup {
    const { latestLedger, latestLedgerCloseSec, oldestLedger, oldestLedgerCloseSec } = response
    const retained = { latestLedger, latestLedgerCloseSec, oldestLedger, oldestLedgerCloseSec, isContested, agreeing }
    if (response.status !== 'NOT_FOUND' || isContested) agreement.record('outcomes', { agreeing, asked })
    if (response.status === 'NOT_FOUND' || isContested) return retained
    ledgerWatermarks.record(signed.source, response.ledger)
    const { ledger, closeSec = null, envelopeXdr = null } = response
    const applied = { ledger, closeSec, confirmedBy: agreeing, nodes: rpc.endpoints }
    if (response.status === 'SUCCESS') {
      return { ...retained, envelopeXdr, outcome: { kind: 'success', ...applied, ...createdBy(response.metaXdr) } }
    }
    const { diagnosticEventsXdr } = response
    const result = readTransactionResult(response.resultXdr)
    const cause = withOperationResult(findFailureCause(diagnosticEventsXdr), result)
    if (cause.hostError !== null) onHostFailure?.({ hash: signed.hash, envelopeXdr, diagnosticEventsXdr, hostError: cause.hostError })
    return { ...retained, envelopeXdr, outcome: { ...failedOutcome(response.resultXdr, { result, cause }, signed.contract), ...applied } }
  }

  function createdBy(metaXdr: string | undefined): { readonly orderId?: number; readonly created?: CreatedEntries } {
    if (metaXdr === undefined) return {}
    const orderId = readReturnedOrderId(metaXdr)
    const created = readCreated(metaXdr, deployment.current.contracts.market)
    return { ...(orderId === null ? {} : { orderId }), ...(created === null ? {} : { created }) }
  }

  function nameErrors({ contractError, hostError }: FailureCause, invoked: string | null): NamedErrors & { readonly advice: string } {
    if (contractError !== null) return { ...contractErrors.explain(contractError, invoked), hostError: null }
    return { contractError: null, hostError: describeHostError(hostError), advice: adviceForFailure(hostError) }
  }

  function failedOutcome(
    resultXdr: string, { result, cause }: { readonly result: TransactionResult | null; readonly cause: FailureCause }, invoked: string | null,
  ): Omit<Extract<SubmitOutcome, { kind: 'failed' }>, keyof Applied> {
    const { advice, ...errors } = nameErrors(cause, invoked)
    const message = ['Transaction failed:', advice, hostTextOf(cause) ?? []].flat().join(' ')
    return { kind: 'failed', ...errors, txResultCode: result?.code ?? null, resultXdr, message }
  }
}

/** The result of the operation names an exceeded budget too, for nodes without diagnostics. */
function withOperationResult(cause: FailureCause, result: TransactionResult | null): FailureCause {
  if (cause.contractError !== null || cause.hostError !== null || result?.operation !== 'invokeHostFunctionResourceLimitExceeded') return cause
  return { contractError: null, hostError: { type: 'Budget', code: 'ExceededLimit' } }
}

function hostTextOf({ contractError, hostError }: FailureCause): string | null {
  const error = contractError ?? hostError
  return error === null ? null : hostText(error)
}

/** The outcome to report while the transaction is not final. */
export function provisionalOutcome(sent: SendResult | null): SubmitOutcome {
  if (sent?.kind === 'accepted') return { kind: 'pending' }
  return sent?.kind === 'tryAgainLater' ? { kind: 'tryAgainLater', fullQueue: 'network' } : { kind: 'unknown' }
}

/** A rejection that names no cause. */
export const REJECTED: Rejection = { kind: 'rejected', result: null, contractError: null, hostError: null, hostText: null }

/** The network's answer after each proof. */
const PROVED_CODES = { expired: 'txTooLate', superseded: 'txBadSeq' } as const

export function provedOutcome(proof: Proof): SubmitOutcome {
  return { ...REJECTED, result: { code: PROVED_CODES[proof], operation: null, feeCharged: 0n }, proof }
}
