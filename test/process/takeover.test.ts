// Two indexers on one database: one writes, the other is on standby. If the writer dies or hangs, the standby takes over within seconds. The log contains
// every event once, in order.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { createSeededRandom } from '../../src/base/random.ts'
import { WITHOUT_SERVER } from '../support/database.ts'
import type { MainProcess } from '../support/main-process.ts'
import { openCluster } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { connectStream } from '../support/stream-client.ts'
import { checkArchiveMatchesChain } from '../sim/checkers/archive-matches-chain.ts'
import { readArchive } from '../sim/checkers/archive.ts'
import { readChainEvents } from '../sim/network-faults.ts'
import { withoutMessage } from '../support/without-message.ts'

const skip = WITHOUT_SERVER
const KILLS = 3
/** docs/operating.md promises the lock within 1 s (killed) and 7 s (paused). */
const KILL_TAKEOVER_MS = 1_000
const PAUSE_TAKEOVER_MS = 7_000
/** Besides, the standby may take a few times as long as a process needs to start and index on this machine, with what else runs on it. */
const STARTS = 3

const IN_SYNC = /^Indexer in sync/
const ON_STANDBY = /^Indexer on standby/

interface Pair {
  active: MainProcess
  standby: MainProcess
  /** Time that the first process took from its start until it was in sync. */
  readonly startMs: number
}

async function startPair(cluster: Cluster): Promise<Pair> {
  const startedAtMs = cluster.clock.elapsedMs()
  const active = cluster.start({ ROLE: 'indexer' })
  await active.waitForLine(IN_SYNC)
  const startMs = cluster.clock.elapsedMs() - startedAtMs
  const standby = cluster.start({ ROLE: 'indexer' })
  await standby.waitForLine(ON_STANDBY)
  return { active, standby, startMs }
}

async function assertArchiveComplete({ network, store, settle }: Cluster): Promise<void> {
  const lastLedger = await settle()
  const archive = await readArchive(store.read)
  assert.ok(archive.length > 20, `expected trading activity, found only ${archive.length} events`)
  checkArchiveMatchesChain(archive, [readChainEvents(network)], { chain: archive[0]?.chain ?? 1, lastLedger })
}

test('the standby takes over within seconds when the writer is killed, and nothing is lost or duplicated', { skip }, async () => {
  await using cluster = await openCluster('killed')
  const { clock } = cluster
  const random = createSeededRandom('kills')
  const pair = await startPair(cluster)
  let { active, standby } = pair
  const tookMs: number[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    // The kill may hit during a page or between two pages.
    await clock.sleep(random.integer(1_000))
    const killedAtMs = clock.elapsedMs()
    await active.stop('SIGKILL')
    await standby.waitForLine(IN_SYNC)
    tookMs.push(clock.elapsedMs() - killedAtMs)
    active = standby
    standby = cluster.start({ ROLE: 'indexer' })
    await standby.waitForLine(ON_STANDBY)
  }
  assert.ok(Math.max(...tookMs) < KILL_TAKEOVER_MS + STARTS * pair.startMs, `took ${tookMs.join(', ')} ms; a start took ${pair.startMs} ms`)
  await assertArchiveComplete(cluster)
})

test('a paused writer loses the lock to the standby and writes nothing when it continues', { skip }, async () => {
  await using cluster = await openCluster('paused')
  const { clock } = cluster
  const { active, standby, startMs } = await startPair(cluster)
  const pausedAtMs = clock.elapsedMs()
  active.signal('SIGSTOP')
  await standby.waitForLine(IN_SYNC)
  const tookMs = clock.elapsedMs() - pausedAtMs
  assert.ok(tookMs < PAUSE_TAKEOVER_MS + STARTS * startMs, `took ${tookMs} ms; a start took ${startMs} ms`)
  active.signal('SIGCONT')
  await active.waitForLine(ON_STANDBY)
  await assertArchiveComplete(cluster)
  assert.equal(await active.stop('SIGTERM'), 0, active.errors())
  assert.equal(await standby.stop('SIGTERM'), 0, standby.errors())
})

test('a stopping process announces the drain while its indexer is blocked, and releases the lock before it stops serving', { skip }, async () => {
  await using cluster = await openCluster('handed over')
  const { store } = cluster
  const serving = cluster.start({ WS_DRAIN_MS: '60000' })
  await serving.waitForLine(IN_SYNC)
  const standby = cluster.start({ ROLE: 'indexer' })
  await standby.waitForLine(ON_STANDBY)
  const client = await connectStream(await serving.url())
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const rowLock = store.write.transaction(async (tx) => {
    await tx.query('select 1 from idx.cursor for update')
    locked.resolve()
    await release.promise
  })
  await locked.promise
  let hasExited = false
  const exited = serving.stop('SIGTERM').then((code) => {
    hasExited = true
    return code
  })
  await client.frame(({ type }) => type === 'draining')
  const ready = await fetch(`${await serving.url()}/readyz`)
  const readiness = withoutMessage(await ready.json())
  assert.deepEqual([ready.status, readiness], [503, { error: 'not_ready', status: 'not_ready', reasons: ['draining'] }])
  release.resolve()
  await rowLock
  await standby.waitForLine(IN_SYNC)
  const trades = await fetch(`${await serving.url()}/v1/trades`)
  assert.deepEqual([trades.status, trades.headers.get('connection')], [200, 'close'])
  assert.equal(hasExited, false)
  await client.close()
  assert.equal(await exited, 0, serving.errors())
})
