// The store over the embedded engine: one connection, shared by order of the scheduler.

import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { INTERRUPT_REPEAT_MS, BULK_STATEMENT_TIMEOUT_MS, WRITE_STATEMENT_TIMEOUT_MS } from '../bounds.ts'
import { StoreUnavailable } from '../store.ts'
import type { Param, Store, Writer, WriterLock } from '../store.ts'
import { runTransaction } from '../transaction.ts'
import { encodeParam } from '../values.ts'
import { startEngineThread } from './engine-thread.ts'
import { openDataFolder } from './data-folder.ts'
import { createMaintenance } from './maintenance.ts'
import { createListeners } from './listeners.ts'
import type { Statement, StatementResult } from './messages.ts'
import { createScheduler } from './scheduler.ts'
import { superviseEngine } from './supervisor.ts'

/** The embedded store, and what only it can do. */
export interface EmbeddedStore extends Store {
  readonly engine: 'embedded'
  /** A writer whose statements may take as long as a rebuild's. */
  readonly bulkWriter: Writer
  /** The whole database as an archive that another one in memory can start from. */
  dump(): Promise<Uint8Array>
}

export interface EmbeddedOptions {
  /** The data folder; null keeps everything in memory. */
  readonly dataDir: string | null
  /** What `dump` gave, to start from; only in memory. */
  readonly template: Uint8Array | null
  /** The file of a prepared cluster, there or not; only asked for a new cluster on disk. */
  readonly prepared: () => Promise<string>
  readonly readTimeoutMs: number
  readonly clock: Clock
  readonly log: Log
}

/** Opens the embedded database. Raises FolderInUse when another process has it, StoreUnavailable with the reason when it does not open. */
export async function openEmbeddedStore(options: EmbeddedOptions): Promise<EmbeddedStore> {
  const { dataDir, template, prepared, readTimeoutMs, clock, log } = options
  const locks = new Map<string, AbortController>()
  let abandon: (() => void) | undefined
  let folderLost = false
  function onLost(): void {
    folderLost = true
    abandon?.()
  }
  const folder = dataDir === null ? null : await openDataFolder({ dataDir, prepared, clock, log, onLost })
  const scheduler = createScheduler({ clock, interrupt: () => supervisor.interrupt() })
  const listeners = createListeners((sql) => scheduler.write(() => send('write', sql)))
  const supervisor = await superviseEngine({
    start: () => startEngineThread({
      directory: folder?.directory ?? null,
      template,
      clock,
      onNotification: (channel, payload) => listeners.notify(channel, payload),
    }),
    recovers: folder !== null,
    clock,
    log,
    onDown() {
      for (const lost of locks.values()) lost.abort()
      locks.clear()
      listeners.disconnected()
    },
    onUp: () => void listeners.resubscribe().catch((cause: unknown) => log.warn({ cause: String(cause) }, 'notifications are not heard')),
  }).catch((cause: unknown) => {
    folder?.lock.release()
    throw cause
  })
  abandon = () => supervisor.abandon(`the lock file in ${dataDir} was taken away: another process may be writing there`)
  if (folderLost) abandon()
  const run = async (sql: string) => (await send('write', sql)).rows
  const maintenance = createMaintenance({ scheduler, run, clock, log })

  async function send(access: Statement['access'], sql: string, params?: readonly Param[]): Promise<StatementResult> {
    const result = await supervisor.run({ access, sql, params: params?.map(encodeParam) ?? null })
    if (result.writtenRows > 0) maintenance.countRows(result.writtenRows)
    return result
  }

  /** A statement of a writer's turn, given up when it takes too long. */
  async function sendWithin(limitMs: number, sql: string, params?: readonly Param[]): Promise<StatementResult> {
    let timer = clock.setTimer(limitMs, giveUp)
    function giveUp(): void {
      supervisor.interrupt()
      timer = clock.setTimer(INTERRUPT_REPEAT_MS, giveUp)
    }
    try {
      return await send('write', sql, params)
    } finally {
      timer.cancel()
    }
  }

  function createWriter(limitMs: number): Writer {
    return {
      query: <Row extends object>(sql: string, params?: readonly Param[]) =>
        scheduler.write(async () => (await sendWithin(limitMs, sql, params)).rows as Row[]),
      transaction: (work) => scheduler.write(() => runTransaction((sql, params) => sendWithin(limitMs, sql, params), clock, work)),
    }
  }

  const bulkWriter = createWriter(BULK_STATEMENT_TIMEOUT_MS)
  return {
    engine: 'embedded',
    read: {
      query: <Row extends object>(sql: string, params?: readonly Param[]) =>
        scheduler.read(async () => (await send('read', sql, params)).rows as Row[], readTimeoutMs),
    },
    write: createWriter(WRITE_STATEMENT_TIMEOUT_MS),
    bulkWriter,
    waiting: () => scheduler.waiting(),
    async tryLock(name) {
      if (locks.has(name)) return undefined
      const lost = new AbortController()
      locks.set(name, lost)
      return createLock(bulkWriter, lost.signal, () => void (locks.get(name) === lost && locks.delete(name)))
    },
    listen: (channel, callback, onHeard) => listeners.listen(channel, callback, onHeard),
    dump: () => scheduler.write(() => supervisor.dump()),
    async [Symbol.asyncDispose]() {
      maintenance.stop()
      await scheduler.close()
      await supervisor.close()
      folder?.lock.release()
    },
  }
}

/** There is one process and one engine, so holding the name is holding the lock. */
function createLock(writer: Writer, lost: AbortSignal, release: () => void): WriterLock {
  let released = false
  function check(): void {
    if (lost.aborted || released) throw new StoreUnavailable(lost.aborted ? 'the writer lock was lost' : 'the writer lock was given back')
  }
  return {
    lost,
    db: {
      async query<Row extends object>(sql: string, params?: readonly Param[]): Promise<Row[]> {
        check()
        return writer.query<Row>(sql, params)
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
      released = true
      release()
    },
  }
}
