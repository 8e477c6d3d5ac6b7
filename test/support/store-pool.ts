// Embedded engines that are used again. Starting one costs half a second of processor time, emptying its tables a few milliseconds. A batch of test files
// therefore keeps the engines whose stores were disposed, and hands them out again as fresh databases.

import { StoreUnavailable } from '../../src/store/store.ts'
import type { Param, Queryable, Writer, WriterLock } from '../../src/store/store.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { readBaseline, restoreBaseline } from './baseline.ts'
import type { Baseline } from './baseline.ts'

interface PooledEngine {
  readonly store: EmbeddedStore
  readonly baseline: Baseline
}

export interface StorePool extends AsyncDisposable {
  /** A store on an idle engine of this kind, or on the one that `open` starts. */
  take(kind: string, open: () => Promise<EmbeddedStore>): Promise<EmbeddedStore>
}

export function createStorePool(): StorePool {
  const idle = new Map<string, PooledEngine[]>()

  async function giveBack(kind: string, engine: PooledEngine): Promise<void> {
    if (await reset(engine)) idle.set(kind, [...(idle.get(kind) ?? []), engine])
    else await engine.store[Symbol.asyncDispose]()
  }

  return {
    async take(kind, open) {
      const engine = idle.get(kind)?.pop() ?? (await startEngine(open))
      return lend(engine.store, () => giveBack(kind, engine))
    },
    async [Symbol.asyncDispose]() {
      const engines = [...idle.values()].flat()
      idle.clear()
      await Promise.all(engines.map(({ store }) => store[Symbol.asyncDispose]()))
    },
  }
}

async function startEngine(open: () => Promise<EmbeddedStore>): Promise<PooledEngine> {
  const store = await open()
  return { store, baseline: await readBaseline(store.write) }
}

/** False when the engine cannot be used again, because a test changed more than rows or the engine is gone. */
async function reset({ store, baseline }: PooledEngine): Promise<boolean> {
  try {
    return await restoreBaseline(store.write, baseline)
  } catch (error) {
    if (error instanceof StoreUnavailable) return false
    throw error
  }
}

/** The store for one user: disposing it releases its locks and listeners, rejects later statements, and gives the engine back. */
function lend(store: EmbeddedStore, giveBack: () => Promise<void>): EmbeddedStore {
  const closing = new AbortController()
  const held = new Set<() => Promise<void>>()
  const check = (): void => {
    if (closing.signal.aborted) throw new StoreUnavailable('the store is closed')
  }
  const reader = (db: Queryable): Queryable => ({
    async query<Row extends object>(sql: string, params?: readonly Param[]): Promise<Row[]> {
      check()
      return await db.query<Row>(sql, params)
    },
  })
  const writer = (db: Writer): Writer => ({
    ...reader(db),
    async transaction(work) {
      check()
      return await db.transaction(work)
    },
  })
  async function holdLock(name: string): Promise<WriterLock | undefined> {
    check()
    const lock = await store.tryLock(name)
    if (lock === undefined) return undefined
    const release = async (): Promise<void> => {
      held.delete(release)
      await lock[Symbol.asyncDispose]()
    }
    held.add(release)
    return { lost: lock.lost, db: lock.db, [Symbol.asyncDispose]: release }
  }
  let returned: Promise<void> | undefined
  return {
    engine: 'embedded',
    readsLag: false,
    read: reader(store.read),
    write: writer(store.write),
    bulkWriter: writer(store.bulkWriter),
    waiting: () => store.waiting(),
    tryLock: holdLock,
    async listen(channel, callback, onConnected) {
      check()
      const stop = await store.listen(channel, callback, onConnected)
      const release = async (): Promise<void> => {
        if (held.delete(release)) await stop()
      }
      held.add(release)
      return release
    },
    async dump() {
      check()
      return await store.dump()
    },
    [Symbol.asyncDispose]: () => (returned ??= (async () => {
      closing.abort()
      for (const release of held) await release().catch(() => {})
      await giveBack()
    })()),
  }
}
