// Two indexers on one database: one writes, the other is on standby. Whatever happens to the writer, the standby takes over within seconds, and the log has
// every event once, in order.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { createSeededRandom } from '../../src/base/random.ts'
import { WITHOUT_SERVER } from '../support/database.ts'
import type { MainProcess } from '../support/main-process.ts'
import { openCluster } from '../support/cluster.ts'
import type { Cluster } from '../support/cluster.ts'
import { connectStream } from '../support/stream-client.ts'
import { checkArchiveMatchesChain } from '../sim/checkers/archive-matches-chain.ts'
import { readArchive } from '../sim/checkers/archive.ts'
import { readChainEvents } from '../sim/network-faults.ts'

const skip = WITHOUT_SERVER
const KILLS = 3
/** docs/operating.md states 1 s and 7 s for the lock. The rest is for the first page on a busy machine. */
const KILL_TAKEOVER_MS = 8_000
const PAUSE_TAKEOVER_MS = 15_000

const IN_SYNC = /^Indexer in sync/
const ON_STANDBY = /^Indexer on standby/

interface Pair {
  active: MainProcess
  standby: MainProcess
}

async function startPair(cluster: Cluster): Promise<Pair> {
  const active = cluster.start({ ROLE: 'indexer' })
  await active.waitForLine(IN_SYNC)
  const standby = cluster.start({ ROLE: 'indexer' })
  await standby.waitForLine(ON_STANDBY)
  return { active, standby }
}

async function assertNothingLost({ network, store, settle }: Cluster): Promise<void> {
  const lastLedger = await settle()
  const archive = await readArchive(store.read)
  assert.ok(archive.length > 20, `only ${archive.length} events`)
  checkArchiveMatchesChain(archive, [readChainEvents(network)], { chain: archive[0]?.chain ?? 1, lastLedger })
}

test('the standby takes over within seconds when the writer is killed, and nothing is lost or duplicated', { skip }, async () => {
  await using cluster = await openCluster('killed')
  const { clock } = cluster
  const random = createSeededRandom('kills')
  let { active, standby } = await startPair(cluster)
  const tookMs: number[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    // Between two pages or during one.
    await clock.sleep(random.integer(1_000))
    const killedAtMs = clock.nowMs()
    await active.stop('SIGKILL')
    await standby.waitForLine(IN_SYNC)
    tookMs.push(clock.nowMs() - killedAtMs)
    active = standby
    standby = cluster.start({ ROLE: 'indexer' })
    await standby.waitForLine(ON_STANDBY)
  }
  assert.ok(Math.max(...tookMs) < KILL_TAKEOVER_MS, `took ${tookMs.join(', ')} ms`)
  await assertNothingLost(cluster)
})

test('a paused writer loses the lock to the standby and writes nothing when it continues', { skip }, async () => {
  await using cluster = await openCluster('paused')
  const { clock } = cluster
  const { active, standby } = await startPair(cluster)
  const stoppedAtMs = clock.nowMs()
  active.signal('SIGSTOP')
  await standby.waitForLine(IN_SYNC)
  const tookMs = clock.nowMs() - stoppedAtMs
  assert.ok(tookMs < PAUSE_TAKEOVER_MS, `took ${tookMs} ms`)
  active.signal('SIGCONT')
  await active.waitForLine(ON_STANDBY)
  await assertNothingLost(cluster)
  assert.equal(await active.stop('SIGTERM'), 0, active.errors())
  assert.equal(await standby.stop('SIGTERM'), 0, standby.errors())
})

test('a stopping process announces it at once and hands the log over while it still serves', { skip }, async () => {
  await using cluster = await openCluster('handed over')
  const { store } = cluster
  const serving = cluster.start({ WS_DRAIN_MS: '60000' })
  await serving.waitForLine(IN_SYNC)
  const standby = cluster.start({ ROLE: 'indexer' })
  await standby.waitForLine(ON_STANDBY)
  const client = await connectStream(await serving.url())
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = store.write.transaction(async (tx) => {
    await tx.query('select 1 from idx.cursor for update')
    held.resolve()
    await release.promise
  })
  await held.promise
  let hasEnded = false
  const ended = serving.stop('SIGTERM').then((code) => {
    hasEnded = true
    return code
  })
  await client.frame(({ type }) => type === 'draining')
  const ready = await fetch(`${await serving.url()}/readyz`)
  assert.deepEqual([ready.status, await ready.json()], [503, { status: 'not_ready', reasons: ['draining'] }])
  release.resolve()
  await holding
  await standby.waitForLine(IN_SYNC)
  const trades = await fetch(`${await serving.url()}/v1/trades`)
  assert.deepEqual([trades.status, trades.headers.get('connection')], [200, 'close'])
  assert.equal(hasEnded, false)
  await client.close()
  assert.equal(await ended, 0, serving.errors())
})
