// Several deployments of one network: each has its own index, an old one keeps its history, and nothing mixes.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { createSeededRandom } from '../../src/base/random.ts'
import { silentLog } from '../../src/base/log.ts'
import { createCurrentDeployment, createDeployment } from '../../src/exchange/deployment.ts'
import type { Deployment, IndexedDeployment } from '../../src/exchange/deployment.ts'
import { createIndexer } from '../../src/indexer/indexer.ts'
import type { Indexer } from '../../src/indexer/indexer.ts'
import { LOCAL_NETWORK } from '../../src/indexer/identity/confirmation.ts'
import { runSideIndexers } from '../../src/indexer/side-indexers.ts'
import { POLL_INTERVAL_MS } from '../../src/limits.ts'
import { listEvents } from '../../src/projections/log/events.ts'
import { prepareSideIndex, readSideIndex, sideSchema } from '../../src/projections/state/side-index.ts'
import { listTrades } from '../../src/projections/trades/trades.ts'
import { readHistory } from '../../src/routes/deployment-parameter.ts'
import { scopedStore } from '../../src/store/scoped-store.ts'
import type { Queryable } from '../../src/store/store.ts'
import { openTestStore } from '../support/database.ts'
import { until } from '../support/until.ts'
import { createIndexFixture, PASSPHRASE } from './fixture.ts'
import type { IndexFixture } from './fixture.ts'
import { createTestExchange, testContracts } from './history.ts'
import { emptyIndex } from './tables.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

beforeEach(async () => {
  await emptyIndex(store.write)
  const schemas = await store.write.query<{ name: string }>("select nspname as name from pg_namespace where nspname like 'side%'")
  for (const { name } of schemas) await store.write.query(`drop schema ${name} cascade`)
})

function deploymentOf(name: string, number: number, others: readonly IndexedDeployment[] = []): Deployment {
  const sources = Object.fromEntries(Object.entries(testContracts(number)).map(([key, address]) => [key, { address, source: 'manifest' }]))
  return createDeployment({
    name, since: null, network: 'testnet', passphrase: PASSPHRASE, generation: '1', contracts: sources as Deployment['sources'], assets: [], others,
  })
}

const otherOf = (name: string, number: number): IndexedDeployment => ({ name, since: null, generation: '1', contracts: testContracts(number) })

/** An indexer of the deployment in its own index, on the fixture's node. */
function createSideIndexer({ node, clock }: IndexFixture, deployment: Deployment, own = scopedStore(store, sideSchema(deployment.name))): Indexer {
  return createIndexer({
    store: own, rpc: node.rpc, archive: null, deployment: createCurrentDeployment(deployment), clock, random: createSeededRandom(deployment.name),
    log: silentLog, pollIntervalMs: POLL_INTERVAL_MS, startLedger: null, trust: LOCAL_NETWORK,
  })
}

async function catchUp(indexer: Indexer): Promise<void> {
  for (let steps = 0; steps < 50; steps++) {
    const result = await indexer.step()
    if (result.kind === 'indexed' && result.caughtUp) break
  }
  while ((await indexer.rebuild()) !== 'none') { /* the next part */ }
}

const contractsOf = async (db: Queryable): Promise<string[]> => [...new Set((await listEvents(db, { limit: 500 })).rows.map(({ contractId }) => contractId))]

test('a deployment beside the served one is indexed on its own, and the served lists do not change', async () => {
  await using fixture = createIndexFixture(store)
  const other = createTestExchange(testContracts(2))
  fixture.closeLedger()
  for (let round = 0; round < 4; round++) {
    fixture.queue(fixture.exchange.open(round, 100))
    fixture.closeLedger()
    fixture.queue(other.open(round, 200))
    fixture.queue(other.close(round, 300))
    fixture.closeLedger()
  }
  await fixture.catchUp()
  const served = await listEvents(store.read, { limit: 500 })
  await prepareSideIndex(store.write, 'staging', testContracts(2).market)
  await using side = createSideIndexer(fixture, deploymentOf('staging', 2))
  await catchUp(side)
  assert.deepEqual(await listEvents(store.read, { limit: 500 }), served)
  const lists = await readSideIndex(store.read, 'staging')
  assert.ok(lists !== undefined)
  assert.deepEqual([await contractsOf(store.read), await contractsOf(lists)], [[testContracts(1).market], [testContracts(2).market]])
  assert.equal((await listTrades(lists, { limit: 50 })).rows.length, 4)
  assert.equal((await listTrades(store.read, { limit: 50 })).rows.length, 0)
  assert.equal(await readSideIndex(store.read, 'another'), undefined)
})

test('an old deployment keeps its history in its own index, continues there, and its rows are labelled', async () => {
  await using fixture = createIndexFixture(store)
  const old = fixture.exchange
  fixture.closeLedger()
  fixture.queue(old.open(1, 100))
  fixture.queue(old.open(2, 100))
  fixture.closeLedger()
  fixture.queue(old.close(1, 50))
  fixture.closeLedger()
  await fixture.catchUp()
  await store.write.query("update idx.epochs set name = 'old'")
  fixture.redeploy(testContracts(2))
  await fixture.catchUp()
  await store.write.query("update idx.epochs set name = 'new' where number = 2")
  fixture.queue(old.close(1, 70))
  fixture.queue(fixture.exchange.open(3, 100))
  fixture.closeLedger()
  await fixture.catchUp()

  await prepareSideIndex(store.write, 'old', testContracts(1).market)
  await using side = createSideIndexer(fixture, deploymentOf('old', 1))
  await catchUp(side)
  const parts = { db: store.read, deployment: createCurrentDeployment(deploymentOf('new', 2)) }
  const trades = (name: string | undefined) => readHistory(parts, name, (db, deployment) => listTrades(db, { deployment, limit: 50 }))
  const ofOld = (await trades('old')).rows
  const joined = ofOld.map(({ deployment, entryPrice }) => [deployment, entryPrice !== null])
  assert.deepEqual(joined, [['old', true], ['old', true]], 'the close after the switch has its open')
  assert.deepEqual((await trades(undefined)).rows.map(({ deployment }) => deployment), ['old'], 'the served list shows the old deployment up to the switch')
  assert.deepEqual((await trades('new')).rows, [])
  const events = (name: string | undefined) => readHistory(parts, name, (db, deployment) => listEvents(db, { deployment, limit: 50 }))
  assert.deepEqual((await events('new')).rows.map(({ topic, deployment }) => [topic, deployment]), [['position_opened', undefined]])
  assert.deepEqual((await events('old')).rows.map(({ topic }) => topic), ['position_closed', 'position_closed', 'position_opened', 'position_opened'])
  assert.deepEqual((await events('none')).rows, [])
})

test('the indexes follow the configured deployments', async () => {
  await using fixture = createIndexFixture(store)
  const other = createTestExchange(testContracts(2))
  fixture.closeLedger()
  fixture.queue(other.open(1, 200))
  fixture.closeLedger()
  await fixture.catchUp()
  const deployment = createCurrentDeployment(deploymentOf('served', 1))
  const stop = new AbortController()
  const { node, clock } = fixture
  const running = runSideIndexers({
    store, deployment, clock, log: silentLog,
    createIndexer: (own) => createIndexer({
      ...own, rpc: node.rpc, archive: null, clock, random: createSeededRandom('side'), pollIntervalMs: POLL_INTERVAL_MS, startLedger: null,
      trust: LOCAL_NETWORK,
    }),
  }, stop.signal)
  assert.equal(await readSideIndex(store.read, 'staging'), undefined)
  deployment.replace(deploymentOf('served', 1, [otherOf('staging', 2)]))
  await until(async () => {
    const lists = await readSideIndex(store.read, 'staging')
    return lists !== undefined && (await listEvents(lists, { limit: 5 })).rows.length === 1
  }, 'the other deployment to be indexed')
  deployment.replace(deploymentOf('served', 1))
  stop.abort()
  await running
  assert.equal((await listEvents(store.read, { limit: 5 })).rows.length, 0)
})
