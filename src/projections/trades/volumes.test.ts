// Rolling volumes and prints of an asset: exact to the second, whatever kinds of trades a history has, and read from the rows of an hour or a page.

import { strict as assert } from 'node:assert'
import { after, before, test } from 'node:test'
import { TRADERS } from '../../../test/index/accounts.ts'
import { createIndexFixture } from '../../../test/index/fixture.ts'
import { foldFacts } from '../../../test/index/fold.ts'
import type { Expected } from '../../../test/index/fold.ts'
import { explainRead, rowsRead } from '../../../test/index/plans.ts'
import { emptyIndex } from '../../../test/index/tables.ts'
import { openTestStore } from '../../../test/support/database.ts'
import type { Queryable } from '../../store/store.ts'
import { readMarketStats } from '../markets/market-stats.ts'
import { countFrames, readChannelHeads, readChannels, readLastPrints } from '../log/stream-log.ts'
import { createTestLog } from '../log/test-log.ts'
import { readTraderProfile } from '../traders/traders.ts'
import { ACCOUNT_VOLUME_WINDOW_SEC, DAY_SEC, readTraderVolume } from './volumes.ts'

const ASSETS = ['BTC', 'ETH', 'XLM']
const HOUR_SEC = 3_600

const store = await openTestStore()
const fixture = createIndexFixture(store, { isTampered: true })
after(async () => {
  await fixture[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})
let expected: Expected

/** Trades of every kind, some of them of positions whose opening was lost, over hours and in epochs whose times repeat. */
before(async () => {
  fixture.closeLedger()
  await fixture.catchUp()
  for (let pick = 0; pick < 12; pick++) fixture.queue(fixture.exchange.open(pick * 5, pick))
  fixture.closeLedger()
  fixture.closeLedger()
  fixture.node.oldest = fixture.node.latest().sequence
  await fixture.catchUp()
  for (const epoch of [1, 2, 3]) {
    for (let ledger = 1; ledger <= 9; ledger++) {
      const { exchange } = fixture
      const ended = [
        exchange.close(ledger, 7), exchange.reduce(ledger * 3, 11), exchange.reduce(8 + ledger, 13), exchange.liquidate(ledger, 17),
        ...exchange.deleverage(ledger, 19), ledger === 5 ? exchange.crossLiquidate(ledger) : undefined,
        ...(ledger === 7 ? exchange.liquidateAccount(ledger, 23) : []),
      ]
      ended.forEach((event) => fixture.queue(event))
      for (let pick = 0; pick < 6; pick++) fixture.queue(exchange.open(ledger * 7 + pick * 5, ledger + pick))
      fixture.closeLedger(ledger % 3 === 0 ? 1 : 1_100)
    }
    await fixture.catchUp()
    if (epoch === 3) break
    // A network restored to an earlier time repeats close times.
    fixture.reset({ secondsBack: 5_000 })
    fixture.closeLedger(10)
    fixture.closeLedger(10)
    await fixture.untilEpoch()
    await fixture.catchUp()
  }
  const archived = await store.read.query<{ key: string }>(
    `select concat_ws(' ', e.chain, left(v.event_id, 30)) as key from idx.events v join idx.epochs e on e.number = v.epoch`,
  )
  const known = new Set(archived.map(({ key }) => key))
  const facts = fixture.facts.filter(({ chain, id }) => known.has(`${chain} ${id}`))
  expected = foldFacts(facts, { modes: new Map(), orderOwners: new Map() }, { chain: fixture.chain, market: fixture.exchange.contracts.market })
})

/** The seconds around every trade and every hour of the history. */
async function edges(): Promise<readonly number[]> {
  const rows = await store.read.query<{ ts: number }>('select distinct close_ts as ts from idx.ledgers order by 1')
  const times = new Set(rows.flatMap(({ ts }) => [ts, ts - (ts % HOUR_SEC)]))
  return [...times].flatMap((ts) => [ts - 1, ts, ts + 1])
}

test('the history has every kind of trade, trades without their opening, and times that repeat', async () => {
  const kinds = await store.read.query<{ kind: string; unmatched: number }>(
    'select kind, count(event_asset) as unmatched from idx.trades group by kind order by kind',
  )
  assert.deepEqual(kinds.map(({ kind }) => kind), ['adl', 'close', 'cross_liquidation', 'liquidation', 'partial_liquidation', 'reduce'])
  assert.deepEqual(kinds.filter(({ unmatched }) => unmatched === 0).map(({ kind }) => kind), ['cross_liquidation'])
  const [overlap] = await store.read.query<{ count: number }>(
    'select count(*) as count from idx.ledgers a join idx.ledgers b on b.epoch > a.epoch and b.close_ts < a.close_ts',
  )
  assert.ok((overlap?.count ?? 0) > 10)
})

test('a volume is exact to the second at the edges of its window', async () => {
  for (const edge of await edges()) {
    const { rows } = await readMarketStats(store.read, { nowSec: edge + DAY_SEC, assets: ASSETS })
    for (const { asset, volume24h } of rows) assert.equal(volume24h, String(expected.volume24h(asset, edge + DAY_SEC)), `${asset} after ${edge}`)
    const [trader = ''] = TRADERS.slice(edge % TRADERS.length)
    const nowSec = edge + ACCOUNT_VOLUME_WINDOW_SEC
    const { volume14d } = await readTraderVolume(store.read, { trader, nowSec })
    assert.equal(volume14d, String(expected.volume14d(trader, nowSec)), `${trader} after ${edge}`)
  }
})

test('the prints of an asset are the events of positions that name it', async () => {
  const range = { afterSeq: 0, throughSeq: Number.MAX_SAFE_INTEGER, limit: 1_000 }
  for (const asset of ASSETS) {
    const events = await store.read.query<{ seq: number }>(
      `select seq from idx.events
       where topic in ('position_opened', 'position_closed', 'position_reduced', 'position_liquidated', 'position_partial_liq', 'adl_executed')
         and payload->>'asset' = $1 order by seq`,
      [asset],
    )
    const rows = await readChannels(store.read, { events: false, assets: [asset], accounts: [] }, range)
    assert.deepEqual(rows.map(({ seq }) => seq), events.map(({ seq }) => seq))
    assert.ok(rows.length > 20 && rows.every(({ print }) => print?.asset === asset), asset)
  }
})

test('counts each trade once when an epoch was interrupted by another within an hour', async () => {
  await emptyIndex(store.write)
  const log = await createTestLog(store)
  const open = (positionId: number): void => log.orderOpens({ positionId, trader: 'GALICE', orderId: positionId })
  for (const next of [() => log.reset(), () => log.continueEpoch(1), undefined]) {
    open(1)
    open(2)
    await log.commit()
    await next?.()
  }
  const trades = await store.read.query<{ ts: number }>('select ts from idx.opens order by ts')
  const [oldest, secondOldest] = trades.map(({ ts }) => ts)
  assert.ok(oldest !== undefined && secondOldest !== undefined && trades.length === 6)
  for (const [nowSec, volume] of [[oldest + DAY_SEC - 1, '6000'], [oldest + DAY_SEC, '5000'], [secondOldest + DAY_SEC, '4000']] as const) {
    const { rows: [stats] } = await readMarketStats(store.read, { nowSec, assets: ['BTC'] })
    assert.equal(stats?.volume24h, volume)
  }
})

/** A trade every minute for twenty days, four in five of one asset and account, and none whose opening is not archived. */
async function insertLongHistory(): Promise<void> {
  const trades = `select n as seq, n as position_id, case when n % 5 = 0 then 'GFEW' || n % 50 else 'GMANY' end as trader, n as ledger, n * 60 as ts,
    'tx' as tx_hash,
    case when n % 5 = 0 then 'FEW' || n % 50 else 'MANY' end as asset, 0 as direction, 5 as size, 1 as entry_price from generate_series(1::bigint, 28800) n`
  await store.write.query('insert into idx.ledgers (epoch, ledger, close_ts, first_seq, last_seq) select 1, n, n * 60, n, n from generate_series(1, 28800) n')
  await store.write.query(`insert into idx.events (seq, epoch, chain, event_id, contract_id, topic, ledger, ledger_close_ts, tx_hash,
      topics_xdr, value_xdr, inserted_at)
    select seq, 1, 1, seq, 'CMARKET', case when seq % 2 = 0 then 'position_opened' else 'position_closed' end, ledger, ts, tx_hash,
      '', '', 0 from (${trades}) t`)
  await store.write.query(`insert into idx.opens (seq, position_id, trader, ledger, ts, tx_hash, asset, direction, size, entry_price)
    select * from (${trades}) t where seq % 2 = 0`)
  await store.write.query(`insert into idx.trades (seq, position_id, trader, ledger, ts, tx_hash, asset, direction, size, entry_price, kind)
    select *, 'close' from (${trades}) t where seq % 2 = 1`)
  await store.write.query('update idx.cursor set last_seq = 28800, last_ledger = 28800, last_ledger_close_ts = 28800 * 60')
  await store.write.query('analyze idx.events, idx.ledgers, idx.opens, idx.trades')
}

/** Both ends of each partial hour, and the neighbours of the ledger that a state is as of. */
const LEDGERS_MAX = 6

test('a volume reads the trades of its partial hours only, and a page of prints no more than its rows', async () => {
  await emptyIndex(store.write)
  const log = await createTestLog(store)
  await log.commit()
  await insertLongHistory()
  // Half an hour of every window is a partial hour.
  const nowSec = 389.5 * HOUR_SEC
  const asset = 'MANY'
  const range = { afterSeq: 9_000, throughSeq: 18_000 }
  const channels = { events: false, corrections: false, assets: [asset], accounts: [] }
  const reads: readonly (readonly [name: string, rows: number, read: (db: Queryable) => Promise<unknown>])[] = [
    ['volumes of assets', 24, (db) => readMarketStats(db, { nowSec, assets: [asset] })],
    ['volumes of assets as of a ledger', 48, (db) => readMarketStats(db, { nowSec: 0, assets: [asset], atLedger: 23_369 })],
    ['an account\'s volume', 24, (db) => readTraderVolume(db, { trader: 'GMANY', nowSec })],
    ['a profile', 48, (db) => readTraderProfile(db, { trader: 'GMANY', nowSec })],
    ['a page', 30, (db) => readChannels(db, channels, { ...range, limit: 10 })],
    ['a count', 11, (db) => countFrames(db, channels, { ...range, max: 11 })],
    ['a head', 2, (db) => readChannelHeads(db, channels, 18_000)],
    ['the volume of another asset', 0, (db) => readMarketStats(db, { nowSec, assets: ['NONE'] })],
    ['the volume of another account', 0, (db) => readTraderVolume(db, { trader: 'GNONE', nowSec })],
    ['a page of another asset', 0, (db) => readChannels(db, { ...channels, assets: ['NONE'] }, { ...range, limit: 10 })],
    ['the head of another asset', 0, (db) => readChannelHeads(db, { assets: ['NONE'], accounts: [] }, 18_000)],
    ['a snapshot', 33, (db) => readLastPrints(db, asset, { throughSeq: 18_000, limit: 10 })],
  ]
  for (const [name, most, read] of reads) {
    const tables = rowsRead(await explainRead(store, read))
    const rows = (tables.get('opens')?.used ?? 0) + (tables.get('trades')?.used ?? 0)
    assert.ok(rows <= most && rows > most / 2 - 1, `${name}: ${rows} rows of trades`)
    for (const [table, { used, discarded }] of tables) {
      assert.ok(discarded === 0, `${name} discards ${discarded} rows of ${table}`)
      assert.ok(table !== 'ledgers' || used <= LEDGERS_MAX, `${name} reads ${used} ledgers`)
    }
  }
})
