// Events name neither the terms of an order nor, at its end, its owner: both are read from the ledger entry, and used only when it must be the same order.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { silentLog } from '../../base/log.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import { readOrder } from '../../projections/orders/order-history.ts'
import type { Order } from '../../resources/order.ts'
import { openTestStore } from '../../../test/support/database.ts'
import type { NodeOrder } from '../../../test/index/node-entries.ts'
import { TRADERS } from '../../../test/index/accounts.ts'
import { testContracts } from '../../../test/index/history.ts'
import { OTHER_EVENTS } from '../../../test/index/other-events.ts'
import { accountFeed, emptyIndex } from '../../../test/index/tables.ts'
import { createIndexFixture } from '../../../test/index/fixture.ts'
import type { IndexFixture } from '../../../test/index/fixture.ts'
import { createChainProof } from '../identity/chain-proof.ts'
import { createEntryObserver, OBSERVATION_ATTEMPTS } from './entry-observer.ts'
import { ORDER_DETAILS } from './order-details.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

let fixture: IndexFixture

beforeEach(async () => {
  await fixture?.indexer[Symbol.asyncDispose]()
  await emptyIndex(store.write)
  fixture = createIndexFixture(store)
  fixture.closeLedger()
})
after(() => fixture.indexer[Symbol.asyncDispose]())

const [ALICE = '', BOB = ''] = TRADERS
/** Picks for the test exchange: an order of this trader whose placement emits no event. */
const UNREPORTED_ORDER_OF = { alice: 0, bob: 1 } as const
const REPORTED_ORDER_OF_BOB = 9
const EXECUTES = 0
const NAMES_ALICE = OTHER_EVENTS.findIndex(({ topic }) => topic === 'deposit')

async function orderOf(orderId: number): Promise<Order | null> {
  return (await readOrder(store.read, { orderId })).order
}

async function feedOf(account: string): Promise<string[]> {
  const rows = await accountFeed(store.read, { account, limit: 1 })
  return rows.map(({ topic, ledger }) => `${topic} ${ledger}`)
}

/** Places an order without an event and ends it one ledger later; returns the ledger of its end. */
async function endUnreportedOrder(trader: keyof typeof UNREPORTED_ORDER_OF): Promise<number> {
  fixture.queue(fixture.exchange.placeOrder(UNREPORTED_ORDER_OF[trader]))
  fixture.closeLedger()
  fixture.queue(fixture.exchange.endOrder(EXECUTES))
  fixture.closeLedger()
  const ledger = fixture.node.latest().sequence
  await fixture.catchUp()
  return ledger
}

/** Closes ledgers, one per poll, until the condition holds. */
async function closeLedgersUntil(condition: () => Promise<boolean>): Promise<void> {
  for (let ledgers = 0; ledgers < 300; ledgers++) {
    if (await condition()) return
    fixture.closeLedger(2)
  }
  assert.fail('the condition did not hold within 300 ledgers')
}

test('adds the end of an order with an unreported placement to its owner\'s feed, at its own position', async () => {
  fixture.queue(fixture.exchange.other(NAMES_ALICE))
  const ledger = await endUnreportedOrder('alice')
  fixture.queue(fixture.exchange.other(NAMES_ALICE))
  fixture.closeLedger()
  await fixture.catchUp()
  assert.deepEqual(await feedOf(ALICE), [`deposit ${ledger + 1}`, `deposit ${ledger - 1}`])
  assert.equal(await fixture.indexer.observe(), 1)
  assert.deepEqual(await feedOf(ALICE), [`deposit ${ledger + 1}`, `order_executed ${ledger}`, `deposit ${ledger - 1}`])
  assert.deepEqual(await feedOf(BOB), [])
  assert.equal(await fixture.indexer.observe(), 0, 'nothing is read twice')
})

test('reads owners in the background once it has caught up, without pausing the indexing', async () => {
  const ledger = await endUnreportedOrder('alice')
  const { getLedgerEntries } = fixture.node.rpc
  const slow = Promise.withResolvers<void>()
  let requests = 0
  Object.assign(fixture.node.rpc, {
    async getLedgerEntries(...args: Parameters<typeof getLedgerEntries>) {
      requests += 1
      await slow.promise
      return await getLedgerEntries(...args)
    },
  })
  const stop = new AbortController()
  const stopped = fixture.indexer.run(stop.signal)
  try {
    fixture.queue(fixture.exchange.other(NAMES_ALICE))
    fixture.closeLedger(30)
    // Indexing continues while the response is pending.
    await closeLedgersUntil(async () => (await feedOf(ALICE)).length === 1 && requests === 1)
    slow.resolve()
    await closeLedgersUntil(async () => (await feedOf(ALICE)).length === 2)
    assert.equal((await feedOf(ALICE)).at(-1), `order_executed ${ledger}`)
  } finally {
    slow.resolve()
    stop.abort()
    await stopped
  }
})

test('reads an order whose placement was reported, once', async () => {
  fixture.queue(fixture.exchange.placeOrder(REPORTED_ORDER_OF_BOB))
  fixture.closeLedger()
  await fixture.catchUp()
  assert.equal((await orderOf(1))?.asset, null)
  assert.equal(await fixture.indexer.observe(), 1)
  fixture.queue(fixture.exchange.endOrder(EXECUTES))
  fixture.closeLedger()
  await fixture.catchUp()
  const ledger = fixture.node.latest().sequence
  assert.deepEqual(await feedOf(BOB), [`order_executed ${ledger}`, `order_placed ${ledger - 1}`])
  const reads = fixture.node.calls['getLedgerEntries']
  assert.equal(await fixture.indexer.observe(), 0)
  assert.equal(fixture.node.calls['getLedgerEntries'], reads)
  const order = await orderOf(1)
  assert.deepEqual([order?.status, order?.asset, order?.leverage, order?.collateral, order?.slippageToleranceBps], ['executed', 'BTC', 3, '10', 50])
})

test('finds an order whose placement emitted no event while it is pending', async () => {
  fixture.queue(fixture.exchange.placeOrder(UNREPORTED_ORDER_OF.alice))
  fixture.closeLedger()
  await fixture.catchUp()
  // The last id is read first, then the entries up to it.
  await fixture.indexer.observe()
  assert.equal(await fixture.indexer.observe(), 1)
  const order = await orderOf(1)
  assert.deepEqual([order?.trader, order?.status, order?.placed], [ALICE, 'pending', { ledger: null, ts: order?.createdAt, txHash: null, seq: null }])
  assert.equal(await fixture.indexer.observe(), 0)
})

test('learns from its entry that an order ended in lost ledgers', async () => {
  fixture.queue(fixture.exchange.placeOrder(REPORTED_ORDER_OF_BOB))
  fixture.closeLedger()
  await fixture.catchUp()
  assert.equal(await fixture.indexer.observe(), 1)
  fixture.queue(fixture.exchange.endOrder(EXECUTES))
  fixture.closeLedger()
  fixture.closeLedger()
  fixture.node.oldest = fixture.node.latest().sequence
  await fixture.catchUp()
  assert.equal((await orderOf(1))?.status, 'pending')
  assert.equal(await fixture.indexer.observe(), 1)
  const order = await orderOf(1)
  assert.deepEqual([order?.status, order?.ended, order?.execution], ['executed', null, null])
  assert.equal(await fixture.indexer.observe(), 0, 'read once per gap')
})

test('keeps the owner when the other fields of an entry cannot be read', async () => {
  await endUnreportedOrder('alice')
  fixture.node.orders = fixture.node.orders.map((order): NodeOrder => ({ ...order, unreadable: true }))
  assert.equal(await fixture.indexer.observe(), 1)
  const order = await orderOf(1)
  assert.deepEqual([order?.trader, order?.orderType, order?.asset, order?.status], [ALICE, null, null, 'executed'])
  assert.equal(await fixture.indexer.observe(), 0)
})

test('accepts a contract as the owner of an order', async () => {
  const ledger = await endUnreportedOrder('alice')
  const contract = testContracts(1).vaultFactory
  fixture.node.orders = fixture.node.orders.map((order): NodeOrder => ({ ...order, trader: contract }))
  assert.equal(await fixture.indexer.observe(), 1)
  assert.deepEqual(await feedOf(contract), [`order_executed ${ledger}`])
  assert.deepEqual(await feedOf(ALICE), [])
})

test('counts no attempt for a node that lags or fails', async () => {
  const ledger = await endUnreportedOrder('alice')
  fixture.node.visibleUntil = ledger - 1
  for (let times = 0; times <= OBSERVATION_ATTEMPTS; times++) assert.equal(await fixture.indexer.observe(), 0)
  fixture.node.failure = new RpcFailure({ method: 'getLedgerEntries', kind: 'timeout', retryable: true })
  for (let times = 0; times <= OBSERVATION_ATTEMPTS; times++) assert.equal(await fixture.indexer.observe(), 0)
  fixture.node.failure = undefined
  fixture.node.visibleUntil = Number.MAX_SAFE_INTEGER
  assert.equal(await fixture.indexer.observe(), 1)
  assert.deepEqual(await feedOf(ALICE), [`order_executed ${ledger}`])
})

test('reads an order without an entry again after growing delays, and then gives up', async () => {
  await endUnreportedOrder('alice')
  const reads = async (): Promise<number> => {
    const before = fixture.node.calls['getLedgerEntries'] ?? 0
    assert.equal(await fixture.indexer.observe(), 0)
    return (fixture.node.calls['getLedgerEntries'] ?? 0) - before
  }
  await store.write.query('insert into idx.order_scans (contract_epoch, through, last_id, scanned_at) values (1, 1, 1, $1)', [Number.MAX_SAFE_INTEGER])
  for (const delaySec of [5, 60, 240, 960, 3_840]) {
    fixture.closeLedger(delaySec)
    fixture.node.orders = []
    await fixture.catchUp()
    assert.equal(await reads(), 1, `after ${delaySec} s`)
    assert.equal(await reads(), 0)
  }
  fixture.closeLedger(1_000_000)
  await fixture.catchUp()
  assert.equal(await reads(), 0)
  for (const account of TRADERS) assert.deepEqual(await feedOf(account), [])
  await endUnreportedOrder('bob')
  assert.equal(await fixture.indexer.observe(), 1, 'other orders are still read')
})

for (const [reason, changes] of [
  ['is still pending', { pending: true }],
  ['was placed after the order had ended', { placedSec: Number.MAX_SAFE_INTEGER }],
] as const) {
  test(`ignores an entry with the same id that ${reason}: it is another order on another chain`, async () => {
    await endUnreportedOrder('alice')
    fixture.node.orders = fixture.node.orders.map((order): NodeOrder => ({ ...order, trader: BOB, ...changes }))
    assert.equal(await fixture.indexer.observe(), 0)
    for (const account of TRADERS) assert.deepEqual(await feedOf(account), [])
  })
}

test('gives each order end to the owner in its own deployment, because order ids repeat', async () => {
  const first = await endUnreportedOrder('alice')
  assert.equal(await fixture.indexer.observe(), 1)
  fixture.redeploy(testContracts(2))
  fixture.closeLedger()
  const second = await endUnreportedOrder('bob')
  assert.equal(await fixture.indexer.observe(), 1)
  assert.deepEqual([await feedOf(ALICE), await feedOf(BOB)], [[`order_executed ${first}`], [`order_executed ${second}`]])
})

/** Resets the network; the new chain reaches the same ledger, and another trader has the order with the first id. */
function resetWithOrderOfBob(): void {
  const ledger = fixture.node.latest().sequence
  fixture.reset()
  fixture.queue(fixture.exchange.placeOrder(UNREPORTED_ORDER_OF.bob))
  while (fixture.node.ledgerCount() < ledger) fixture.closeLedger()
}

test('does not store an order of a new chain for the one before, although both have reached the same ledger', async () => {
  await fixture.catchUp()
  resetWithOrderOfBob()
  // The first reading finds the last id, the second one its order.
  for (let readings = 0; readings < 2; readings++) assert.equal(await fixture.indexer.observe(), 0)
  assert.equal(await orderOf(1), null)
  fixture.closeLedger(60)
  await fixture.untilEpoch()
  await fixture.catchUp()
  assert.equal(await fixture.indexer.observe(), 0)
  assert.equal(await fixture.indexer.observe(), 1)
  assert.equal((await orderOf(1))?.trader, BOB)
})

test('stores what it read in the background only after a later page of the same chain', async () => {
  const proof = createChainProof(async () => true)
  const observer = createEntryObserver(ORDER_DETAILS, { rpc: fixture.node.rpc, clock: fixture.clock, log: silentLog, proof })
  const { signal } = new AbortController()
  const step = async (): Promise<string> => (await proof.observeStep(() => fixture.indexer.step())).kind
  /** Polls once; returns the last order ids that were stored. */
  const poll = async (): Promise<readonly number[]> => {
    await observer.poll(store.write, signal)
    await observer.settled()
    return (await store.read.query<{ lastId: number }>('select last_id as "lastId" from idx.order_scans')).map(({ lastId }) => lastId)
  }
  await fixture.catchUp()
  const returnToChain = fixture.node.saveChain()
  resetWithOrderOfBob()
  assert.deepEqual(await poll(), [])
  assert.deepEqual(await poll(), [], 'no page has proven the reading')
  assert.equal(await step(), 'unreachable')
  returnToChain()
  assert.equal(await step(), 'indexed')
  assert.deepEqual(await poll(), [], 'the reading was of the other chain')
  assert.equal(await step(), 'indexed')
  assert.deepEqual(await poll(), [0])
})
