// Executions and cancellations name nobody: whose they are is read from the orders' entries, and believed only where it must be true.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { RpcFailure } from '../chain/failure.ts'
import { openTestStore } from '../../test/support/database.ts'
import type { NodeOrder } from '../../test/index/node.ts'
import { TRADERS, testContracts } from '../../test/index/history.ts'
import { accountFeed, emptyIndex } from '../../test/index/tables.ts'
import { createIndexFixture } from '../../test/index/fixture.ts'
import type { IndexFixture } from '../../test/index/fixture.ts'
import { OBSERVATION_ATTEMPTS } from './entry-observer.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

let world: IndexFixture

beforeEach(async () => {
  await world?.indexer[Symbol.asyncDispose]()
  await emptyIndex(store.write)
  world = createIndexFixture(store)
  world.closeLedger()
})
after(() => world.indexer[Symbol.asyncDispose]())

const [ALICE = '', BOB = ''] = TRADERS
/** What the test exchange makes of these: an order of this trader that no event tells of. */
const PLACES_UNTOLD = { alice: 0, bob: 1 } as const
const PLACES_TOLD_FOR_BOB = 9
const EXECUTES = 0
const NAMES_ALICE = 2

async function feedOf(account: string): Promise<string[]> {
  const rows = await accountFeed(store.read, { account, limit: 1 })
  return rows.map(({ topic, ledger }) => `${topic} ${ledger}`)
}

/** Places an untold order and ends it one ledger later; returns the ledger of its end. */
async function endUntold(person: keyof typeof PLACES_UNTOLD): Promise<number> {
  world.queue(world.exchange.placeOrder(PLACES_UNTOLD[person]))
  world.closeLedger()
  world.queue(world.exchange.endOrder(EXECUTES))
  world.closeLedger()
  const ledger = world.node.latest().sequence
  await world.catchUp()
  return ledger
}

/** Closes ledgers, a poll apart, until something is so. */
async function ledgersUntil(isSo: () => Promise<boolean>): Promise<void> {
  for (let ledgers = 0; ledgers < 300; ledgers++) {
    if (await isSo()) return
    world.closeLedger(2)
  }
  assert.fail('it does not come about')
}

test('the end of an order whose placement no event told comes into its owner\'s feed late, and stands at its own place', async () => {
  world.queue(world.exchange.other(NAMES_ALICE))
  const ledger = await endUntold('alice')
  world.queue(world.exchange.other(NAMES_ALICE))
  world.closeLedger()
  await world.catchUp()
  assert.deepEqual(await feedOf(ALICE), [`deposit ${ledger + 1}`, `deposit ${ledger - 1}`])
  assert.equal(await world.indexer.observe(), 1)
  assert.deepEqual(await feedOf(ALICE), [`deposit ${ledger + 1}`, `order_executed ${ledger}`, `deposit ${ledger - 1}`])
  assert.deepEqual(await feedOf(BOB), [])
  assert.equal(await world.indexer.observe(), 0, 'nothing is asked twice')
})

test('the running indexer asks by itself once it has caught up, without waiting for the answer', async () => {
  const ledger = await endUntold('alice')
  const { getLedgerEntries } = world.node.rpc
  const slow = Promise.withResolvers<void>()
  let asked = 0
  Object.assign(world.node.rpc, {
    async getLedgerEntries(...args: Parameters<typeof getLedgerEntries>) {
      asked += 1
      await slow.promise
      return await getLedgerEntries(...args)
    },
  })
  const stop = new AbortController()
  const stopped = world.indexer.run(stop.signal)
  try {
    world.queue(world.exchange.other(NAMES_ALICE))
    world.closeLedger(30)
    // The index goes on while the answer is awaited.
    await ledgersUntil(async () => (await feedOf(ALICE)).length === 1 && asked === 1)
    slow.resolve()
    await ledgersUntil(async () => (await feedOf(ALICE)).length === 2)
    assert.equal((await feedOf(ALICE)).at(-1), `order_executed ${ledger}`)
  } finally {
    slow.resolve()
    stop.abort()
    await stopped
  }
})

test('an order whose placement was told needs no reading', async () => {
  world.queue(world.exchange.placeOrder(PLACES_TOLD_FOR_BOB))
  world.closeLedger()
  await world.catchUp()
  world.queue(world.exchange.endOrder(EXECUTES))
  world.closeLedger()
  await world.catchUp()
  const ledger = world.node.latest().sequence
  assert.deepEqual(await feedOf(BOB), [`order_executed ${ledger}`, `order_placed ${ledger - 1}`])
  assert.equal(await world.indexer.observe(), 0)
  assert.equal(world.node.calls['getLedgerEntries'], undefined)
})

test('a contract can own an order', async () => {
  const ledger = await endUntold('alice')
  const contract = testContracts(1).vaultFactory
  world.node.orders = world.node.orders.map((order): NodeOrder => ({ ...order, trader: contract }))
  assert.equal(await world.indexer.observe(), 1)
  assert.deepEqual(await feedOf(contract), [`order_executed ${ledger}`])
  assert.deepEqual(await feedOf(ALICE), [])
})

test('a node that lags or fails costs no attempt: its answer counts whenever it comes', async () => {
  const ledger = await endUntold('alice')
  world.node.visibleUntil = ledger - 1
  for (let times = 0; times <= OBSERVATION_ATTEMPTS; times++) assert.equal(await world.indexer.observe(), 0)
  world.node.failure = new RpcFailure({ method: 'getLedgerEntries', kind: 'timeout', retryable: true })
  for (let times = 0; times <= OBSERVATION_ATTEMPTS; times++) assert.equal(await world.indexer.observe(), 0)
  world.node.failure = undefined
  world.node.visibleUntil = Number.MAX_SAFE_INTEGER
  assert.equal(await world.indexer.observe(), 1)
  assert.deepEqual(await feedOf(ALICE), [`order_executed ${ledger}`])
})

test('an order that has no entry is asked about a bounded number of times, and its end stays nobody\'s until a later process finds it', async () => {
  const ledger = await endUntold('alice')
  world.node.orders = []
  for (let times = 0; times < OBSERVATION_ATTEMPTS + 3; times++) assert.equal(await world.indexer.observe(), 0)
  assert.equal(world.node.calls['getLedgerEntries'], OBSERVATION_ATTEMPTS)
  for (const account of TRADERS) assert.deepEqual(await feedOf(account), [])
  await endUntold('bob')
  assert.equal(await world.indexer.observe(), 1, 'the others are not held up by it')
  await world.restart()
  assert.equal(await world.indexer.observe(), 1)
  assert.deepEqual(await feedOf(ALICE), [`order_executed ${ledger}`])
})

for (const [what, other] of [
  ['is still pending', { pending: true }],
  ['was placed after the order had ended', { placedSec: Number.MAX_SAFE_INTEGER }],
] as const) {
  test(`an entry under the same number that ${what} is another order, on another chain: it tells nothing`, async () => {
    await endUntold('alice')
    world.node.orders = world.node.orders.map((order): NodeOrder => ({ ...order, trader: BOB, ...other }))
    assert.equal(await world.indexer.observe(), 0)
    for (const account of TRADERS) assert.deepEqual(await feedOf(account), [])
  })
}

test('order ids begin anew with a deployment: each end goes to the owner of its own deployment\'s order', async () => {
  const first = await endUntold('alice')
  assert.equal(await world.indexer.observe(), 1)
  await world.redeploy(testContracts(2))
  world.closeLedger()
  const second = await endUntold('bob')
  assert.equal(await world.indexer.observe(), 1)
  assert.deepEqual([await feedOf(ALICE), await feedOf(BOB)], [[`order_executed ${first}`], [`order_executed ${second}`]])
})
