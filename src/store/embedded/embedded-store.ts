// The store on the embedded engine: one connection, shared in the order of the scheduler.

import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { TurnCaller } from '../../base/turns.ts'
import { BULK_STATEMENT_TIMEOUT_MS, WRITE_STATEMENT_TIMEOUT_MS } from '../bounds.ts'
import { textOf } from '../sql.ts'
import type { Statement as SqlStatement } from '../sql.ts'
import { StoreUnavailable } from '../store.ts'
import type { Param, Store, Writer, WriterLock } from '../store.ts'
import { runTransaction } from '../transaction.ts'
import { encodeParams } from '../values.ts'
import { createWriteProblems } from '../write-problems.ts'
import { openDataFolder } from './data-folder.ts'
import { startEngineThread } from './engine-thread.ts'
import type { EngineThread } from './engine-thread.ts'
import { createListeners } from './listeners.ts'
import { createMaintenance } from './maintenance.ts'
import type { Statement, StatementResult } from './messages.ts'
import { createScheduler } from './scheduler.ts'
import { superviseEngine } from './supervisor.ts'

export interface EmbeddedStore extends Store {
  readonly engine: 'embedded'
  /** A writer for statements that change many rows: migrations and rebuilds. */
  readonly bulkWriter: Writer
  /** The whole database as an archive that a database in memory can start from. */
  dump(): Promise<Uint8Array>
}

export interface EmbeddedOptions {
  /** The data folder; null keeps everything in memory, until the engine ends. */
  readonly dataDir: string | null
  /** An archive from `dump` to start from; only in memory. */
  readonly template: Uint8Array | null
  /** The path of a prepared cluster, which may not exist; called only for a new cluster on disk. */
  readonly prepared: () => Promise<string>
  readonly readTimeoutMs: number
  readonly clock: Clock
  readonly log: Log
  /** No engine is started after it aborts. */
  readonly stop?: AbortSignal | undefined
}

/**
 * Opens the embedded database. Raises FolderInUse when another process has the folder, StoreUnavailable with the reason when it does not open, and the reason
 * of `stop` when that aborts.
 */
export async function openEmbeddedStore(options: EmbeddedOptions): Promise<EmbeddedStore> {
  const { dataDir, template, prepared, readTimeoutMs, clock, log, stop } = options
  const locks = createLocks()
  const folder = dataDir === null ? null : await openDataFolder({ dataDir, prepared, clock, log, stop })
  const directory = folder?.directory ?? null
  const scheduler = createScheduler({ clock, restarting: () => supervisor.restarting(), cancel: () => supervisor.abandon('the store is closed') })
  const listeners = createListeners((sql) => scheduler.write(() => send('write', WRITE_STATEMENT_TIMEOUT_MS, sql)))

  async function startEngine(signal: AbortSignal): Promise<EngineThread> {
    const onNotification = (channel: string, payload: string): void => listeners.notify(channel, payload)
    const engine = await startEngineThread({ directory, template, clock, stop: signal, onNotification })
    try {
      // Before the first statement, so that no notification of a write is missed after a restart.
      await listeners.resubscribe((sql) => engine.run({ access: 'write', sql, params: null }, WRITE_STATEMENT_TIMEOUT_MS))
      return engine
    } catch (cause) {
      await engine.kill()
      throw cause
    }
  }

  function disconnect(): void {
    listeners.disconnected()
    if (directory === null) locks.loseAll()
  }

  const recovers = directory !== null
  const supervisor = await superviseEngine({ start: startEngine, recovers, clock, log, onDown: disconnect, stop }).catch((cause: unknown) => {
    folder?.lock.release()
    throw cause
  })
  const maintenance = createMaintenance({ scheduler, run: async (sql) => (await send('write', BULK_STATEMENT_TIMEOUT_MS, sql)).rows, clock, log })

  /** The sender of one turn's statements. All of them go to the same engine. */
  function openSession(access: Statement['access'], limitMs: number) {
    const engine = supervisor.engine()
    return async (statement: SqlStatement | string, params?: readonly Param[], isRepeated = false): Promise<StatementResult> => {
      const sql = textOf(statement)
      const result = await engine.run({ access, sql, params: params === undefined ? null : encodeParams(params), isRepeated }, limitMs)
      if (result.writtenRows > 0) maintenance.countRows(result.writtenRows)
      return result
    }
  }

  async function send(access: Statement['access'], limitMs: number, statement: SqlStatement | string, params?: readonly Param[]): Promise<StatementResult> {
    return await openSession(access, limitMs)(statement, params)
  }

  function createWriter(limitMs: number): Writer {
    return {
      query: <Row extends object>(statement: SqlStatement<Row> | string, params?: readonly Param[]) =>
        scheduler.write(async () => (await send('write', limitMs, statement, params)).rows as Row[]),
      run: (statement, params) => scheduler.write(async () => void (await send('write', limitMs, statement, params))),
      transaction: (work) => scheduler.write(async () => runTransaction(openSession('write', limitMs), clock, work, listeners)),
    }
  }

  const problems = createWriteProblems(clock)
  const bulkWriter = problems.observe(createWriter(BULK_STATEMENT_TIMEOUT_MS))
  return {
    engine: 'embedded',
    readsLag: false,
    read: {
      query: <Row extends object>(statement: SqlStatement<Row> | string, params?: readonly Param[], caller?: TurnCaller) =>
        scheduler.read(async (remainingMs) => (await send('read', remainingMs, statement, params)).rows as Row[], readTimeoutMs, caller),
    },
    lookups: {
      query: <Row extends object>(statement: SqlStatement<Row> | string, params?: readonly Param[]) =>
        scheduler.lookup(async (remainingMs) => (await send('read', remainingMs, statement, params)).rows as Row[], readTimeoutMs),
    },
    write: problems.observe(createWriter(WRITE_STATEMENT_TIMEOUT_MS)),
    bulkWriter,
    writeProblem: async () => supervisor.problem() ?? problems.current(),
    waiting: () => scheduler.waiting(),
    tryLock: async (name) => locks.tryLock(name, bulkWriter),
    isLocked: async (name) => locks.isLocked(name),
    listen: listeners.listen,
    dump: () => scheduler.write(() => supervisor.engine().dump()),
    async [Symbol.asyncDispose]() {
      maintenance.stop()
      await scheduler.close()
      await supervisor.close()
      folder?.lock.release()
    },
  }
}

interface Locks {
  tryLock(name: string, writer: Writer): WriterLock | undefined
  isLocked(name: string): boolean
  loseAll(): void
}

/** The named locks. Only this process has the database, so they are held in memory, and survive a restart of the engine. */
function createLocks(): Locks {
  const held = new Map<string, AbortController>()
  return {
    tryLock(name, writer) {
      if (held.has(name)) return undefined
      const lost = new AbortController()
      held.set(name, lost)
      return createLock(writer, lost.signal, () => void (held.get(name) === lost && held.delete(name)))
    },
    isLocked: (name) => held.has(name),
    loseAll() {
      for (const lost of held.values()) lost.abort()
      held.clear()
    },
  }
}

function createLock(writer: Writer, lost: AbortSignal, release: () => void): WriterLock {
  let isReleased = false
  function check(): void {
    if (lost.aborted || isReleased) throw new StoreUnavailable(lost.aborted ? 'the writer lock was lost' : 'the writer lock was released')
  }
  return {
    lost,
    db: {
      async query<Row extends object>(statement: SqlStatement<Row> | string, params?: readonly Param[]): Promise<Row[]> {
        check()
        return writer.query<Row>(statement, params)
      },
      async run(statement, params) {
        check()
        return writer.run(statement, params)
      },
      async transaction(work) {
        check()
        return writer.transaction(async (tx) => {
          check()
          const result = await work(tx)
          check()
          return result
        })
      },
    },
    async [Symbol.asyncDispose]() {
      isReleased = true
      release()
    },
  }
}
