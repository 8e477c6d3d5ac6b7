// Connection pools: one for reads, whose sessions refuse to write, and one for short writes.

import pg from 'pg'
import type { Clock } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import type { Log } from '../../base/log.ts'
import { createSemaphore, TooManyWaiting } from '../../base/semaphore.ts'
import type { TurnCaller } from '../../base/turns.ts'
import { CONNECT_TIMEOUT_MS, LARGE_READS_MAX, PREPARED_STATEMENTS_MAX, READ_QUEUE_MAX, WRITE_QUEUE_MAX } from '../bounds.ts'
import { textOf } from '../sql.ts'
import type { Statement } from '../sql.ts'
import { createStatementNames } from '../statement-names.ts'
import { StatementTimeout, StoreUnavailable } from '../store.ts'
import type { Param, Transaction, Writer } from '../store.ts'
import { runTransaction, inOrder } from '../transaction.ts'
import { checkWritable, connectionConfig, prepareSession, send, sendNamed, serverError } from './connection.ts'

export interface Pool extends Writer, AsyncDisposable {
  /** Raises StoreUnavailable when the server accepts no writes. */
  checkWritable(): Promise<void>
  /** Number of statements that wait for a connection. */
  waiting(): number
}

/** Builds a pool of at most `size` connections, opened on demand. */
export function createPool(options: { url: string; readOnly: boolean; size: number; limitMs: number; clock: Clock; log: Log }): Pool {
  const { url, readOnly, size, limitMs, clock, log } = options
  const permits = createSemaphore(size, readOnly ? READ_QUEUE_MAX : WRITE_QUEUE_MAX, LARGE_READS_MAX)
  // The pool awaits the result before it lends the connection, although its type declares void.
  const prepare = (client: pg.ClientBase): unknown => prepareSession(client, { readOnly, limitMs })
  const pool = new pg.Pool({
    ...connectionConfig(url, readOnly ? 'reads' : 'writes', limitMs),
    max: size,
    onConnect: prepare,
  })
  pool.on('error', (error) => log.warn({ reason: error.message }, 'lost an idle connection to the database'))

  /** Waits for one of the connections, in turn with other callers. */
  async function takePermit(caller: TurnCaller | undefined): Promise<() => void> {
    const permit = permits.tryAcquire(caller)
    if (permit !== undefined) return permit
    const timeoutError = (): Error => new StatementTimeout('the statement waited too long for a connection')
    try {
      return await withDeadline(clock, { limitMs: CONNECT_TIMEOUT_MS, timeoutError }, (signal) => permits.acquire(signal, caller))
    } catch (cause) {
      throw cause instanceof TooManyWaiting ? new StatementTimeout('too many statements are queued already', { cause }) : cause
    }
  }

  /** Closes a connection that broke, may still be busy or refuses to write, instead of returning it to the pool. */
  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>, caller?: TurnCaller): Promise<T> {
    const release = await takePermit(caller)
    try {
      return await withOneOf(work)
    } finally {
      release()
    }
  }

  async function withOneOf<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((cause: unknown) => {
      throw serverError(cause)
    })
    const ignore = (): void => {}
    // While it is in use, its errors fail the statements. Without a listener they would end the process as well.
    client.on('error', ignore)
    let broken = false
    try {
      return await work(client)
    } catch (cause) {
      broken = cause instanceof StoreUnavailable
      throw cause
    } finally {
      client.removeListener('error', ignore)
      client.release(broken)
    }
  }

  const session = { mayWrite: !readOnly }
  // The same few reads are repeated all the time. Writes are too rare or too large for preparing to matter.
  const nameOf = createStatementNames(readOnly ? PREPARED_STATEMENTS_MAX : 0)

  async function query(client: pg.ClientBase, sql: string, params?: readonly Param[]): Promise<object[]> {
    const name = params === undefined ? undefined : nameOf(sql)
    return name === undefined || params === undefined
      ? (await send(client, sql, params, session)).rows
      : await sendNamed(client, name, sql, params, session)
  }

  return {
    query: <Row extends object>(statement: Statement<Row> | string, params?: readonly Param[], caller?: TurnCaller) =>
      withClient((client) => query(client, textOf(statement), params) as Promise<Row[]>, caller),
    run: (statement, params) => withClient(async (client) => void (await query(client, textOf(statement), params))),
    transaction: <T>(work: (tx: Transaction) => Promise<T>) =>
      withClient((client) => runTransaction(inOrder((statement, params) => send(client, textOf(statement), params)), clock, work)),
    checkWritable: () => withClient(checkWritable),
    waiting: permits.waiting,
    [Symbol.asyncDispose]: () => pool.end(),
  }
}
