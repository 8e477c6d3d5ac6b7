// GET /v1/leaderboard.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { LEADERBOARD_CACHE_MS, LEADERBOARD_PERIOD_CACHE_MS } from '../../src/limits.ts'
import { addToTraders } from '../../src/projections/traders/leaders.ts'
import { encodeCursor } from '../../src/projections/log/page.ts'
import type { LeaderboardEntry } from '../../src/resources/leaderboard-entry.ts'
import { assertForeignCursorsRejected, assertRejected, badIntegers, cursorIn, followPages, rowsOf } from '../support/pagination.ts'
import type { Row } from '../support/pagination.ts'
import { closePosition, createChainTrader, applyInOneLedger, movePrice, readOpenPositionIds, openPosition } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import type { ApiResponse } from '../support/keys.ts'

interface Board {
  readonly sort: string
  readonly leaders: readonly LeaderboardEntry[]
}

const BOARD_KEYS = [
  'sort', 'scope', 'network', 'state', 'updatedAt', 'total', 'limit', 'offset', 'snapshot', 'snapshotChanged', 'leaders', 'hasMore', 'nextCursor',
]

/** The index starts here, so it misses earlier events. */
const START_LEDGER = 25

let fixture: GatewayFixture
let empty: ApiResponse<Board>
let traders: { readonly early: string; readonly gambler: string }

/** The current leaderboard; waits until the cached one expires. */
async function board(query = 'limit=200'): Promise<readonly LeaderboardEntry[]> {
  fixture.clock.advance(LEADERBOARD_CACHE_MS)
  const response = await fixture.get<Board>(`/v1/leaderboard?${query}`)
  assert.equal(response.status, 200, query)
  return response.body.leaders
}

before(async () => {
  fixture = await createGatewayFixture({ seed: 'leaderboard', startLedger: START_LEDGER })
  await fixture.closeLedgers(5)
  const early = await createChainTrader(fixture, 'early')
  const gambler = await createChainTrader(fixture, 'gambler')
  await applyInOneLedger(fixture, [openPosition(early, { asset: 'ETH', direction: 0, collateral: 50, leverage: 2 })])
  const [earlyId = 0] = await readOpenPositionIds(fixture, early)
  assert.ok(fixture.network.chain.history.latest().sequence < START_LEDGER)
  empty = await fixture.get<Board>('/v1/leaderboard')
  await fixture.closeLedgers(40)
  await applyInOneLedger(fixture, [closePosition(early, earlyId), openPosition(gambler, { asset: 'SOL', direction: 0, collateral: 100, leverage: 10 })])
  await movePrice(fixture, 'SOL', 80)
  await fixture.closeLedgers(60)
  await fixture.catchUp()
  traders = { early: early.address, gambler: gambler.address }
})
after(() => fixture[Symbol.asyncDispose]())

/** Each trader's totals, summed from events and trades. */
async function sumTotals(): Promise<Map<string, { pnl: bigint; volume: bigint }>> {
  const trades = await rowsOf(fixture, '/v1/trades?limit=200', 'trades')
  const opened = await rowsOf(fixture, '/v1/events?limit=500&topic=position_opened', 'events')
  assert.ok(trades.length < 200 && opened.length < 500, 'the lists are complete')
  const totals = new Map<string, { pnl: bigint; volume: bigint }>()
  const add = (trader: unknown, pnl: unknown, volume: unknown): void => {
    const total = totals.get(String(trader)) ?? { pnl: 0n, volume: 0n }
    totals.set(String(trader), { pnl: total.pnl + BigInt(String(pnl)), volume: total.volume + BigInt(String(volume)) })
  }
  for (const { payload } of opened) add((payload as Row)['trader'], 0, (payload as Row)['size'])
  for (const { trader, kind, pnl, size } of trades) add(trader, kind === 'close' ? pnl : 0, kind === 'close' ? (size ?? 0) : 0)
  return totals
}

test('returns an empty ranking while nothing is indexed', () => {
  assert.deepEqual([empty.status, empty.body], [200, {
    sort: 'pnl', scope: 'testnet', network: 'testnet', state: 'empty', updatedAt: null, total: 0, limit: 50, offset: 0, snapshot: 'testnet.pnl.0.0',
    snapshotChanged: false, leaders: [], hasMore: false, nextCursor: null,
  }])
  assert.deepEqual([empty.headers['x-ledger'], empty.headers['link']], ['0', undefined])
})

test('sums each trader\'s lifetime pnl over closes, and volume over opens and closes with a size', async () => {
  const totals = await sumTotals()
  assert.ok(totals.size > 5)
  assert.notEqual(totals.get(traders.early)?.pnl, 0n)
  assert.equal(totals.get(traders.early)?.volume, 0n, 'the index starts after it opened')
  assert.equal(totals.get(traders.gambler)?.pnl, 0n, 'a liquidation has no pnl')
  for (const entry of await board()) {
    assert.deepEqual(Object.keys(entry), ['rank', 'trader', 'pnl', 'volume', 'trades', 'liqCount'])
    assert.deepEqual({ pnl: BigInt(entry.pnl), volume: BigInt(entry.volume) }, totals.get(entry.trader), entry.trader)
    totals.delete(entry.trader)
  }
  assert.equal(totals.size, 0, 'no trader is missing')
})

test('ranks by pnl by default, highest first, compared as numbers', async () => {
  const descending = (values: readonly string[]) => values.toSorted((a, b) => (BigInt(a) < BigInt(b) ? 1 : BigInt(a) > BigInt(b) ? -1 : 0))
  for (const [query, sort] of [['', 'pnl'], ['sort=pnl', 'pnl'], ['sort=volume', 'volume']] as const) {
    const { body } = await fixture.get<Board>(`/v1/leaderboard?${query}`)
    assert.deepEqual(Object.keys(body), BOARD_KEYS)
    assert.equal(body.sort, sort)
    const values = body.leaders.map((leader) => leader[sort])
    assert.ok(new Set(values.map((value) => value.length)).size > 1, 'the values differ in length, so string order would differ')
    assert.deepEqual(values, descending(values))
  }
})

test('limit bounds the list', async () => {
  const all = await board()
  for (const limit of [1, 3, all.length]) assert.deepEqual(await board(`limit=${limit}`), all.slice(0, limit))
})

test('rejects an unknown ranking or an out-of-range limit and names the parameter', async () => {
  await assertRejected(fixture, '/v1/leaderboard', [
    ...badIntegers('limit', 1, 200), 'sort=', 'sort=PNL', 'sort=trader', 'sort=pnl&sort=pnl', 'sort=pnl%00', 'sort=pnl,volume',
  ])
})

test('caches the first page with its head for five seconds', async () => {
  await board()
  const first = await fixture.get('/v1/leaderboard')
  assert.equal(first.headers['cache-control'], 'public, max-age=1')
  await fixture.closeLedgers(4)
  await fixture.catchUp()
  const cached = await fixture.get('/v1/leaderboard')
  assert.deepEqual([cached.text, cached.headers['x-ledger'], cached.headers['x-seq']], [first.text, first.headers['x-ledger'], first.headers['x-seq']])
  fixture.clock.advance(LEADERBOARD_CACHE_MS)
  assert.equal((await fixture.get('/v1/leaderboard')).headers['x-ledger'], String(fixture.network.chain.history.latest().sequence))
})

test('a cached page contains nothing of the first request\'s query', async () => {
  await board()
  fixture.clock.advance(LEADERBOARD_CACHE_MS)
  const first = await fixture.get('/v1/leaderboard?limit=2&token=secret&sort=volume')
  assert.ok(first.headers['link'] !== undefined)
  const other = await fixture.get('/v1/leaderboard?sort=volume&limit=2')
  assert.deepEqual([other.text, other.headers['link']], [first.text, first.headers['link']])
  assert.doesNotMatch(String(other.headers['link']), /secret/)
})

test('accepts only the cursors of its own ranking', async () => {
  const own = cursorIn((await fixture.get('/v1/leaderboard?limit=1')).headers['link'])
  const foreign = [
    cursorIn((await fixture.get('/v1/leaderboard?limit=1&sort=volume')).headers['link']), encodeCursor('leaders-pnl', ['1e5', '5', 'G', 1]),
    encodeCursor('leaders-pnl', ['5', '9'.repeat(61), 'G', 1]), encodeCursor('leaders-pnl', [5, '5', 'G', 1]), encodeCursor('leaders-pnl', ['5', '5', 5, 1]),
    encodeCursor('leaders-pnl', ['5', '5', 'G', -1]), encodeCursor('leaders-pnl', ['5', 'G']),
    encodeCursor('trades', [5]),
  ]
  await assertForeignCursorsRejected(fixture, '/v1/leaderboard', own, foreign)
})

test('pages contain every trader once, even with equal results', async () => {
  const equals = ['GEQUAL', 'GALIKE', 'GSAME'].map((name, index) => (
    { seq: 10_001 + index, trader: name.padEnd(56, 'A'), pnl: 7n, volume: 7n, trades: 1, liquidations: 0 }))
  await addToTraders(fixture.store.write, equals)
  for (const sort of ['pnl', 'volume'] as const) {
    const all = await board(`sort=${sort}&limit=200`)
    if (sort === 'pnl') assert.ok(new Set(all.map(({ pnl }) => pnl)).size < all.length, 'some traders have equal results')
    for (const limit of [1, 3]) {
      const pages = await followPages(fixture, `/v1/leaderboard?sort=${sort}&limit=${limit}`, 'leaders')
      assert.deepEqual(pages.flat(), all)
    }
  }
})

test('returns fifty traders by default', async () => {
  const gain = { pnl: 0n, trades: 1, liquidations: 0 }
  const many = Array.from({ length: 60 }, (_, index) => (
    { ...gain, seq: 20_001 + index, trader: `G${String(index).padStart(55, 'A')}`, volume: BigInt(index) }))
  await addToTraders(fixture.store.write, many)
  assert.equal((await board('')).length, 50)
  assert.ok((await board()).length > 60)
})

test('a period ranks the results since its start, and cannot be combined with another state or page', async () => {
  await fixture.control('local_advance', { seconds: 2 * 86_400 })
  const late = await createChainTrader(fixture, 'late')
  await movePrice(fixture, 'ETH', 101)
  await applyInOneLedger(fixture, [openPosition(late, { asset: 'ETH', direction: 0, collateral: 50, leverage: 2 })])
  const [id = 0] = await readOpenPositionIds(fixture, late)
  await fixture.closeLedgers(3)
  await applyInOneLedger(fixture, [closePosition(late, id)])
  await fixture.closeLedgers(2)
  await fixture.catchUp()
  fixture.clock.advance(LEADERBOARD_PERIOD_CACHE_MS)
  const { body } = await fixture.get<Board & { readonly updatedAt: number; readonly total: number }>('/v1/leaderboard?period=day&sort=volume&limit=200')
  const { body: { events: [last] } } = await fixture.get<{ events: readonly { readonly ledger: number }[] }>(
    `/v1/events?limit=1&before_ts=${body.updatedAt - 86_400 + 1}`,
  )
  const now = new Map((await board()).map((entry) => [entry.trader, entry]))
  const earlier = new Map((await board(`limit=200&at_ledger=${last?.ledger}`)).map((entry) => [entry.trader, entry]))
  const expected = [...now.values()].map((entry) => {
    const { pnl, volume, trades, liqCount } = earlier.get(entry.trader) ?? { pnl: '0', volume: '0', trades: 0, liqCount: 0 }
    return {
      trader: entry.trader, pnl: String(BigInt(entry.pnl) - BigInt(pnl)), volume: String(BigInt(entry.volume) - BigInt(volume)),
      trades: entry.trades - trades, liqCount: entry.liqCount - liqCount,
    }
  }).filter(({ trades }) => trades > 0)
  assert.ok(expected.length > 0 && expected.length < now.size, 'some have not traded since')
  const byTrader = (entries: readonly { readonly trader: string }[]) => entries.toSorted((a, b) => (a.trader < b.trader ? -1 : 1))
  assert.deepEqual(byTrader(body.leaders.map(({ rank: _rank, margin: _margin, ...entry }) => entry)), byTrader(expected))
  // This index reads no transactions, so the collateral of an open is not known. The result of a close needs none.
  assert.deepEqual([late.address, traders.gambler].map((address) => body.leaders.find(({ trader }) => trader === address)?.margin), [null, undefined])
  assert.ok(body.leaders.some(({ margin }) => margin === '0'))
  assert.equal(body.total, expected.length)
  assert.deepEqual(body.leaders.map(({ rank }) => rank), body.leaders.map((_, index) => index + 1))
  assert.ok(body.leaders.every(({ volume }, index) => BigInt(volume) <= BigInt(body.leaders[index - 1]?.volume ?? volume)), 'best first')
  assert.ok(!body.leaders.some(({ trader }) => trader === traders.gambler))
  // The whole history is shorter than a month.
  const month = await board('period=month&limit=200')
  assert.deepEqual(month.map(({ margin: _margin, ...entry }) => entry), await board())
  assert.deepEqual(await board('period=month&limit=1'), month.slice(0, 1))
  await assertRejected(fixture, '/v1/leaderboard', ['period=year', 'period='])
  for (const other of ['offset=1', `at_ledger=${last?.ledger}`, 'cursor=x']) {
    const { status, body: { message } } = await fixture.get<{ readonly message: string }>(`/v1/leaderboard?period=day&${other}`)
    assert.deepEqual([status, message], [400, 'querystring/period cannot be combined with at_ledger, offset or cursor'], other)
  }
})
