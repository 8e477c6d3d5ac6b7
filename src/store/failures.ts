// Driver errors become the store's named ones here, and nowhere else.

import { AssertionFailure } from '../base/assert.ts'
import { StatementFailed, StatementTimeout, StoreUnavailable } from './store.ts'

/** What a driver's error tells; the rest of it (parameters, statement) may hold secrets and stays behind. */
export interface Failure {
  readonly message: string
  /** SQLSTATE, or the operating system's name of a network error. */
  readonly code: string | null
  readonly constraint: string | null
}

/** The code of a broken invariant of ours that came up inside a driver, in one of the decoders. */
export const ASSERTION = 'assertion'

/** Reads a driver's error. */
export function readFailure(cause: unknown): Failure {
  if (cause instanceof AssertionFailure) return { message: cause.message, code: ASSERTION, constraint: null }
  const fields = (typeof cause === 'object' && cause !== null ? cause : {}) as { message?: unknown; code?: unknown; constraint?: unknown; errors?: unknown }
  const inner = Array.isArray(fields.errors) ? (fields.errors[0] as { message?: unknown } | undefined) : undefined
  const message = [fields.message, inner?.message, String(cause)].find((text) => typeof text === 'string' && text !== '')
  return {
    message: String(message),
    code: typeof fields.code === 'string' ? fields.code : null,
    constraint: typeof fields.constraint === 'string' ? fields.constraint : null,
  }
}

/** SQLSTATE of a statement that was cancelled, by its time limit or by request. */
export const QUERY_CANCELED = '57014'
const IDLE_TRANSACTION = '25P03'

/** True for a SQLSTATE; a network error's name may have five letters too (EPIPE), but no digit. */
export function isSqlState(code: string | null): code is string {
  return code !== null && /^(?=.*\d)[0-9A-Z]{5}$/.test(code)
}

/** The store's error for what a driver raised: a SQLSTATE is the statement's own fault, everything else is the connection's. */
export function toStoreError(failure: Failure): Error {
  const { message, code } = failure
  if (code === ASSERTION) return new AssertionFailure(message)
  if (code === QUERY_CANCELED) return new StatementTimeout('the statement ran into its time limit')
  if (code === IDLE_TRANSACTION) return new StatementTimeout('the transaction sent nothing for too long and was rolled back')
  if (!isSqlState(code)) return new StoreUnavailable(`the database cannot be reached: ${message}`)
  if (isConnectionFailure(code)) return new StoreUnavailable(`the database is not available: ${message} (${code})`)
  return new StatementFailed(message, code, failure.constraint)
}

/** Classes 08 (connection), 57P (shutting down, starting up) and 53 (out of connections, memory or disk), and a read that stood in a replica's way. */
function isConnectionFailure(code: string): boolean {
  return /^(?:08|57P|53|40001$)/.test(code)
}
