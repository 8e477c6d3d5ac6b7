// Embedded engines that are used again. Starting one costs half a second of processor time, emptying its tables a few milliseconds. A batch of test files
// therefore keeps the engines whose stores were disposed, and hands them out again as fresh databases.

import { StoreUnavailable } from '../../src/store/store.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { readBaseline, restoreBaseline } from './baseline.ts'
import type { Baseline } from './baseline.ts'
import { wrapStore } from './tracked-store.ts'

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
  let isClosed = false
  const held = new Set<() => Promise<void>>()
  async function run<T>(work: () => Promise<T>): Promise<T> {
    if (isClosed) throw new StoreUnavailable('the store is closed')
    return await work()
  }
  /** Returns a function that releases once. Closing the store releases what is still held. */
  function hold(release: () => Promise<void>): () => Promise<void> {
    const releaseOnce = async (): Promise<void> => void (held.delete(releaseOnce) && (await release()))
    held.add(releaseOnce)
    return releaseOnce
  }
  async function close(): Promise<void> {
    isClosed = true
    for (const release of held) await release().catch(() => {})
    await giveBack()
  }
  let closed: Promise<void> | undefined

  return {
    ...store, ...wrapStore(store, run), engine: 'embedded',
    async tryLock(name) {
      const lock = await run(() => store.tryLock(name))
      return lock === undefined ? undefined : { ...lock, [Symbol.asyncDispose]: hold(async () => await lock[Symbol.asyncDispose]()) }
    },
    listen: async (...listener) => hold(await run(() => store.listen(...listener))),
    dump: () => run(() => store.dump()),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  }
}
