// Submits a signed transaction until its outcome is final.

import type { SubmitResult } from './generated/resources.ts'
import { backoffMs, pause } from './clock.ts'
import type { Clock } from './clock.ts'
import { ContractFailure, ExchangeError, GatewayError, UnknownOutcome, Unreachable } from './errors.ts'
import type { SignedTransaction } from './errors.ts'
import type { Finished } from './orders.ts'
import type { Endpoints } from './rest.ts'

export interface FinishOptions {
  /** Stops waiting. After signing this rejects with UnknownOutcome, because the network may still apply the transaction. */
  readonly signal?: AbortSignal
  /** Maximum wait for the outcome, milliseconds; two minutes by default. */
  readonly patienceMs?: number
}

const PATIENCE_MS = 120_000
const POLL_MS = { min: 1_000, max: 30_000 }
const BACKOFF = { firstMs: 500, maxMs: 8_000 }
/** Clocks may differ by this much: a transaction counts as expired this long after its expiry. */
const EXPIRY_MARGIN_SEC = 60

/**
 * Submits the transaction until its outcome is final. `isNew`: it was not submitted before. Rejects with ContractFailure when it certainly failed, with
 * GatewayError when the network certainly has no copy of it, and with UnknownOutcome.
 */
export type Submitter = (transaction: SignedTransaction, options: FinishOptions, isNew: boolean) => Promise<Finished>

export function createSubmitter({ endpoints, clock }: { readonly endpoints: Endpoints; readonly clock: Clock }): Submitter {
  /** Submits the transaction and waits for its ledger; null when the gateway reports no outcome yet. Throws ContractFailure when it failed in a ledger. */
  async function submitOnce(transaction: SignedTransaction, options: FinishOptions, deadlineMs: number): Promise<Finished | null> {
    const { hash, signedXdr, clientId } = transaction
    const pollTimeoutMs = Math.min(POLL_MS.max, Math.max(POLL_MS.min, deadlineMs - clock.nowMs()))
    const submission = { signedXdr, pollTimeoutMs, ...(clientId === undefined ? {} : { clientId }) }
    const { body } = await endpoints.submitTransaction(submission, { ...signalOf(options), attempts: 1 })
    if (body.status === 'FAILED') throw failedInLedger(body)
    return body.status === 'SUCCESS' && body.ledger !== undefined ? { hash, ledger: body.ledger } : null
  }

  /** True if another submission cannot help. A rejection is final only when no earlier copy can still be applied. */
  function isFinal(kind: SubmitErrorKind, transaction: SignedTransaction, mayBePending: boolean): boolean {
    return kind === 'rejected' ? !mayBePending || isExpired(transaction) : kind === 'other' || kind === 'failed' || kind === 'permanent'
  }

  function isExpired({ expiresAt }: SignedTransaction): boolean {
    return clock.nowMs() / 1000 > expiresAt + EXPIRY_MARGIN_SEC
  }

  return async (transaction, options, isNew) => {
    const deadlineMs = clock.nowMs() + (options.patienceMs ?? PATIENCE_MS)
    /** True if the network may have an earlier copy of the transaction. */
    let mayBePending = !isNew
    let failures = 0

    /** Waits before the next attempt; throws when there is none. */
    async function onFailure(error: unknown): Promise<void> {
      const kind = classifySubmitError(error)
      // `other` is an abort, or a bug in this client. Neither says anything about the transaction.
      const isUndetermined = kind === 'other' || (kind === 'permanent' && mayBePending)
      if (isFinal(kind, transaction, mayBePending)) throw isUndetermined ? new UnknownOutcome(transaction, error) : error
      if (kind === 'unknown') mayBePending = true
      failures += 1
      const waitMs = Math.max(backoffMs(failures, BACKOFF), error instanceof GatewayError ? (error.retryAfterSec ?? 0) * 1000 : 0)
      if (clock.nowMs() + waitMs >= deadlineMs) throw mayBePending ? new UnknownOutcome(transaction, error) : error
      try {
        await pause(clock, waitMs, options.signal)
      } catch (cause) {
        throw new UnknownOutcome(transaction, cause)
      }
    }

    for (;;) {
      let finished: Finished | null
      try {
        finished = await submitOnce(transaction, options, deadlineMs)
      } catch (error) {
        await onFailure(error)
        continue
      }
      if (finished !== null) return finished
      mayBePending = true
      failures = 0
      if (clock.nowMs() >= deadlineMs) throw new UnknownOutcome(transaction)
    }
  }
}

export function signalOf({ signal }: FinishOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

/**
 * The meaning of a submission error for the transaction. `rejected`: the network did not accept this copy, but may have accepted an earlier one. `retry`: it
 * was not submitted, and may be later. `permanent`: it was not submitted, and a retry does not help.
 */
type SubmitErrorKind = 'failed' | 'rejected' | 'retry' | 'permanent' | 'unknown' | 'other'

function classifySubmitError(error: unknown): SubmitErrorKind {
  if (error instanceof Unreachable) return 'unknown'
  if (error instanceof ContractFailure) return error.stage === 'ledger' ? 'failed' : 'rejected'
  if (!(error instanceof GatewayError)) return error instanceof ExchangeError ? 'unknown' : 'other'
  if (error.status === 429 || error.status === 503) return 'retry'
  if (error.status === 502) return typeof (error.body as { readonly hash?: unknown } | null)?.hash === 'string' ? 'unknown' : 'retry'
  return error.status >= 500 ? 'unknown' : 'permanent'
}

function failedInLedger(result: SubmitResult): ContractFailure {
  const { contractError = null, hostError = null, txResultCode = null, message = 'The transaction failed in a ledger.' } = result
  return new ContractFailure(
    { status: 200, code: 'transaction_failed', message, hint: result.message, requestId: null, body: result },
    { stage: 'ledger', contractError, hostError, txResultCode, hash: result.hash },
  )
}
