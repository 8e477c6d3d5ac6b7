// Answers as of a ledger: each equals the answer that was given while that ledger was the head.

import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { createIndexFixture } from '../../../test/index/fixture.ts'
import type { IndexFixture } from '../../../test/index/fixture.ts'
import { TRADERS } from '../../../test/index/accounts.ts'
import { ASSET_SYMBOLS } from '../../../localnet/assets.ts'
import { accountFeed, allRows, allTrades, emptyIndex } from '../../../test/index/tables.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { fc, fuzzRuns } from '../../../test/support/fuzz.ts'
import type { Queryable } from '../../store/store.ts'
import { LedgerNotIndexed } from './as-of.ts'
import { listLeaders, readLeaderRank, readLeaderTotals } from '../traders/leaders.ts'
import { readMarketStats } from '../markets/market-stats.ts'
import { listOpenPositions } from '../positions/positions.ts'
import { listTrades } from '../trades/trades.ts'
import { INTEREST_VERSIONS } from './version-blocks.ts'
import { readTraderVolume } from '../trades/volumes.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

/** Every answer that can be read as of a ledger, read completely in small pages. */
async function readAnswers(db: Queryable, atLedger: number | undefined, nowSec: number): Promise<Record<string, unknown>> {
  const [trader = ''] = TRADERS
  const stats = await readMarketStats(db, { assets: ASSET_SYMBOLS, nowSec, atLedger })
  const volume = await readTraderVolume(db, { trader, nowSec, atLedger })
  return {
    trades: await allTrades(db, { atLedger, limit: 3 }),
    tradesOfTrader: await allTrades(db, { atLedger, trader, includeOpens: true, limit: 4 }),
    tradesBefore: await allTrades(db, { atLedger, asset: 'BTC', beforeTs: 1_800_000_400, limit: 4 }),
    feed: await accountFeed(db, { atLedger, account: trader, limit: 5 }),
    open: await allRows((cursor) => listOpenPositions(db, { atLedger, cursor })),
    openOfTrader: await allRows((cursor) => listOpenPositions(db, { atLedger, cursor, trader })),
    stats: stats.rows,
    volume: volume.volume14d,
    byPnl: await allRows((cursor) => listLeaders(db, { atLedger, sort: 'pnl', limit: 2, cursor })),
    byVolume: await allRows((cursor) => listLeaders(db, { atLedger, sort: 'volume', limit: 3, cursor })),
    offset: (await listLeaders(db, { atLedger, sort: 'volume', limit: 2, offset: 1 })).rows,
    ranks: await Promise.all(TRADERS.map(async (name) => (await readLeaderRank(db, { atLedger, trader: name, sort: 'pnl' })).entry)),
    totals: await readLeaderTotals(db, { atLedger }).then(({ traders, volume: total, trades }) => [traders, total, trades]),
    orderFeed: await accountFeed(db, { atLedger, account: trader, kind: 'order', limit: 5 }),
  }
}

const OPS = [
  'open', 'open', 'open', 'close', 'liquidate', 'crossLiquidate', 'placeOrder', 'endOrder', 'other', 'ledger', 'ledger', 'hour', 'reset',
] as const
const step = fc.record({ op: fc.constantFrom(...OPS), pick: fc.nat(1_000), amount: fc.nat(100_000) })
const script = fc.array(step, { minLength: 20, maxLength: 120, size: 'max' })

/** The log begins shortly before the range of a block of versions ends, so that it has several blocks. */
const SEQS_BEFORE = INTEREST_VERSIONS.width - 20

/** Answers by ledger of the current epoch, read while it was the head. */
type Recorded = Map<number, Record<string, unknown>>

async function record(fixture: IndexFixture, recorded: Recorded): Promise<void> {
  await fixture.catchUp()
  await fixture.indexer.observe()
  const { head } = await listTrades(store.read, { limit: 1 })
  assert.ok(head.ledger !== null)
  recorded.set(head.ledger, await readAnswers(store.read, undefined, fixture.nowSec()))
}

async function compare(recorded: Recorded): Promise<void> {
  for (const [ledger, answers] of recorded) assert.deepEqual(await readAnswers(store.read, ledger, 0), answers, `as of ledger ${ledger}`)
}

test('an answer as of a ledger equals the one given while it was the head', async () => {
  await fc.assert(fc.asyncProperty(script, fc.integer({ min: 1, max: 12 }), async (ops, pageCap) => {
    await emptyIndex(store.write)
    await store.write.query('update idx.cursor set reserved_seq = $1', [SEQS_BEFORE])
    await using fixture = createIndexFixture(store)
    fixture.node.pageCap = pageCap
    const recorded: Recorded = new Map()
    fixture.closeLedger()
    await record(fixture, recorded)
    for (const { op, pick, amount } of ops) {
      const { exchange } = fixture
      switch (op) {
        case 'ledger':
        case 'hour':
          // The close time of a ledger without events is estimated, and the estimate changes with later ledgers.
          fixture.queue(exchange.other(pick))
          fixture.closeLedger(op === 'hour' ? 3_000 + amount : 1 + (amount % 9))
          await record(fixture, recorded)
          break
        case 'reset':
          if (pick % 5 !== 0) break
          fixture.queue(exchange.other(pick))
          fixture.closeLedger()
          await record(fixture, recorded)
          await compare(recorded)
          recorded.clear()
          fixture.reset()
          fixture.queue(fixture.exchange.other(pick))
          fixture.closeLedger(60)
          fixture.closeLedger()
          await fixture.indexer.step()
          fixture.queue(fixture.exchange.other(pick))
          fixture.closeLedger()
          await record(fixture, recorded)
          break
        case 'placeOrder':
        case 'crossLiquidate':
        case 'endOrder':
        case 'other':
          fixture.queue(exchange[op](pick))
          break
        default:
          fixture.queue(exchange[op](pick, amount))
      }
    }
    fixture.queue(fixture.exchange.other(0))
    fixture.closeLedger()
    await record(fixture, recorded)
    await compare(recorded)
  }), { numRuns: fuzzRuns(1, 3), endOnFailure: true })
})

test('a ledger outside the indexed range of the current epoch is rejected with that range', async () => {
  await emptyIndex(store.write)
  await assert.rejects(listTrades(store.read, { atLedger: 1, limit: 1 }), (error) => error instanceof LedgerNotIndexed && error.last === null)
  await using fixture = createIndexFixture(store, { firstLedger: 100 })
  fixture.closeLedger()
  fixture.closeLedger()
  await fixture.catchUp()
  const { head } = await listTrades(store.read, { limit: 1 })
  const last = head.ledger ?? 0
  const { head: oldest } = await listTrades(store.read, { atLedger: last, limit: 1 })
  assert.deepEqual(oldest, { ...head, ledger: last, asOf: { final: false } })
  for (const atLedger of [0, last + 1]) {
    await assert.rejects(listTrades(store.read, { atLedger, limit: 1 }), (error) => {
      assert.ok(error instanceof LedgerNotIndexed)
      assert.ok(error.first !== null && error.first <= last)
      assert.equal(error.last, last)
      return true
    })
  }
})
