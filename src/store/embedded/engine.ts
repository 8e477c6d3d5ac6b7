// The embedded engine, inside its thread: opens PGlite durably, checks that it is durable, runs one statement at a time.

import { MemoryFS, parse, PGlite, protocol } from '@electric-sql/pglite'
import type { messages, Results } from '@electric-sql/pglite'
import { PREPARED_STATEMENTS_MAX } from '../bounds.ts'
import { ASSERTION, isSqlState, readFailure } from '../failures.ts'
import { createMutex } from '../mutex.ts'
import { createStatementNames } from '../statement-names.ts'
import { syncTree } from '../sync-tree.ts'
import type { Fsync } from '../sync-tree.ts'
import { DECODERS } from '../values.ts'
import { DurableFS } from './durable-filesystem.ts'
import type { Disk } from './durable-filesystem.ts'
import type { Statement, StatementResult } from './messages.ts'
import { encodeStatement } from './statement-message.ts'

/** Raised when the engine is unusable. Everything acknowledged is on the disk, and the next start recovers it. */
export class EngineBroken extends Error {
  override readonly name = 'EngineBroken'
}

/** Raised when the engine does not open, or opens without being durable. */
class EngineRefused extends Error {
  override readonly name = 'EngineRefused'
}

/** PGlite ignores that its engine has ended: a statement then has no result, which looks like one without rows. */
const NO_RESULT = 'the engine returned no result'

export interface Engine {
  /** Raises the driver's error for a statement's own fault, EngineBroken for everything else. */
  run(statement: Statement): Promise<StatementResult>
  onNotification(callback: (channel: string, payload: string) => void): void
  /** The whole cluster as an archive that another engine can start from. */
  dump(): Promise<Uint8Array>
  close(): Promise<void>
}

/**
 * Checkpoints keep the write-ahead log within these sizes. Its buffer holds the log of the largest transaction, that of thousands of events: a full buffer is
 * written page by page.
 */
const WAL_SETTINGS = ['-c', 'max_wal_size=64MB', '-c', 'min_wal_size=32MB', '-c', 'wal_buffers=32MB']
const DURABLE = ['-c', 'fsync=on', '-c', 'wal_sync_method=fsync', '-c', 'synchronous_commit=on', '-c', 'full_page_writes=on']
const SESSION = ['-c', 'timezone=UTC', '-c', 'datestyle=ISO', '-c', 'client_min_messages=warning']
/** Clusters in memory are short-lived and often copied: small log segments keep them small. */
const MEMORY_INITDB_PARAMS = ['--wal-segsize=1']
const LOG_LINES_MAX = 20
/** PGlite would wait, after each statement, for a copy of a file system that neither of ours has. COMMIT itself calls fsync. */
const NO_COPY = { syncToFs: false }

/** The engine's start parameters. A durable engine starts without PGlite's `-F`, which turns fsync off. */
export function startParams(durable: boolean): string[] {
  const defaults = PGlite.defaultStartParams.filter((param) => !durable || param !== '-F')
  return [...defaults, ...SESSION, ...WAL_SETTINGS, ...(durable ? DURABLE : [])]
}

/** Creates a cluster in a folder that does not exist yet, and flushes every file and folder of it to the disk. */
export async function createCluster({ directory, code }: { directory: string; code?: WebAssembly.Module }, fsync: Fsync): Promise<void> {
  const engine = await PGlite.create(directory, withCode(code))
  await engine.close()
  await syncTree(directory, fsync)
}

/** PGlite's option for its code. Without it, PGlite compiles the code itself. */
function withCode(code: WebAssembly.Module | undefined): { pgliteWasmModule?: WebAssembly.Module } {
  return code === undefined ? {} : { pgliteWasmModule: code }
}

export interface EngineOptions {
  /** The engine's code if it is compiled already. */
  readonly code?: WebAssembly.Module
  /** Null: in memory. */
  readonly directory: string | null
  /** An archive from `dump` to start from; only in memory. */
  readonly template?: Uint8Array | null
  /** The disk under `directory`. */
  readonly disk: Disk
}

/** Opens a cluster. Raises EngineRefused when it does not open, or when a cluster on disk would not be durable. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { code, directory, template = null, disk } = options
  const log: string[] = []
  function appendLog(line: string): boolean {
    if (log.push(line) > LOG_LINES_MAX) log.shift()
    return false
  }
  const durable = directory === null ? null : new DurableFS(directory, disk)
  const settings = {
    fs: durable ?? new MemoryFS(),
    startParams: startParams(durable !== null),
    parsers: { ...DECODERS },
    ...withCode(code),
    onStderr: appendLog,
    ...(durable === null ? { initDbStartParams: MEMORY_INITDB_PARAMS } : {}),
    ...(template === null ? {} : { loadDataDir: new Blob([template], { type: 'application/x-tar' }) }),
  }
  let engine: PGlite
  try {
    engine = await PGlite.create(settings)
  } catch (cause) {
    throw new EngineRefused(`the embedded database does not open: ${[String(cause), ...log].join('; ')}`, { cause })
  }
  if (durable !== null) await testDurability(engine, durable)
  return wrapEngine(engine, log)
}

/** Checks that the engine's settings are durable and that its first commit calls fsync. Raises EngineRefused otherwise. */
export async function testDurability(engine: PGlite, filesystem: Pick<DurableFS, 'fsyncs'>): Promise<void> {
  const advice = 'this version of PGlite does not work with the durability wrapper, and running it could lose data. Install the version in package-lock.json'
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await engine.query<Record<string, string>>(`show ${setting}`)
    if (rows[0]?.[setting] !== 'on') throw new EngineRefused(`the setting ${setting} is ${rows[0]?.[setting]}, not on: ${advice}`)
  }
  const before = filesystem.fsyncs
  await engine.query("select pg_logical_emit_message(true, 'self-test', 'the first commit of this start')")
  if (filesystem.fsyncs === before) throw new EngineRefused(`the first commit was acknowledged without a single fsync: ${advice}`)
}

function wrapEngine(engine: PGlite, log: readonly string[]): Engine {
  /** PGlite would give the results of one statement to another that begins before it ends. */
  const runExclusive = createMutex()
  let access: Statement['access'] = 'write'
  const nameOf = createStatementNames(PREPARED_STATEMENTS_MAX, 'repeated')
  /** The names that this session knows. */
  const prepared = new Set<string>()

  /** Switching the session costs less than a read-only transaction around every read. */
  async function switchTo(wanted: Statement['access']): Promise<void> {
    if (access === wanted) return
    await execute(protocol.serialize.query(`set default_transaction_read_only = ${wanted === 'read' ? 'on' : 'off'}`))
    access = wanted
  }

  async function execute(message: Uint8Array): Promise<Results<object> | undefined> {
    const responses = await engine.execProtocolStream(message, NO_COPY)
    if (!isComplete(responses)) throw new EngineBroken(NO_RESULT)
    return parse.parseResults(responses, engine.parsers).at(-1)
  }

  async function query({ sql, params, isRepeated = false }: Statement): Promise<Results<object> | undefined> {
    if (params === null) return await execute(protocol.serialize.query(sql))
    const name = (isRepeated ? nameOf(sql) : undefined) ?? ''
    const result = await execute(encodeStatement({ sql, params, name, isParsed: prepared.has(name) }))
    if (name !== '') prepared.add(name)
    return result
  }

  async function send(statement: Statement): Promise<StatementResult> {
    const result = await query(statement)
    return { rows: result?.rows ?? [], command: result?.command ?? '', writtenRows: result?.affectedRows ?? 0 }
  }

  async function run(statement: Statement): Promise<StatementResult> {
    try {
      await switchTo(statement.access)
      return await send(statement)
    } catch (cause) {
      const { code, message } = readFailure(cause)
      if ((isSqlState(code) && !isEnd(cause)) || code === ASSERTION) throw cause
      throw new EngineBroken([message, ...log].join('; '), { cause })
    }
  }

  return {
    run: (statement) => runExclusive(() => run(statement)),
    onNotification: (callback) => void engine.onNotification(callback),
    dump: () => runExclusive(async () => {
      await execute(protocol.serialize.query('checkpoint'))
      return new Uint8Array(await (await engine.dumpDataDir('none')).arrayBuffer())
    }),
    close: () => runExclusive(() => engine.close()),
  }
}

/** True for the last error of an engine: PostgreSQL ends its process after it. PGlite continues, and every later statement is without effect. */
function isEnd(cause: unknown): boolean {
  const { severity } = cause as { readonly severity?: unknown }
  return severity === 'PANIC' || severity === 'FATAL'
}

/** True if the engine has processed a message to its end, with a result: an engine that has ended sends nothing, or stops before the last message. */
function isComplete(responses: readonly messages.BackendMessage[]): boolean {
  const hasResult = responses.some(({ name }) => name === 'commandComplete' || name === 'emptyQuery')
  return hasResult && responses.at(-1)?.name === 'readyForQuery'
}
