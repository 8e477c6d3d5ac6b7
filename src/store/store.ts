// The interface of both engines: a PostgreSQL server, or the embedded one. They take the same statements and return the same results.
// 8-byte integers are returned as numbers (an assertion fails beyond 2^53), numeric as digit strings, jsonb parsed, bytea as Uint8Array, dates and times as
// PostgreSQL's own text in UTC.

import type { TurnCaller } from '../base/turns.ts'
import type { Element } from './binary-arrays.ts'
import type { Statement } from './sql.ts'

/** A bind parameter. Arrays bind as PostgreSQL arrays (for `unnest`), a bigint as its digits. */
export type Param = string | number | bigint | boolean | null | Uint8Array | readonly Element[] | ArrayParam

/** An array whose element type the database reads in binary form, which is faster for a long one. */
export interface ArrayParam {
  readonly type: 'bigint' | 'integer' | 'smallint' | 'text' | 'numeric' | 'boolean'
  readonly elements: readonly Element[]
}

/** An array of this type. The statement must cast the parameter to the same type. */
export function arrayOf(type: ArrayParam['type'], elements: readonly Element[]): ArrayParam {
  return { type, elements }
}

export interface Queryable {
  /**
   * Runs one statement with parameters `$1…` and returns its rows. Without `params` the text may hold several statements; the rows are those of the
   * last one. A statement that names tables of the index is written with `sql`. Raises StatementFailed, StatementTimeout or StoreUnavailable. A write that
   * raises one of the last two may have been committed.
   * Reads for a `caller` take turns with those of others; the program's own reads go first. Writers ignore it.
   */
  query<Row extends object = Record<string, never>>(statement: Statement<Row> | string, params?: readonly Param[], caller?: TurnCaller): Promise<Row[]>
}

export interface Writable extends Queryable {
  /** Runs one statement that changes tables and returns nothing. */
  run(statement: Statement | string, params?: readonly Param[]): Promise<void>
}

export interface Transaction extends Writable {
  /**
   * Notifies those who listen to `channel` of the commit, with the text that a statement returns as `payload` in one row. The statement runs now. At most
   * 7,999 bytes.
   */
  notify(channel: string, statement: Statement | string, params: readonly Param[]): Promise<void>
}

export interface Writer extends Writable {
  /** Runs `work` in a transaction, and rolls back when it throws. When COMMIT raises StoreUnavailable, the outcome is unknown. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

/** The exclusive right to write chain history. When the lock is lost, its statements fail. Disposing releases it. */
export interface WriterLock extends AsyncDisposable {
  readonly db: Writer
  /** Aborts when the lock is lost. */
  readonly lost: AbortSignal
}

export interface Store extends AsyncDisposable {
  readonly engine: 'embedded' | 'server'
  /** True if `read` may return an older state than the last notification: reads go to a replica. */
  readonly readsLag: boolean
  /** Read-only statements with a time limit. On a server they never delay a writer; on the embedded engine a writer waits for the one that runs. */
  readonly read: Queryable
  /**
   * Short reads of primary data that admit requests, in the newest state: on a server they have connections of their own, on the embedded engine they wait for
   * two turns of others at most. The caller bounds how many run.
   */
  readonly lookups: Queryable
  /** Short writes of primary data other than chain history. */
  readonly write: Writer
  /**
   * Returns the problem that prevents the database from storing anything now; null when none is known. Reads may work all the same. Takes at most as long as a
   * statement; never rejects.
   */
  writeProblem(): Promise<DatabaseProblem | null>
  /** Queued reads, and queued writes and transactions. Both numbers are bounded. */
  waiting(): { readonly reads: number; readonly writes: number }
  /** Takes the named lock; undefined when it is held already, by this process or another one. */
  tryLock(name: string): Promise<WriterLock | undefined>
  /** True while this process or another one holds the named lock. A lock ends with its process. */
  isLocked(name: string): Promise<boolean>
  /**
   * Calls `callback` for each notification on `channel`, by `notify` or by NOTIFY, after its commit. Returns a function that stops listening.
   */
  listen(channel: string, callback: (payload: string) => void, options?: ListenOptions): Promise<() => Promise<void>>
}

export interface ListenOptions {
  /** Called with false when notifications may be missed from now on, because the connection or the engine is gone, and with true when they arrive (again). */
  readonly onConnected?: (connected: boolean) => void
  /**
   * May be called with a notification whose COMMIT is running, and may fail. What is computed here is not computed between the commit and its effect. It must
   * have no effect of its own.
   */
  readonly prepare?: (payload: string) => void
}

/** Raised when a statement exceeded its time limit, in the queue or while it ran. */
export class StatementTimeout extends Error {
  override readonly name = 'StatementTimeout'
}

/** The problem of a database: no connection or no engine, a full disk, or a server that refuses to write, as a standby does. */
export type DatabaseProblem = 'unreachable' | 'full' | 'read_only'

/** Raised when the database cannot be reached, the connection broke, or it cannot store anything now. Retryable. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly problem: DatabaseProblem

  constructor(message: string, { problem = 'unreachable', ...options }: ErrorOptions & { readonly problem?: DatabaseProblem } = {}) {
    super(message, options)
    this.problem = problem
  }
}

/** True when the database did not respond: a write may have been committed. */
export function isUnanswered(error: unknown): error is StoreUnavailable | StatementTimeout {
  return error instanceof StoreUnavailable || error instanceof StatementTimeout
}

/** Raised when the database refused a statement; `code` is its SQLSTATE (`23505` a duplicate key, `25006` a write in `read`). */
export class StatementFailed extends Error {
  override readonly name = 'StatementFailed'
  readonly code: string
  /** The violated constraint, if any. */
  readonly constraint: string | null

  constructor(message: string, code: string, constraint: string | null, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.constraint = constraint
  }
}
