// The writer lock on a server is an advisory lock of a session. The holder's statements use the same session, so a process that lost the lock cannot write
// (docs/decisions/one-writer.md). The server closes the session of a holder that vanished or is suspended.

import type pg from 'pg'
import type { Clock } from '../../base/clock.ts'
import {
  BULK_STATEMENT_TIMEOUT_MS, PREPARED_STATEMENTS_MAX, WRITER_LOCK_HEARTBEAT_MS, WRITER_LOCK_LOST_AFTER_MS, WRITER_LOCK_PEER_TIMEOUT_MS,
} from '../bounds.ts'
import { createMutex } from '../mutex.ts'
import { textOf } from '../sql.ts'
import type { Statement } from '../sql.ts'
import { createStatementNames } from '../statement-names.ts'
import { StoreUnavailable } from '../store.ts'
import type { Param, Queryable, Transaction, Writer, WriterLock } from '../store.ts'
import { runTransaction } from '../transaction.ts'
import type { RunStatement, TransactionListeners } from '../transaction.ts'
import { advisoryLockKey, checkWritable, connect, send, sendNamed } from './connection.ts'

export interface WriterLockOptions {
  /** The time limit of the holder's statements. */
  readonly limitMs?: number
  /** Those of this process to the holder's notifications. */
  readonly listeners?: TransactionListeners
}

/** Takes the lock; undefined when another session has it. Raises StoreUnavailable, also when the server accepts no writes. */
export async function tryWriterLock(url: string, name: string, clock: Clock, options: WriterLockOptions = {}): Promise<WriterLock | undefined> {
  const { limitMs = BULK_STATEMENT_TIMEOUT_MS, listeners } = options
  const lost = new AbortController()
  const client = await connect(url, `lock ${name}`, limitMs, () => lost.abort())
  try {
    // A standby grants the lock as well.
    await checkWritable(client)
    await setSessionTimeouts(client)
    const { rows } = await send(client, 'select pg_try_advisory_lock($1) as taken', [advisoryLockKey(name)])
    if ((rows[0] as { taken: boolean } | undefined)?.taken === true) return createLock({ client, lost, clock, listeners })
    await client.end()
    return undefined
  } catch (cause) {
    void client.end().catch(() => {})
    throw cause
  }
}

/** True while a session on the server holds the lock. */
export async function isWriterLockHeld(db: Queryable, name: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())
      and classid = (($1::bigint >> 32) & 4294967295)::oid and objid = ($1::bigint & 4294967295)::oid limit 1`,
    [advisoryLockKey(name)],
  )
  return rows.length > 0
}

const PROBE_EVERY_SEC = 1

/** Settings by which the server closes the session of a silent holder. Older servers do not have all of them. */
const SESSION_TIMEOUTS: Readonly<Record<string, string>> = {
  // A suspended process: its machine still acknowledges keepalives, so only its silence shows.
  idle_session_timeout: `${WRITER_LOCK_LOST_AFTER_MS}ms`,
  idle_in_transaction_session_timeout: `${WRITER_LOCK_LOST_AFTER_MS}ms`,
  // A machine that is gone, while the server is idle, sends to it, or runs its statement.
  tcp_keepalives_idle: `${PROBE_EVERY_SEC}s`,
  tcp_keepalives_interval: `${PROBE_EVERY_SEC}s`,
  tcp_keepalives_count: String(WRITER_LOCK_PEER_TIMEOUT_MS / 1000 / PROBE_EVERY_SEC - 1),
  tcp_user_timeout: `${WRITER_LOCK_PEER_TIMEOUT_MS}ms`,
  client_connection_check_interval: `${PROBE_EVERY_SEC}s`,
}

async function setSessionTimeouts(client: pg.Client): Promise<void> {
  const settings = Object.entries(SESSION_TIMEOUTS)
  const apply = 'select set_config(s.name, w.value, false) from unnest($1::text[], $2::text[]) w (name, value) join pg_settings s on s.name = w.name'
  await send(client, apply, [settings.map(([name]) => name), settings.map(([, value]) => value)])
}

/** Runs `work` on its own connection, for statements that take longer than the pool's time limit. */
export async function withOwnConnection<T>(url: string, role: string, clock: Clock, work: (db: Writer) => Promise<T>): Promise<T> {
  const client = await connect(url, role, BULK_STATEMENT_TIMEOUT_MS, () => {})
  try {
    return await work(createWriter({ client, clock, check: () => {} }))
  } finally {
    await client.end().catch(() => {})
  }
}

interface WriterParts {
  readonly client: pg.Client
  readonly clock: Clock
  /** Raises when the connection may no longer be used. */
  readonly check: () => void
  readonly listeners?: TransactionListeners | undefined
}

/** Runs statements and transactions one after the other on one connection. */
function createWriter({ client, clock, check, listeners }: WriterParts): Writer {
  const runExclusive = createMutex()
  const nameOf = createStatementNames(PREPARED_STATEMENTS_MAX, 'write')
  // Every page repeats the same inserts. A statement that reads is planned each time, because the tables grow from nothing while the index catches up.
  const sendChecked: RunStatement = async (statement, params, isRepeated = false) => {
    check()
    const sql = textOf(statement)
    const isPlainInsert = typeof statement === 'object' && statement.isPlainInsert
    const name = params !== undefined && (isRepeated || isPlainInsert) ? nameOf(sql) : undefined
    return name === undefined || params === undefined ? send(client, sql, params) : { rows: await sendNamed(client, name, sql, params), command: '' }
  }
  return {
    query: <Row extends object>(statement: Statement<Row> | string, params?: readonly Param[]) =>
      runExclusive(async () => (await sendChecked(statement, params)).rows as Row[]),
    run: (statement, params) => runExclusive(async () => void (await sendChecked(statement, params))),
    transaction: <T>(work: (tx: Transaction) => Promise<T>) => runExclusive(() => runTransaction(sendChecked, clock, work, listeners)),
  }
}

function createLock({ lost, ...connection }: Omit<WriterParts, 'check'> & { readonly lost: AbortController }): WriterLock {
  const { client, clock } = connection
  let released = false
  const db = createWriter({
    ...connection,
    check() {
      if (released) throw new StoreUnavailable('the writer lock was released')
      if (lost.signal.aborted) throw new StoreUnavailable('the writer lock was lost with its connection')
    },
  })
  let heartbeat = clock.setTimer(WRITER_LOCK_HEARTBEAT_MS, sendHeartbeat)
  return {
    lost: lost.signal,
    db: {
      query: (statement, params) => endIfBroken(db.query(statement, params)),
      run: (statement, params) => endIfBroken(db.run(statement, params)),
      transaction: (work) => endIfBroken(db.transaction(work)),
    },
    async [Symbol.asyncDispose]() {
      released = true
      heartbeat.cancel()
      // Ending the session releases the lock, which must not be reported as a loss.
      client.removeAllListeners('end')
      await client.end().catch(() => {})
    },
  }

  /** Waits for a running statement, which shows as well that the holder is alive. */
  function sendHeartbeat(): void {
    const again = (): void => {
      if (!released && !lost.signal.aborted) heartbeat = clock.setTimer(WRITER_LOCK_HEARTBEAT_MS, sendHeartbeat)
    }
    endIfBroken(db.query('select 1')).then(again, again)
  }

  /** A connection that no longer responds may still hold the lock on the server. Close it and report the loss. */
  async function endIfBroken<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (cause) {
      if (cause instanceof StoreUnavailable && !released && !lost.signal.aborted) {
        lost.abort()
        void client.end().catch(() => {})
      }
      throw cause
    }
  }
}
