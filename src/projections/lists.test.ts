// Compares the lists with a plain filter of the whole log: every bound and filter, page by page, across epochs whose ledgers and close times repeat.

import { strict as assert } from 'node:assert'
import { after, before, test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { openTestStore } from '../../test/support/database.ts'
import { allEvents, allRows, allTrades } from '../../test/index/tables.ts'
import { createIndexFixture, FIRST_CLOSE_SEC } from '../../test/index/fixture.ts'
import { explainRead, rowsRead } from '../../test/index/plans.ts'
import type { EventsFilter } from './log/events.ts'
import { listEvents } from './log/events.ts'
import { listLeaders } from './traders/leaders.ts'
import { InvalidCursor } from './log/page.ts'
import { listOpenPositions } from './positions/positions.ts'
import { listTrades } from './trades/trades.ts'
import type { Queryable } from '../store/store.ts'

const store = await openTestStore()
const fixture = createIndexFixture(store)
after(async () => {
  await fixture[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

interface LogEntry {
  readonly seq: number
  readonly topic: string
  readonly contract: string
  readonly ledger: number
  readonly ts: number
}
let log: readonly LogEntry[] = []

before(async () => {
  for (const epoch of [1, 2, 3]) {
    for (let ledger = 1; ledger <= 9; ledger++) {
      for (let event = 0; event < (ledger * epoch) % 4; event++) {
        fixture.queue(fixture.exchange.open(event, ledger))
        fixture.queue(fixture.exchange.other(event))
        if (event === 1) fixture.queue(fixture.exchange.close(ledger, event))
      }
      fixture.closeLedger(ledger % 3 === 0 ? 1 : 5)
    }
    await fixture.catchUp()
    // A network restored to an earlier time repeats close times.
    if (epoch < 3) fixture.reset({ secondsBack: epoch === 2 ? 40 : -60 })
    fixture.closeLedger(10)
    fixture.closeLedger(10)
    await fixture.indexer.step()
    fixture.closeLedger(10)
    await fixture.catchUp()
  }
  log = await store.read.query<{ seq: number; topic: string; contract: string; ledger: number; ts: number }>(
    'select seq, topic, contract_id as contract, ledger, ledger_close_ts as ts from idx.events order by seq desc',
  )
  const [epochs] = await store.read.query<{ count: number }>('select count(*) as count from idx.epochs')
  assert.equal(epochs?.count, 3)
  assert.ok(log.length > 40)
})

const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined })
const ledgers = fc.integer({ min: 0, max: 14 })
const times = fc.integer({ min: FIRST_CLOSE_SEC - 3, max: FIRST_CLOSE_SEC + 260 })

test('events: bounds and filters match a plain filter, and pages neither lose nor repeat rows', async () => {
  const filters = fc.record({
    fromLedger: some(ledgers), toLedger: some(ledgers), beforeTs: some(times), topic: some(fc.constantFrom('position_opened', 'position_closed', 'no_such')),
    contract: some(fc.constantFrom(fixture.exchange.contracts.market, fixture.exchange.contracts.vault)), limit: fc.integer({ min: 1, max: 9 }),
  })
  await fc.assert(
    fc.asyncProperty(filters, async (filter: EventsFilter) => {
      const { fromLedger, toLedger, beforeTs, topic, contract } = filter
      const expected = log.filter((entry) => (
        (fromLedger === undefined || entry.ledger >= fromLedger) && (toLedger === undefined || entry.ledger <= toLedger)
        && (beforeTs === undefined || entry.ts < beforeTs) && (topic === undefined || entry.topic === topic)
        && (contract === undefined || entry.contract === contract)
      ))
      const rows = await allEvents(store.read, filter)
      assert.deepEqual(
        rows.map((row) => ({ topic: row.topic, contract: row.contractId, ledger: row.ledger, ts: row.ledgerCloseTs })),
        expected.map(({ seq: _seq, ...entry }) => entry),
      )
    }),
    { numRuns: 150 },
  )
})

test('trades: bounds and filters match a plain filter, and pages neither lose nor repeat rows', async () => {
  const whole = await allTrades(store.read, { limit: 200 })
  assert.ok(whole.length > 5)
  const filters = fc.record({
    beforeTs: some(times), trader: some(fc.constantFrom(...new Set(whole.map(({ trader }) => trader)))), asset: some(fc.constantFrom('BTC', 'ETH', 'XLM')),
    limit: fc.integer({ min: 1, max: 5 }),
  })
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      const { beforeTs, trader, asset } = filter
      const expected = whole.filter((row) => (
        (beforeTs === undefined || row.ts < beforeTs) && (trader === undefined || row.trader === trader) && (asset === undefined || row.asset === asset)
      ))
      assert.deepEqual(await allTrades(store.read, filter), expected)
    }),
    { numRuns: 60 },
  )
})

test('leaders: ordered by value, then by address, for any page size', async () => {
  for (const sort of ['pnl', 'volume'] as const) {
    const whole = await allRows((cursor) => listLeaders(store.read, { sort, limit: 200, cursor }))
    const sorted = whole.toSorted((a, b) => {
      const [left, right] = [BigInt(a[sort]), BigInt(b[sort])]
      if (left !== right) return left > right ? -1 : 1
      return a.trader > b.trader ? -1 : 1
    })
    assert.deepEqual(whole, sorted)
    assert.deepEqual(await allRows((cursor) => listLeaders(store.read, { sort, limit: 1, cursor })), whole)
  }
})

test('continues from a cursor while rows are added, and rejects cursors of other lists', async () => {
  const first = await listEvents(store.read, { limit: 3 })
  fixture.queue(fixture.exchange.open(1, 1))
  fixture.closeLedger()
  await fixture.catchUp()
  const second = await listEvents(store.read, { limit: 3, cursor: first.next ?? '' })
  assert.deepEqual(second.rows.map(({ ledger, topic }) => ({ ledger, topic })), log.slice(3, 6).map(({ ledger, topic }) => ({ ledger, topic })))
  assert.equal(second.head.seq, log.length + 1)
  for (const cursor of [first.next ?? '', 'x', '', Buffer.from('["trades",-1]').toString('base64url'), Buffer.from('["trades",1.5]').toString('base64url')]) {
    await assert.rejects(listTrades(store.read, { limit: 3, cursor }), InvalidCursor)
    await assert.rejects(listOpenPositions(store.read, { cursor }), InvalidCursor)
    await assert.rejects(listLeaders(store.read, { sort: 'pnl', limit: 3, cursor }), InvalidCursor)
  }
})

/** Rows that PostgreSQL reads and discards for this page as a prepared statement, whose parameters the planner does not know. */
async function countDiscardedRows(read: (db: Queryable) => Promise<unknown>): Promise<number> {
  return [...rowsRead(await explainRead(store, read)).values()].reduce((sum, { discarded }) => sum + discarded, 0)
}

/** Rows of idx.epoch_ranges that the label of a deployment may skip: one range per epoch. */
const SECTION_ROWS = 10

test('uses the filter\'s own index for a filter that matches few or no rows, instead of scanning the log', async () => {
  const [rare, unknown] = ['GRARE', 'GUNKNOWN']
  await store.write.query(
    `insert into idx.trades (seq, position_id, trader, kind, ledger, ts, tx_hash, asset, direction, size, entry_price, close_price, pnl)
     select 1000000 + n, n, case when n = 1 then $1 else 'GMANY' end, 'close', 1, 1, 'tx', case when n = 1 then 'RARE' else 'BTC' end, 0, 1, 1, 1, 1
     from generate_series(1, 20000) n`,
    [rare],
  )
  await store.write.query('analyze idx.trades')
  for (const filter of [{ trader: rare }, { trader: unknown }, { asset: 'RARE' }, { asset: 'NONE' }, { trader: rare, asset: 'NONE' }]) {
    for (const more of [{}, { beforeTs: FIRST_CLOSE_SEC + 100 }]) {
      const discarded = await countDiscardedRows((db) => listTrades(db, { ...filter, ...more, limit: 50 }))
      assert.ok(discarded <= SECTION_ROWS, `${JSON.stringify({ ...filter, ...more })}: ${discarded} rows`)
    }
  }
})
