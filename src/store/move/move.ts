// `npm run move -- --to <url>`: copies the embedded database to a PostgreSQL server. Either everything arrives, or the server stays as it was. The embedded
// database is only read.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import { CommandRejected } from '../../base/command-rejected.ts'
import type { Log } from '../../base/log.ts'
import { BULK_STATEMENT_TIMEOUT_MS } from '../bounds.ts'
import { FolderInUse } from '../embedded/folder-lock.ts'
import { migrate } from '../migrate.ts'
import { openEmbedded } from '../open.ts'
import { tryWriterLock, withOwnConnection } from '../server/writer-lock.ts'
import { StatementFailed, StoreUnavailable } from '../store.ts'
import type { Queryable, Store, Writer } from '../store.ts'
import { copyDatabase, CopyDiffers } from './copy.ts'
import { countRows, readRelations, readTables } from './tables.ts'

const USAGE = 'npm run move -- --to postgres://user@host:5432/database   (PGPASSWORD may hold the password)'
/** Older servers lack what the schema uses. */
const MIN_SERVER_VERSION = 13
const VERSION_FACTOR = 10_000
/** Tables in which a new database has a row. */
export const SEEDED_TABLES: ReadonlySet<string> = new Set(['"idx"."cursor"'])
const LISTED_MAX = 5

export interface MoveParts {
  /** The folder of the embedded database. */
  readonly dataDir: string
  /** The name of the lock that indexers hold. */
  readonly lockName: string
  readonly clock: Clock
  readonly log: Log
  readonly print: (text: string) => void
  readonly stop: AbortSignal
}

/** Parses the arguments after `move` and returns the URL of the target. Throws CommandRejected, which never repeats the URL. */
export function parseMoveCommand(words: readonly string[]): string {
  const to = parseWords(words)
  if (to === undefined) throw usageError('--to is missing')
  if (!URL.canParse(to) || !['postgres:', 'postgresql:'].includes(new URL(to).protocol)) throw usageError('--to must be a URL that starts with postgres://')
  return to
}

function parseWords(words: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...words], options: { to: { type: 'string' } } }).values.to
  } catch {
    // The parser's message would repeat the argument.
    throw usageError('unexpected argument')
  }
}

function usageError(problem: string): CommandRejected {
  return new CommandRejected(`${problem}\n\nUsage:\n  ${USAGE}`)
}

/** Runs the command. Throws CommandRejected when it cannot be done. */
export async function moveDatabase(url: string, parts: MoveParts): Promise<void> {
  const { clock, print, stop } = parts
  const name = describeTarget(url)
  await using source = await openSource(parts)
  try {
    await withOwnConnection(url, 'move', clock, async (target) => {
      await checkServer(target)
      await checkEmpty(target, source.read)
    })
    await using lock = await tryWriterLock(url, parts.lockName, clock)
    if (lock === undefined) throw new CommandRejected('A gateway is indexing into the target. Stop it, and use an empty database.')
    const rows = await withOwnConnection(url, 'move', clock, (target) => copy(source.read, target, { ...parts, stop: AbortSignal.any([stop, lock.lost]) }))
    print(`Moved ${rows} rows to ${name}. Every table and sequence was compared. Set DATABASE_URL to start the gateway on it.`)
  } catch (cause) {
    if (cause instanceof CommandRejected) throw cause
    throw new CommandRejected(`${explain(cause, name, stop)} Nothing was moved. The embedded database is unchanged.`, { cause })
  }
}

async function copy(source: Queryable, target: Writer, { print, stop }: MoveParts): Promise<number> {
  await migrate(target)
  await checkEmpty(target, source)
  const rows = await target.transaction((tx) => copyDatabase({
    source, target: tx, signal: stop,
    onProgress: ({ table, done, total }) => void (total > 0 && print(`${table.replaceAll('"', '')}: ${done} of ${total} rows`)),
  }))
  await target.query('analyze')
  return rows
}

/** Opens the embedded database, and refuses to create one. */
async function openSource({ dataDir, clock, log }: MoveParts): Promise<Store> {
  if (!existsSync(join(dataDir, 'database'))) {
    throw new CommandRejected(`There is no embedded database in ${dataDir}. Set DATA_DIR and NETWORK as for the gateway.`)
  }
  try {
    return await openEmbedded({ dataDir, clock, log, readTimeoutMs: BULK_STATEMENT_TIMEOUT_MS })
  } catch (cause) {
    if (!(cause instanceof FolderInUse)) throw cause
    throw new CommandRejected(`The embedded database is in use. Stop the gateway and run this command again.\n(${cause.message})`, { cause })
  }
}

interface ServerRow {
  readonly version: number
  readonly encoding: string
  readonly standby: boolean
  readonly may_create: boolean
  readonly may_create_in_public: boolean
  readonly role: string
}

async function checkServer(target: Queryable): Promise<void> {
  const [server] = await target.query<ServerRow>(`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby,
      has_database_privilege(current_database(), 'create') as may_create,
      coalesce((select has_schema_privilege(oid, 'create') from pg_namespace where nspname = 'public'), true) as may_create_in_public,
      current_user::text as role`)
  if (server === undefined) throw new StoreUnavailable('the server returned nothing')
  const version = Math.floor(server.version / VERSION_FACTOR)
  if (version < MIN_SERVER_VERSION) throw new CommandRejected(`The server runs PostgreSQL ${version}. Use ${MIN_SERVER_VERSION} or newer.`)
  if (server.encoding !== 'UTF8') {
    throw new CommandRejected(`The target has the encoding ${server.encoding}. Create it with: create database … encoding 'UTF8' template template0`)
  }
  if (server.standby) throw new CommandRejected('The target is a read-only replica. Use its primary.')
  if (server.may_create && server.may_create_in_public) return
  throw new CommandRejected(`The role ${server.role} may not create schemas and tables in the target. Make it the owner of the database.`)
}

/** The target may have the schema of the gateway, but no rows of it and nothing else. */
async function checkEmpty(target: Queryable, source: Queryable): Promise<void> {
  const own = new Set(await readRelations(source))
  const foreign = (await readRelations(target)).filter((name) => !own.has(name))
  if (foreign.length > 0) throw notEmpty(`It has ${foreign.slice(0, LISTED_MAX).join(', ')}${foreign.length > LISTED_MAX ? ' and more' : ''}.`)
  for (const table of await readTables(target)) {
    const rows = SEEDED_TABLES.has(table.name) ? 0 : await countRows(target, table)
    if (rows > 0) throw notEmpty(`${table.name.replaceAll('"', '')} has ${rows} rows.`)
  }
}

function notEmpty(finding: string): CommandRejected {
  return new CommandRejected(`The target is not empty. ${finding} Create a new database for the gateway and move to that.`)
}

function explain(cause: unknown, name: string, stop: AbortSignal): string {
  if (stop.aborted) return 'Stopped.'
  if (cause instanceof StoreUnavailable) return `Cannot use ${name}: ${cause.message}.`
  if (cause instanceof StatementFailed) return `${name} refused: ${cause.message} (${cause.code}).`
  if (cause instanceof CopyDiffers) return `The copy is not complete: ${cause.message}.`
  return `The copy failed: ${cause instanceof Error ? cause.message : String(cause)}.`
}

/** Host and database, without user and password. */
function describeTarget(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host === '' ? 'the local server' : host}${pathname}`
}
