// What every connection to a PostgreSQL server has in common.

import { createHash } from 'node:crypto'
import pg from 'pg'
import type { ClientConfig } from 'pg'
import { CONNECT_TIMEOUT_MS, DEAD_CONNECTION_GRACE_MS, IDLE_TRANSACTION_TIMEOUT_MS, KEEPALIVE_AFTER_MS } from '../bounds.ts'
import { toStoreError, readFailure } from '../failures.ts'
import { DECODERS, encodeParam } from '../values.ts'
import { StoreUnavailable } from '../store.ts'
import type { Param } from '../store.ts'

const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => DECODERS[oid] ?? pg.types.getTypeParser(oid, format),
}

/** How to connect. `limitMs` is the time limit of one statement; when the server does not even refuse in time, the connection counts as dead. */
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

/** Makes a new connection's session what the store promises; a setting in the address cannot undo it. */
export async function prepareSession(client: pg.ClientBase, options: { readOnly: boolean; limitMs: number }): Promise<void> {
  const settings = {
    default_transaction_read_only: options.readOnly ? 'on' : 'off',
    statement_timeout: String(options.limitMs),
    idle_in_transaction_session_timeout: String(IDLE_TRANSACTION_TIMEOUT_MS),
    timezone: 'UTC',
    datestyle: 'ISO',
    search_path: 'public',
    // Every statement here is over sooner than the server could compile it; its guess of what a page costs says otherwise.
    jit: 'off',
  }
  await client.query(Object.entries(settings).map(([name, value]) => `set ${name} = '${value}'`).join('; '))
}

/** A connection that belongs to one holder. Raises StoreUnavailable. `onGone` is called once when it is lost or ended. */
export async function connect(url: string, role: string, limitMs: number, onGone: () => void): Promise<pg.Client> {
  const client = new pg.Client(connectionConfig(url, role, limitMs))
  // A lost connection is told by `end`; without a listener an `error` would end the process.
  client.on('error', () => {})
  client.once('end', onGone)
  try {
    await client.connect()
    await prepareSession(client, { readOnly: false, limitMs })
    return client
  } catch (cause) {
    client.removeListener('end', onGone)
    void client.end().catch(() => {})
    throw serverError(cause)
  }
}

/** SQLSTATE of a prepared statement whose tables have changed since. */
const FEATURE_NOT_SUPPORTED = '0A000'

/** Sends one statement that is prepared under `name` on this connection. Raises the store's named errors. */
export async function sendNamed(client: pg.ClientBase, name: string, sql: string, params: readonly Param[]): Promise<object[]> {
  try {
    const { rows } = await client.query<object>({ name, text: sql, values: params.map(encodeParam) })
    return rows
  } catch (cause) {
    // Another connection prepares it anew; this one cannot.
    if (readFailure(cause).code === FEATURE_NOT_SUPPORTED) throw new StoreUnavailable('the schema has changed since the statement was prepared', { cause })
    throw serverError(cause)
  }
}

/** Sends one statement. Raises the store's named errors. */
export async function send(client: pg.ClientBase, sql: string, params?: readonly Param[]): Promise<{ rows: object[]; command: string }> {
  try {
    const answer: unknown = params === undefined ? await client.query(sql) : await client.query(sql, params.map(encodeParam))
    // Several statements in one text give several results.
    const result = (Array.isArray(answer) ? answer.at(-1) : answer) as pg.QueryResult<object>
    return { rows: result.rows, command: result.command }
  } catch (cause) {
    throw serverError(cause)
  }
}

/** The store's error for what the driver raised. */
export function serverError(cause: unknown): Error {
  return toStoreError(readFailure(cause))
}

/** The number of an advisory lock, from its name. */
export function advisoryLockKey(name: string): bigint {
  return createHash('sha256').update(`perpetual exchange gateway: ${name}`).digest().readBigInt64BE()
}
