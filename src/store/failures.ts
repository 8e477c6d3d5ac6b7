// Turns driver errors into the store's errors.

import { AssertionFailure } from '../base/assert.ts'
import { StatementFailed, StatementTimeout, StoreUnavailable } from './store.ts'

/** The parts of a driver's error that are safe to keep. The others (parameters, statement) may hold secrets. */
export interface Failure {
  readonly message: string
  /** SQLSTATE, or the operating system's name of a network error. */
  readonly code: string | null
  readonly constraint: string | null
}

/** The code of an AssertionFailure that a decoder of the store raised inside a driver. */
export const ASSERTION = 'assertion'

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

/** SQLSTATE of a cancelled statement: it exceeded its time limit. */
const QUERY_CANCELED = '57014'
const IDLE_TRANSACTION = '25P03'

/** A network error's code may have five letters too (EPIPE), but no digit. */
export function isSqlState(code: string | null): code is string {
  return code !== null && /^(?=.*\d)[0-9A-Z]{5}$/.test(code)
}

/** SQLSTATE of a write that a server refuses: it is a standby, or `default_transaction_read_only` is on. */
const READ_ONLY = '25006'
const DISK_FULL = '53100'

/**
 * The store's error for a driver's error. A SQLSTATE is the fault of the statement, everything else that of the connection. `mayWrite`: the session was opened
 * to write, so a refused write is the database's fault.
 */
export function toStoreError(failure: Failure, { mayWrite = true }: { readonly mayWrite?: boolean } = {}): Error {
  const { message, code } = failure
  if (code === ASSERTION) return new AssertionFailure(message)
  if (code === QUERY_CANCELED) return new StatementTimeout('the statement exceeded its time limit')
  if (code === IDLE_TRANSACTION) return new StatementTimeout('the transaction sent nothing for too long and was rolled back')
  if (!isSqlState(code)) return new StoreUnavailable(`cannot reach the database: ${message}`)
  if (code === READ_ONLY && mayWrite) return new StoreUnavailable(`the database is read-only: ${message}`, { problem: 'read_only' })
  if (code === DISK_FULL) return new StoreUnavailable(`the disk of the database is full: ${message}`, { problem: 'full' })
  if (isConnectionFailure(code)) return new StoreUnavailable(`the database is not available: ${message} (${code})`)
  return new StatementFailed(message, code, failure.constraint)
}

/**
 * Classes 08 (connection), 57P (shutting down, starting up), 53 (out of connections, memory or disk), 58 (its files cannot be read or written), and 40001: a
 * replica cancelled a conflicting read.
 */
function isConnectionFailure(code: string): boolean {
  return /^(?:08|57P|53|58|40001$)/.test(code)
}
