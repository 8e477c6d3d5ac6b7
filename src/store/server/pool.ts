// Connection pools: one for reads, whose sessions refuse to write, and one for short writes.

import pg from 'pg'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { PREPARED_STATEMENTS_MAX, READ_QUEUE_MAX, WRITE_QUEUE_MAX } from '../bounds.ts'
import { createStatementNames } from '../statement-names.ts'
import { StatementTimeout, StoreUnavailable } from '../store.ts'
import type { Param, Transaction, Writer } from '../store.ts'
import { runTransaction, inOrder } from '../transaction.ts'
import { checkWritable, connectionConfig, prepareSession, send, sendNamed, serverError } from './connection.ts'

export interface Pool extends Writer, AsyncDisposable {
  /** Raises StoreUnavailable when the server accepts no writes. */
  checkWritable(): Promise<void>
  /** How many statements wait for a connection. */
  waiting(): number
}

/** Builds a pool of at most `size` connections, opened on demand. */
export function createPool(options: { url: string; readOnly: boolean; size: number; limitMs: number; clock: Clock; log: Log }): Pool {
  const { url, readOnly, size, limitMs, clock, log } = options
  const queueMax = readOnly ? READ_QUEUE_MAX : WRITE_QUEUE_MAX
  // The pool awaits the result before it lends the connection, although its type declares void.
  const prepare = (client: pg.ClientBase): unknown => prepareSession(client, { readOnly, limitMs })
  const pool = new pg.Pool({
    ...connectionConfig(url, readOnly ? 'reads' : 'writes', limitMs),
    max: size,
    onConnect: prepare,
  })
  pool.on('error', (error) => log.warn({ reason: error.message }, 'lost an idle connection to the database'))

  async function checkOut(): Promise<pg.PoolClient> {
    if (pool.waitingCount >= queueMax) throw new StatementTimeout(`${queueMax} statements are queued already`)
    const full = pool.totalCount >= size && pool.idleCount === 0
    try {
      return await pool.connect()
    } catch (cause) {
      if (full && pool.totalCount >= size) throw new StatementTimeout('the statement waited too long for a connection', { cause })
      throw serverError(cause)
    }
  }

  /** Closes a connection that broke, may still be busy or refuses to write, instead of returning it to the pool. */
  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await checkOut()
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
    query: <Row extends object>(sql: string, params?: readonly Param[]) => withClient((client) => query(client, sql, params) as Promise<Row[]>),
    transaction: <T>(work: (tx: Transaction) => Promise<T>) =>
      withClient((client) => runTransaction(inOrder((sql, params) => send(client, sql, params)), clock, work)),
    checkWritable: () => withClient(checkWritable),
    waiting: () => pool.waitingCount,
    [Symbol.asyncDispose]: () => pool.end(),
  }
}
