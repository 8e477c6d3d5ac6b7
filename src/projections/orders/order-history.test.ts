// What the events of an order say together, however the indexer's pages cut them.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { defined } from '../../base/assert.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { createIndexFixture } from '../../../test/index/fixture.ts'
import type { IndexFixture } from '../../../test/index/fixture.ts'
import type { ExchangeEvent } from '../../../test/index/history.ts'
import { TRADERS } from '../../../test/index/accounts.ts'
import { createTestExchange, testContracts } from '../../../test/index/history.ts'
import { allRows, emptyIndex } from '../../../test/index/tables.ts'
import type { Order, OrderLifeStatus } from '../../resources/order.ts'
import type { PlacedOrderRow } from '../../resources/placed-order.ts'
import { LedgerNotIndexed } from '../state/as-of.ts'
import { listOrderHistory, PAST_ORDERS_PER_PAGE, readOrder, readOrderOutcomes, readOrdersAtSeq } from './order-history.ts'
import { listPlacedOrders } from './orders.ts'
import { InvalidCursor } from '../log/page.ts'

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

/** Picks for the test exchange. */
const REPORTED_OF_BOB = 9
const [EXECUTES, CANCELS] = [0, 8]
const BOB = defined(TRADERS[1], 'a trader')

async function indexLedger(events: readonly (ExchangeEvent | undefined)[]): Promise<void> {
  for (const one of events) fixture.queue(one)
  fixture.closeLedger()
  await fixture.catchUp()
}

/** Events of one transaction. */
function together(...events: readonly (ExchangeEvent | undefined)[]): readonly ExchangeEvent[] {
  return events.map((one) => {
    const { event, fact } = defined(one, 'an event')
    return { fact, event: { ...event, transaction: 7 } }
  })
}

const place = (): ExchangeEvent | undefined => fixture.exchange.placeOrder(REPORTED_OF_BOB)

async function orderOf(orderId: number, deployment?: string): Promise<Order> {
  return defined((await readOrder(store.read, { orderId, deployment })).order, `order ${orderId}`)
}

const history = (filter: { status?: 'pending' | 'executed' | 'cancelled'; limit?: number } = {}) =>
  allRows((cursor) => listOrderHistory(store.read, { trader: BOB, limit: 2, ...filter, cursor }))

for (const pageCap of [100, 1]) {
  test(`joins an execution to the position event before it, with pages of ${pageCap}`, async () => {
    fixture.node.pageCap = pageCap
    await indexLedger([place(), place(), place()])
    await indexLedger(together(fixture.exchange.open(1, 5), fixture.exchange.endOrder(EXECUTES)))
    await indexLedger(together(fixture.exchange.close(0, 5), fixture.exchange.endOrder(EXECUTES)))
    await indexLedger(together(fixture.exchange.open(1, 6), fixture.exchange.endOrder(EXECUTES)).map((one, index) => (
      index === 0 ? one : { ...one, event: { ...one.event, transaction: 8 } })))
    const opened = (await orderOf(1)).execution
    assert.deepEqual(opened, { price: '1005', size: '50000001', fee: null, keeperReward: '5', positionId: 1, pnl: null })
    const closed = (await orderOf(2)).execution
    assert.deepEqual([closed?.positionId, closed?.size, closed?.price, closed?.pnl], [1, '50000001', '1011', '-3495'])
    const other = await orderOf(3)
    assert.deepEqual([other.status, other.ended?.reason, other.execution], ['executed', 'executed', null], 'the position event is of another transaction')
  })

  test(`a cancellation during an execution is final, with pages of ${pageCap}`, async () => {
    fixture.node.pageCap = pageCap
    await indexLedger([place()])
    const cancelled = defined(fixture.exchange.endOrder(CANCELS), 'the end')
    const again = createTestExchange(testContracts(1))
    again.placeOrder(REPORTED_OF_BOB)
    await indexLedger(together(cancelled, again.endOrder(EXECUTES)))
    const order = await orderOf(1)
    assert.deepEqual([order.status, order.ended?.reason, order.execution], ['cancelled', 'user', null])
    assert.equal((await readOrdersAtSeq(store.read, [1, 2, 3])).length, 2, 'the execution changed nothing')
  })
}

test('returns an order as it was after each of its events', async () => {
  await indexLedger([place()])
  await indexLedger([fixture.exchange.endOrder(CANCELS)])
  const [placed, ended] = await readOrdersAtSeq(store.read, [1, 2])
  assert.deepEqual([placed?.seq, placed?.account, placed?.row.status, placed?.row.ended], [1, BOB, 'pending', null])
  assert.deepEqual([ended?.seq, ended?.account, ended?.row], [2, BOB, await orderOf(1)])
  assert.deepEqual(await readOrdersAtSeq(store.read, [3]), [])
})

test('reports what happened to the order that a transaction placed, and to no other', async () => {
  await indexLedger([place(), place()])
  await indexLedger([fixture.exchange.endOrder(CANCELS)])
  const [first, second] = [await orderOf(1), await orderOf(2)]
  const [placedBy = '', endedBy = '', open = ''] = [first.placed?.txHash, first.ended?.txHash, second.placed?.txHash].map((hash) => hash ?? undefined)
  const outcomes = await readOrderOutcomes(store.read, [{ orderId: 1, txHash: placedBy }, { orderId: 1, txHash: endedBy }, { orderId: 2, txHash: open }])
  assert.deepEqual([...outcomes], [[placedBy, { status: 'cancelled', ledger: first.ended?.ledger, ts: first.ended?.ts, txHash: endedBy }]])
})

test('lists an order that becomes known late at its place, while cursors stay where they are', async () => {
  // The second one emits no event.
  await indexLedger([place(), fixture.exchange.placeOrder(1), place(), place()])
  const { rows, next } = await listOrderHistory(store.read, { trader: BOB, limit: 2 })
  assert.deepEqual(rows.map(({ orderId }) => orderId), [4, 3])
  await fixture.indexer.observe()
  assert.equal(await fixture.indexer.observe(), 1)
  const rest = await listOrderHistory(store.read, { trader: BOB, limit: 2, cursor: defined(next, 'a cursor') })
  assert.deepEqual(rest.rows.map(({ orderId }) => orderId), [2, 1])
  assert.deepEqual(await history({ status: 'executed' }), [])
  assert.deepEqual((await history()).map(({ orderId }) => orderId), [4, 3, 2, 1])
})

test('keeps the orders of earlier deployments apart, because ids begin again', async () => {
  await indexLedger([place(), place(), place()])
  const { next } = await listOrderHistory(store.read, { trader: BOB, limit: 2 })
  const [epoch] = await store.read.query<{ epoch: string }>('select epoch from idx.epochs')
  fixture.redeploy(testContracts(2))
  await indexLedger([place()])
  await indexLedger([fixture.exchange.endOrder(EXECUTES)])
  assert.deepEqual((await history()).map(({ orderId, status }) => [orderId, status]), [[1, 'executed']])
  assert.equal((await orderOf(1)).status, 'executed')
  assert.equal((await orderOf(1, epoch?.epoch)).status, 'pending')
  const earlier = await allRows((cursor) => listOrderHistory(store.read, { trader: BOB, deployment: epoch?.epoch, limit: 2, cursor }))
  assert.deepEqual(earlier.map(({ orderId }) => orderId), [3, 2, 1])
  await assert.rejects(listOrderHistory(store.read, { trader: BOB, limit: 2, cursor: defined(next, 'a cursor') }), InvalidCursor)
  assert.equal((await readOrder(store.read, { orderId: 1, deployment: 'elsewhere' })).order, null)
})

test('lists placed orders as of a ledger: what was open then, of one account or of all, in pages', async () => {
  const recorded = new Map<number, readonly (readonly PlacedOrderRow[])[]>()
  const lists = (atLedger?: number) => Promise.all([undefined, BOB].flatMap((trader) => [true, false].map((openOnly) =>
    allRows((cursor) => listPlacedOrders(store.read, { trader, openOnly, limit: 2, cursor, atLedger })))))
  const others = [8, 10, 11]
  for (let round = 0; round < 12; round++) {
    const placed = [place(), ...others.map((pick) => fixture.exchange.placeOrder(pick))]
    const ends = round % 3 === 2 ? [EXECUTES, CANCELS + round, CANCELS].map((pick) => fixture.exchange.endOrder(pick)) : []
    await indexLedger([...placed, ...ends])
    recorded.set(fixture.node.latest().sequence, await lists())
  }
  assert.ok((recorded.get(fixture.node.latest().sequence)?.[1]?.length ?? 0) > (recorded.get(fixture.node.latest().sequence)?.[0]?.length ?? 0))
  for (const [ledger, rows] of recorded) assert.deepEqual(await lists(ledger), rows, `as of ledger ${ledger}`)
  await assert.rejects(lists(fixture.node.latest().sequence + 1), LedgerNotIndexed)
})

test('returns orders as of a ledger as they were when it had been indexed', async () => {
  const live = new Map<number, readonly Order[]>()
  const listAt = (atLedger?: number, status?: OrderLifeStatus) =>
    allRows((cursor) => listOrderHistory(store.read, { trader: BOB, limit: 2, atLedger, status, cursor }))
  for (const events of [
    () => [place(), place(), place()], () => [], () => [fixture.exchange.endOrder(CANCELS), place()],
    () => [fixture.exchange.endOrder(EXECUTES), fixture.exchange.endOrder(EXECUTES)], () => [place()],
  ]) {
    await indexLedger(events())
    live.set(fixture.node.latest().sequence, await listAt())
  }
  await indexLedger([fixture.exchange.placeOrder(1)])
  await fixture.indexer.observe()
  await fixture.indexer.observe()
  assert.equal((await listAt()).length, 6)
  const withoutTerms = ({ orderId, status, trader, placed, ended, execution }: Order): object => ({ orderId, status, trader, placed, ended, execution })
  for (const [ledger, rows] of live) {
    assert.deepEqual((await listAt(ledger)).map(withoutTerms), rows.map(withoutTerms), `as of ledger ${ledger}`)
    for (const status of ['pending', 'executed', 'cancelled'] as const) {
      const expected = rows.filter((row) => row.status === status).map(withoutTerms)
      assert.deepEqual((await listAt(ledger, status)).map(withoutTerms), expected, `${status} as of ledger ${ledger}`)
    }
    for (let orderId = 1; orderId <= 6; orderId++) {
      const { order, head } = await readOrder(store.read, { orderId, atLedger: ledger })
      assert.equal(head.ledger, ledger)
      const expected = rows.find((row) => row.orderId === orderId)
      assert.deepEqual(order === null ? undefined : withoutTerms(order), expected === undefined ? undefined : withoutTerms(expected))
    }
  }
  await assert.rejects(listAt(fixture.node.latest().sequence + 1), LedgerNotIndexed)
})

test('reads a bounded number of orders per page for a status in the past, and continues where it ended', async () => {
  await indexLedger([place()])
  const ledger = fixture.node.latest().sequence
  const between = PAST_ORDERS_PER_PAGE + 10
  await store.write.query(
    `insert into idx.orders (contract_epoch, order_id, status, trader, seq, ended_seq, details_complete)
     select o.contract_epoch, o.order_id + n, 'executed', o.trader, o.seq, o.seq, true from idx.orders o, generate_series(1, $1::int) n`,
    [between],
  )
  const page = (cursor?: string) => listOrderHistory(store.read, { trader: BOB, status: 'pending', atLedger: ledger, limit: 5, cursor })
  const first = await page()
  assert.deepEqual(first.rows, [])
  const second = await page(defined(first.next, 'a cursor'))
  assert.deepEqual([second.rows.map(({ orderId }) => orderId), second.next], [[1], null])
  const executed = await allRows((cursor) => listOrderHistory(store.read, { trader: BOB, status: 'executed', atLedger: ledger, limit: 300, cursor }))
  assert.equal(executed.length, between)
})

test('orders that were pending on a chain before a reset are cancelled, and the others stay as they were', async () => {
  await indexLedger([place(), place(), place()])
  await indexLedger([fixture.exchange.endOrder(EXECUTES), fixture.exchange.endOrder(CANCELS)])
  const [epoch] = await store.read.query<{ epoch: string }>('select epoch from idx.epochs')
  const before = await history()
  assert.deepEqual(before.map(({ status }) => status).toSorted(), ['cancelled', 'executed', 'pending'])
  fixture.reset()
  fixture.closeLedger(60)
  await indexLedger([place()])
  assert.deepEqual((await history()).map(({ orderId, status }) => [orderId, status]), [[1, 'pending']])
  const earlier = (status?: 'pending' | 'executed' | 'cancelled') =>
    allRows((cursor) => listOrderHistory(store.read, { trader: BOB, deployment: epoch?.epoch, status, limit: 1, cursor }))
  const now = await earlier()
  assert.deepEqual(now, before.map((order) => (order.status === 'pending' ? { ...order, status: 'cancelled' } : order)))
  for (const status of ['pending', 'executed', 'cancelled'] as const) assert.deepEqual(await earlier(status), now.filter((order) => order.status === status))
  for (const order of now) assert.deepEqual(await orderOf(order.orderId, epoch?.epoch), order)
})
