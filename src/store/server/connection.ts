// Connections to a PostgreSQL server: settings, statements, errors.

import { createHash } from 'node:crypto'
import pg from 'pg'
import type { ClientConfig } from 'pg'
import { CONNECT_TIMEOUT_MS, DEAD_CONNECTION_GRACE_MS, IDLE_TRANSACTION_TIMEOUT_MS, KEEPALIVE_AFTER_MS } from '../bounds.ts'
import { toStoreError, readFailure } from '../failures.ts'
import { DECODERS, encodeParams } from '../values.ts'
import { StoreUnavailable } from '../store.ts'
import type { Param } from '../store.ts'

const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => DECODERS[oid] ?? pg.types.getTypeParser(oid, format),
}

/** `limitMs` is the server's time limit for one statement. A connection on which even the refusal is late counts as dead. */
export function connectionConfig(url: string, role: string, limitMs: number): ClientConfig {
  return {
    connectionString: url,
    application_name: `gateway ${role}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: limitMs + DEAD_CONNECTION_GRACE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
    types: typeParsers,
  }
}

/**
 * Sets up a new session. These settings override those in the URL, except that the server decides whether a session that writes may do so: an operator or a
 * provider makes a database read-only to protect it.
 */
export async function prepareSession(client: pg.ClientBase, options: { readOnly: boolean; limitMs: number }): Promise<void> {
  const settings = {
    ...(options.readOnly ? { default_transaction_read_only: 'on' } : {}),
    statement_timeout: String(options.limitMs),
    idle_in_transaction_session_timeout: String(IDLE_TRANSACTION_TIMEOUT_MS),
    timezone: 'UTC',
    datestyle: 'ISO',
    search_path: 'public',
    // The gateway's statements end sooner than the server could compile them, though its cost estimates for pages suggest otherwise.
    jit: 'off',
  }
  await client.query(Object.entries(settings).map(([name, value]) => `set ${name} = '${value}'`).join('; '))
}

/**
 * Opens a connection outside the pools. Statements are sent without waiting for the responses to earlier ones. Raises StoreUnavailable. `onClosed` is called
 * once, when it is lost or ended.
 */
export async function connect(url: string, role: string, limitMs: number, onClosed: () => void): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionConfig(url, role, limitMs), pipeline: true })
  // `end` reports a lost connection. Without a listener, `error` would end the process.
  client.on('error', () => {})
  client.once('end', onClosed)
  try {
    await client.connect()
    await prepareSession(client, { readOnly: false, limitMs })
    return client
  } catch (cause) {
    client.removeListener('end', onClosed)
    void client.end().catch(() => {})
    throw serverError(cause)
  }
}

/** Purpose of a session: a write that is refused is the database's fault only where writes are meant to work. */
interface Session {
  readonly mayWrite: boolean
}

const WRITING: Session = { mayWrite: true }

/** SQLSTATE of a prepared statement whose result type changed with its tables. */
const FEATURE_NOT_SUPPORTED = '0A000'

/** Sends one statement, prepared as `name` on this connection. Raises the store's errors. */
export async function sendNamed(client: pg.ClientBase, name: string, sql: string, params: readonly Param[], session = WRITING): Promise<object[]> {
  try {
    const { rows } = await client.query<object>({ name, text: sql, values: encodeParams(params) })
    return rows
  } catch (cause) {
    // The pool closes this connection, and another one prepares the statement again.
    if (readFailure(cause).code === FEATURE_NOT_SUPPORTED) throw new StoreUnavailable('the schema has changed since the statement was prepared', { cause })
    throw serverError(cause, session)
  }
}

/** Sends one statement. Raises the store's errors. */
export async function send(
  client: pg.ClientBase, sql: string, params?: readonly Param[], session = WRITING,
): Promise<{ rows: object[]; command: string }> {
  try {
    const response: unknown = params === undefined ? await client.query(sql) : await client.query(sql, encodeParams(params))
    // A text with several statements returns several results.
    const result = (Array.isArray(response) ? response.at(-1) : response) as pg.QueryResult<object>
    return { rows: result.rows, command: result.command }
  } catch (cause) {
    throw serverError(cause, session)
  }
}

export function serverError(cause: unknown, session = WRITING): Error {
  return toStoreError(readFailure(cause), session)
}

/** Raises StoreUnavailable on a session that may not write: the server is a standby, or `default_transaction_read_only` is on. */
export async function checkWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await send(client, "select current_setting('transaction_read_only') = 'on' as is_read_only")
  if ((rows[0] as { is_read_only: boolean } | undefined)?.is_read_only === true) throw readOnlyDatabase()
}

function readOnlyDatabase(): StoreUnavailable {
  return new StoreUnavailable('the database is read-only: it is a standby, or default_transaction_read_only is on', { problem: 'read_only' })
}

export function advisoryLockKey(name: string): bigint {
  return createHash('sha256').update(`perpetual exchange gateway: ${name}`).digest().readBigInt64BE()
}
