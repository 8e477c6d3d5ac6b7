// Fills an archive by letting the indexer catch up, which is a measurement too, and multiplies it to a larger size.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { createIndexer } from '../../src/indexer/indexer.ts'
import type { Indexer } from '../../src/indexer/indexer.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { loadDeployment } from '../support/deployment.ts'
import { createHistory, EVENTS_PER_LEDGER } from '../support/history.ts'
import type { History } from '../support/history.ts'
import { serveParent } from '../support/in-child.ts'
import { multiplyArchive } from '../support/multiply.ts'
import { createNode } from '../support/node.ts'
import type { DatabaseLocation } from '../support/databases.ts'
import { currentDeploymentOf } from '../../test/support/deployments.ts'

const clock = createSystemClock()
const deployment = loadDeployment()
const histories = new Map<number, History>()

function historyOf(events: number): History {
  const history = histories.get(events) ?? createHistory(deployment.contracts, events)
  histories.set(events, history)
  return history
}

async function withIndexer<T>(
  location: DatabaseLocation, events: number, work: (indexer: Indexer, store: Store) => Promise<T>, pageCap?: number,
): Promise<T> {
  const random = createSystemRandom()
  const transport = createNode(deployment.passphrase, historyOf(events), pageCap)
  await using store = await openStore({ ...location, clock, log: silentLog })
  await using indexer = createIndexer({
    store,
    rpc: createRpc({ urls: ['http://bench/'], transport, clock, random, log: silentLog }),
    deployment: currentDeploymentOf(deployment.contracts, { passphrase: deployment.passphrase }),
    clock,
    random,
    log: silentLog,
    pollIntervalMs: 2_000,
    startLedger: null,
  })
  return await work(indexer, store)
}

/** Begins the first epoch without indexing anything. */
async function begin(indexer: Indexer): Promise<void> {
  const { kind } = await indexer.step()
  if (kind !== 'epoch') throw new Error(`The first step returned ${kind} instead of epoch`)
}

async function indexAll(indexer: Indexer, events: number): Promise<void> {
  let indexed = 0
  for (let caughtUp = false; !caughtUp;) {
    const result = await indexer.step()
    if (result.kind !== 'indexed' || (!result.advanced && !result.caughtUp)) throw new Error(`Unexpected result of a step: ${JSON.stringify(result)}`)
    indexed += result.events
    caughtUp = result.caughtUp
  }
  if (indexed !== events) throw new Error(`Indexed ${indexed} events instead of ${events}`)
}

async function readLogBytes(store: Store): Promise<number> {
  const [size] = await store.read.query<{ bytes: number }>(
    `select (pg_total_relation_size('idx.log_records') + pg_total_relation_size('idx.log_nodes'))::float8 as bytes`,
  )
  return size?.bytes ?? 0
}

serveParent(
  {
    begin: (location: DatabaseLocation) => withIndexer(location, 1, begin),
    /** Events per second from the first page to the last. */
    catchUp: ({ location, events }: { location: DatabaseLocation; events: number }) =>
      withIndexer(location, events, async (indexer) => {
        await begin(indexer)
        const started = performance.now()
        await indexAll(indexer, events)
        return events / ((performance.now() - started) / 1000)
      }),
    /** The milliseconds of a page of one ledger, and the bytes that it adds to the log of pages. */
    smallPages: ({ location, pages }: { location: DatabaseLocation; pages: number }) =>
      withIndexer(location, pages * EVENTS_PER_LEDGER, async (indexer, store) => {
        await begin(indexer)
        // The record of the epoch is written: each table and index has its first page.
        const before = await readLogBytes(store)
        const started = performance.now()
        await indexAll(indexer, pages * EVENTS_PER_LEDGER)
        const ms = (performance.now() - started) / pages
        return { ms, bytes: (await readLogBytes(store) - before) / pages }
      }, EVENTS_PER_LEDGER),
    /** The 99th percentile of the event loop delay during a catch-up, in milliseconds. */
    loopDelay: ({ location, events }: { location: DatabaseLocation; events: number }) =>
      withIndexer(location, events, async (indexer) => {
        await begin(indexer)
        const delay = monitorEventLoopDelay({ resolution: 1 })
        delay.enable()
        await indexAll(indexer, events)
        delay.disable()
        return delay.percentile(99) / 1e6
      }),
    /** Makes the archive `times` as long. */
    multiply: ({ location, times }: { location: DatabaseLocation; times: number }) =>
      withIndexer(location, 1, async (_indexer, store) => {
        await using lock = await store.tryLock('bench')
        if (lock === undefined) throw new Error('Another process holds the write lock')
        await multiplyArchive(lock.db, times)
      }),
  },
  async () => {},
)
