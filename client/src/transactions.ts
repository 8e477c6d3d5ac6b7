// Transactions by their hash or client id. The gateway keeps them and drives them to an end, so that a program can ask again after a crash.

import type { Transaction } from './generated/resources.ts'
import { pause } from './clock.ts'
import type { Clock } from './clock.ts'
import { ContractFailure, GatewayError, NotFinal, TransactionExpired, Unreachable } from './errors.ts'
import type { CallOptions } from './http.ts'
import type { Endpoints } from './rest.ts'

/** A transaction in a ledger, whose effects are indexed. */
export type FinishedTransaction = Transaction & { readonly status: 'SUCCESS'; readonly ledger: number; readonly events: NonNullable<Transaction['events']> }

export interface FinishByHashOptions {
  readonly signal?: AbortSignal
  /** Maximum wait for the outcome, milliseconds; two minutes by default. */
  readonly patienceMs?: number
}

export interface Transactions {
  /** The transaction as the gateway or the network knows it now. Rejects with GatewayError `unknown_transaction` if neither does. */
  get(hash: string, options?: CallOptions): Promise<Transaction>
  /** The newest transaction of the key's account with this client id. */
  find(id: { readonly clientId: string }, options?: CallOptions): Promise<Transaction>
  /**
   * Waits until the transaction is in a ledger and its effects can be read. Needs only the hash, so any program can finish what an earlier one submitted.
   * Waits also while the gateway cannot be reached.
   * Rejects with ContractFailure when it failed, with TransactionExpired when the network can never include it, so that it is safe to sign another, and with
   * NotFinal when that is not known in time.
   */
  finish(hash: string, options?: FinishByHashOptions): Promise<FinishedTransaction>
}

const PATIENCE_MS = 120_000
const POLL_MS = 1_000

export function createTransactions({ endpoints, clock }: { readonly endpoints: Endpoints; readonly clock: Clock }): Transactions {
  const get = async (hash: string, options?: CallOptions): Promise<Transaction> => (await endpoints.getTransaction({ hash }, options)).body

  return {
    get,
    find: async ({ clientId }, options) => (await endpoints.findTransaction({ clientId }, options)).body,
    async finish(hash, { signal, patienceMs = PATIENCE_MS } = {}) {
      const deadlineMs = clock.nowMs() + patienceMs
      for (;;) {
        const found = await get(hash, signal === undefined ? {} : { signal }).catch(keepTransient)
        if (!(found instanceof Error)) {
          if (isFinished(found)) return found
          throwIfEnded(found)
        }
        if (clock.nowMs() + POLL_MS >= deadlineMs) throw found instanceof Error ? found : new NotFinal(hash, found.status)
        await pause(clock, POLL_MS, signal)
      }
    },
  }
}

/** Returns an error that a later call may not meet, and throws any other. */
function keepTransient(error: unknown): Error {
  if (error instanceof Unreachable || (error instanceof GatewayError && error.status >= 500)) return error
  throw error
}

function isFinished(transaction: Transaction): transaction is FinishedTransaction {
  return transaction.status === 'SUCCESS' && transaction.ledger !== null && transaction.events !== null
}

/** Throws for a transaction that will not be in a ledger, or not successfully, and for one that nobody submitted. */
function throwIfEnded(transaction: Transaction): void {
  const { hash, status, contractError, hostError, txResultCode } = transaction
  if (status === 'EXPIRED') throw new TransactionExpired(hash)
  if (status === 'PREPARED' || status === 'UNKNOWN') throw new NotFinal(hash, status)
  if (status !== 'FAILED' && status !== 'REJECTED') return
  const message = status === 'FAILED' ? 'The transaction failed in a ledger.' : 'The network rejected the transaction.'
  throw new ContractFailure(
    { status: 200, code: status === 'FAILED' ? 'transaction_failed' : 'submission_rejected', message, requestId: null, body: transaction },
    { stage: status === 'FAILED' ? 'ledger' : 'submission', contractError, hostError, txResultCode, hash },
  )
}
