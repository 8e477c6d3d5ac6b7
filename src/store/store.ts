// The small surface that both engines offer: a PostgreSQL server, or the embedded one. Same statements, same answers.
// Integers of 8 bytes come back as numbers (and an assertion fails beyond 2^53), numeric as digit strings, jsonb parsed, bytea as Uint8Array,
// dates and times as PostgreSQL's own text in UTC.

/** A value that a statement can bind. Arrays bind as PostgreSQL arrays (for `unnest`); a bigint binds as its digits. */
export type Param = string | number | bigint | boolean | null | Uint8Array | readonly (string | number | bigint | boolean | null)[]

/** Something statements can be sent to. */
export interface Queryable {
  /**
   * Runs one statement with `$1…` parameters and returns its rows. Without `params` the text may hold several statements: then the rows are the
   * last one's. Raises StatementFailed, StatementTimeout or StoreUnavailable.
   */
  query<Row extends object = Record<string, never>>(sql: string, params?: readonly Param[]): Promise<Row[]>
}

/** A connection that may write. */
export interface Writer extends Queryable {
  /** All or nothing. Rolled back when `work` throws; a failed commit throws too, and then the outcome is unknown to the caller. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
}

/** The exclusive right to write chain history. Its connection is the lock: when it is lost, its statements fail. */
export interface WriterLock extends AsyncDisposable {
  readonly db: Writer
  /** Aborts when the lock was lost. */
  readonly lost: AbortSignal
}

export interface Store extends AsyncDisposable {
  readonly engine: 'embedded' | 'server'
  /** Reads: read-only, under a statement time limit, and never in the writer's way. */
  readonly read: Queryable
  /** Short writes of primary data other than chain history. */
  readonly write: Writer
  /** Statements and transactions that wait for their turn; both are bounded. */
  waiting(): { readonly reads: number; readonly writes: number }
  /** Takes the named lock, or undefined when another process or another holder has it. */
  tryLock(name: string): Promise<WriterLock | undefined>
  /**
   * Calls back for each NOTIFY on `channel` after its commit; a doorbell that may be missed. `onHeard` tells when it begins to be heard (true), and when it
   * may ring unheard from now on (false): the connection, or the engine, is gone. Returns how to stop listening.
   */
  listen(channel: string, callback: (payload: string) => void, onHeard?: (heard: boolean) => void): Promise<() => Promise<void>>
}

/** Raised when a statement ran into its time limit, or waited too long for its turn. */
export class StatementTimeout extends Error {
  override readonly name = 'StatementTimeout'
}

/** Raised when the database cannot be reached or the connection broke; retryable. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** Raised when the database refused a statement; `code` is its SQLSTATE (`23505` a duplicate key, `25006` a write in a read). */
export class StatementFailed extends Error {
  override readonly name = 'StatementFailed'
  readonly code: string
  /** The constraint that was violated, where one was. */
  readonly constraint: string | null

  constructor(message: string, code: string, constraint: string | null, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.constraint = constraint
  }
}
