// The embedded engine itself, inside its thread: opened durably, tested before it is trusted, one statement at a time.

import { PGlite } from '@electric-sql/pglite'
import { ASSERTION, isSqlState, readFailure } from '../failures.ts'
import { DECODERS } from '../values.ts'
import { DurableFS, VolatileFS, syncTree } from './filesystem.ts'
import type { Disk, EngineFilesystem, Fsync } from './filesystem.ts'
import { clearInterrupt } from './interruptible.ts'
import type { Interrupt } from './interruptible.ts'
import type { Statement, StatementResult } from './messages.ts'

/** Raised when the engine can no longer be trusted; everything acknowledged before is on the disk and comes back with the next start. */
export class EngineBroken extends Error {
  override readonly name = 'EngineBroken'
}

/** Raised when the engine does not keep its word at the start. */
export class EngineRefused extends Error {
  override readonly name = 'EngineRefused'
}

/** The engine, one statement at a time. */
export interface Engine {
  readonly interrupt: Interrupt
  /** Raises the driver's error for a statement's own fault, EngineBroken for everything else. */
  run(statement: Statement): Promise<StatementResult>
  onNotification(callback: (channel: string, payload: string) => void): void
  /** The whole cluster as an archive that another engine can start from. */
  dump(): Promise<Uint8Array>
  close(): Promise<void>
}

/** Bounds of the write-ahead log on disk; checkpoints keep it there. */
const WAL_SETTINGS = ['-c', 'max_wal_size=64MB', '-c', 'min_wal_size=32MB']
const DURABLE = ['-c', 'fsync=on', '-c', 'wal_sync_method=fsync', '-c', 'synchronous_commit=on', '-c', 'full_page_writes=on']
const SESSION = ['-c', 'timezone=UTC', '-c', 'datestyle=ISO', '-c', 'client_min_messages=warning']
/** A cluster in memory lives shortly and is copied often: small log segments keep it small. */
const VOLATILE_CLUSTER = ['--wal-segsize=1']
const KEPT_LOG_LINES = 20

/** The engine's start parameters without its own `-F`, which turns fsync off. */
export function startParams(durable: boolean): string[] {
  const stock = PGlite.defaultStartParams.filter((param) => !durable || param !== '-F')
  return [...stock, ...SESSION, ...WAL_SETTINGS, ...(durable ? DURABLE : [])]
}

/** Makes a new cluster in a folder that does not exist yet, and brings every file and folder of it to the disk. */
export async function createCluster(directory: string, fsync: Fsync): Promise<void> {
  const engine = await PGlite.create(directory)
  await engine.close()
  await syncTree(directory, fsync)
}

export interface EngineOptions {
  /** Null: in memory. */
  readonly directory: string | null
  /** What `dump` gave; only in memory. */
  readonly template?: Uint8Array | null
  /** What the cluster on disk is reached through. */
  readonly disk: Disk
}

/** Opens a cluster, durably when it is on disk. Raises EngineRefused when it would not be. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const log: string[] = []
  function keep(line: string): boolean {
    if (log.push(line) > KEPT_LOG_LINES) log.shift()
    return false
  }
  const durable = options.directory !== null
  const filesystem = options.directory === null ? new VolatileFS() : new DurableFS(options.directory, options.disk)
  const template = options.template ?? null
  const settings = {
    fs: filesystem,
    startParams: startParams(durable),
    parsers: { ...DECODERS },
    onStderr: keep,
    ...(durable ? {} : { initDbStartParams: VOLATILE_CLUSTER }),
    ...(template === null ? {} : { loadDataDir: new Blob([template], { type: 'application/x-tar' }) }),
  }
  let engine: PGlite
  try {
    engine = await PGlite.create(settings)
  } catch (cause) {
    throw new EngineRefused(`the embedded database does not open: ${[String(cause), ...log].join('; ')}`, { cause })
  }
  if (durable) await testDurability(engine, filesystem)
  return serveEngine(engine, filesystem, log)
}

/** Refuses an engine that does not bring its commits to the disk: its settings must say so, and its first commit must be seen to do so. */
export async function testDurability(engine: PGlite, filesystem: Pick<EngineFilesystem, 'fsyncs'>): Promise<void> {
  const advice = 'the embedded engine of this version does not fit its durable wrapper, and starting it would risk losing data'
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await engine.query<Record<string, string>>(`show ${setting}`)
    if (rows[0]?.[setting] !== 'on') throw new EngineRefused(`the setting ${setting} is ${rows[0]?.[setting]}, not on: ${advice}`)
  }
  const before = filesystem.fsyncs()
  await engine.query("select pg_logical_emit_message(true, 'self-test', 'the first commit of this start')")
  if (filesystem.fsyncs() === before) throw new EngineRefused(`the first commit was acknowledged without a single fsync: ${advice}`)
}

function serveEngine(engine: PGlite, filesystem: EngineFilesystem, log: readonly string[]): Engine {
  const interrupt = filesystem.interrupt()
  let access: Statement['access'] = 'write'

  /** The session's own switch is cheaper than a read-only transaction around every read. */
  async function switchTo(wanted: Statement['access']): Promise<void> {
    if (access === wanted) return
    await engine.exec(`set default_transaction_read_only = ${wanted === 'read' ? 'on' : 'off'}`)
    access = wanted
  }

  async function send({ sql, params }: Statement): Promise<StatementResult> {
    const result = params === null ? (await engine.exec(sql)).at(-1) : await engine.query<object>(sql, [...params])
    return { rows: result?.rows ?? [], command: result?.command ?? '', writtenRows: result?.affectedRows ?? 0 }
  }

  return {
    interrupt,
    async run(statement) {
      try {
        clearInterrupt(interrupt)
        await switchTo(statement.access)
        return await send(statement)
      } catch (cause) {
        const { code, message } = readFailure(cause)
        if (isSqlState(code) || code === ASSERTION) throw cause
        throw new EngineBroken([message, ...log].join('; '), { cause })
      }
    },
    onNotification: (callback) => void engine.onNotification(callback),
    async dump() {
      await engine.exec('checkpoint')
      return new Uint8Array(await (await engine.dumpDataDir('none')).arrayBuffer())
    },
    close: () => engine.close(),
  }
}
