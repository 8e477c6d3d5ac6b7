// GET /v1/trades.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeCursor } from '../../src/projections/log/page.ts'
import type { EventRow } from '../../src/resources/event-row.ts'
import type { RealizedTrade } from '../../src/resources/realized-trade.ts'
import { END, assertForeignCursorsRejected, assertRejected, badIntegers, cursorIn, followPages, rowsOf } from '../support/pagination.ts'
import { closePosition, createChainTrader, applyInOneLedger, movePrice, readOpenPositionIds, openPosition } from '../support/traders.ts'
import type { ChainTrader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import type { ApiResponse } from '../support/keys.ts'

interface Trades {
  readonly trades: readonly RealizedTrade[]
}

/** The index starts here, so it misses earlier events. */
const START_LEDGER = 30
const ASSETS = ['BTC', 'ETH', 'XLM', 'HYPE'] as const

let fixture: GatewayFixture
let traders: readonly ChainTrader[]
let early: ChainTrader
let gambler: ChainTrader
let empty: ApiResponse<Trades>

/** All traders open in one ledger and close in another, so their trades share a second. */
async function tradeTogether(round: number): Promise<void> {
  const asset = ASSETS[round % ASSETS.length] ?? 'BTC'
  await applyInOneLedger(fixture, traders.map((trader, index) =>
    openPosition(trader, { asset, direction: index % 2 === 0 ? 0 : 1, collateral: 20 + index, leverage: 2 })))
  const ids = await Promise.all(traders.map((trader) => readOpenPositionIds(fixture, trader)))
  await applyInOneLedger(fixture, traders.map((trader, index) => closePosition(trader, ids[index]?.[0] ?? 0)))
}

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'trades', startLedger: START_LEDGER })
  await fixture.closeLedgers(4)
  early = await createChainTrader(fixture, 'early')
  gambler = await createChainTrader(fixture, 'gambler')
  traders = await Promise.all(['ada', 'ben', 'cleo', 'dan', 'eve'].map((name) => createChainTrader(fixture, name)))
  await applyInOneLedger(fixture, [openPosition(early, { asset: 'ETH', direction: 0, collateral: 50, leverage: 2 })])
  assert.ok(fixture.network.chain.history.latest().sequence < START_LEDGER)
  await fixture.closeLedgers(START_LEDGER)
  empty = await fixture.get<Trades>('/v1/trades')

  for (let round = 0; round < 4; round++) await tradeTogether(round)
  await applyInOneLedger(fixture, [closePosition(early, (await readOpenPositionIds(fixture, early))[0] ?? 0)])
  await applyInOneLedger(fixture, [openPosition(gambler, { asset: 'SOL', direction: 0, collateral: 100, leverage: 10 })])
  await movePrice(fixture, 'SOL', 80)
  await fixture.closeLedgers(5)
  await fixture.catchUp()
})
after(() => fixture[Symbol.asyncDispose]())

test('returns an empty list while nothing is indexed', () => {
  assert.deepEqual([empty.status, empty.body], [200, { trades: [], ...END }])
  assert.deepEqual([empty.headers['x-ledger'], empty.headers['x-seq'], empty.headers['link']], ['0', '0', undefined])
})

test('returns trades newest first, with exactly the specified fields', async () => {
  const { status, body, headers } = await fixture.get<Trades>('/v1/trades')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['trades', 'hasMore', 'nextCursor'])
  assert.equal(body.trades.length, 22)
  assert.equal(headers['cache-control'], 'no-cache')
  assert.equal(headers['x-ledger'], String(fixture.network.chain.history.latest().sequence))
  for (const row of body.trades) {
    assert.deepEqual(Object.keys(row), [
      'positionId', 'trader', 'kind', 'ledger', 'ts', 'txHash', 'asset', 'direction', 'size', 'entryPrice', 'closePrice', 'pnl',
      'orderId', 'eventId', 'seq', 'epoch',
    ])
    assert.ok(Number.isInteger(row.positionId) && Number.isInteger(row.ledger) && Number.isInteger(row.ts))
    assert.match(row.trader, /^[GC][A-Z2-7]{55}$/)
    assert.match(row.txHash, /^[0-9a-f]{64}$/)
    assert.match(row.closePrice ?? '', /^[1-9]\d*$/)
  }
  const order = body.trades.map(({ ledger }) => ledger)
  assert.deepEqual(order, order.toSorted((a, b) => b - a))
})

test('rows match the contract\'s events', async () => {
  const { trades } = (await fixture.get<Trades>('/v1/trades')).body
  const events = (await rowsOf(fixture, '/v1/events?limit=500', 'events')) as unknown as readonly EventRow[]
  const findEvent = (topic: string, id: number | null) => events
    .map((event) => ({ ...event, payload: event.payload as Record<string, unknown> }))
    .find(({ payload }) => payload['topic'] === topic && payload['positionId'] === id)
  for (const trade of trades) {
    const opened = findEvent('position_opened', trade.positionId)
    const closed = findEvent(trade.kind === 'close' ? 'position_closed' : 'position_liquidated', trade.positionId)
    assert.ok(closed !== undefined)
    assert.deepEqual([trade.ledger, trade.ts, trade.txHash], [closed.ledger, closed.ledgerCloseTs, closed.txHash])
    assert.deepEqual([trade.trader, trade.closePrice, trade.pnl], [closed.payload['trader'], closed.payload['closePrice'], closed.payload['pnl'] ?? null])
    const openPayload = opened?.payload
    assert.deepEqual(
      [trade.asset, trade.direction, trade.size, trade.entryPrice],
      openPayload === undefined
        ? [null, null, null, null]
        : [openPayload['asset'], openPayload['direction'], openPayload['size'], openPayload['entryPrice']],
    )
  }
})

test('a close whose open predates the index has its pnl, but null for the four fields of the open', async () => {
  const [row, ...others] = (await fixture.get<Trades>(`/v1/trades?trader=${early.address}`)).body.trades
  assert.deepEqual(others, [])
  assert.deepEqual([row?.kind, row?.asset, row?.direction, row?.size, row?.entryPrice], ['close', null, null, null, null])
  assert.match(String(row?.pnl), /^-?\d+$/)
  assert.match(String(row?.closePrice), /^\d+$/)
  for (const asset of ['ETH', 'BTC']) {
    const { trades } = (await fixture.get<Trades>(`/v1/trades?asset=${asset}`)).body
    assert.ok(trades.every(({ trader }) => trader !== early.address), 'a trade with unknown asset matches no asset')
  }
})

test('a liquidation has no pnl', async () => {
  const [row, ...others] = (await fixture.get<Trades>(`/v1/trades?trader=${gambler.address}`)).body.trades
  assert.deepEqual(others, [])
  assert.deepEqual([row?.kind, row?.asset, row?.direction, row?.size, row?.pnl], ['liquidation', 'SOL', 0, row?.size, null])
  assert.match(String(row?.size), /^\d+$/)
})

test('filters by trader and by asset in any letter case', async () => {
  const all = (await fixture.get<Trades>('/v1/trades?limit=200')).body.trades
  const only = async (query: string) => (await fixture.get<Trades>(`/v1/trades?${query}`)).body.trades
  const [ada] = traders
  assert.ok(ada)
  assert.deepEqual(await only(`trader=${ada.address}`), all.filter(({ trader }) => trader === ada.address))
  assert.deepEqual(await only('asset=hYpE'), all.filter(({ asset }) => asset === 'HYPE'))
  assert.deepEqual(await only(`asset=xlm&trader=${ada.address}`), all.filter(({ asset, trader }) => asset === 'XLM' && trader === ada.address))
  for (const query of ['asset=NOPE', `trader=${'G'.repeat(56)}`, 'asset=LTC', `trader=${"'".repeat(56)}`, 'asset=%25', 'before_ts=0']) {
    assert.deepEqual(await only(query), [], query)
  }
})

test('before_ts is exclusive', async () => {
  const all = (await fixture.get<Trades>('/v1/trades?limit=200')).body.trades
  for (const ts of new Set(all.map((row) => row.ts))) {
    assert.deepEqual((await fixture.get<Trades>(`/v1/trades?before_ts=${ts}`)).body.trades, all.filter((row) => row.ts < ts))
    assert.deepEqual((await fixture.get<Trades>(`/v1/trades?before_ts=${ts + 1}`)).body.trades, all.filter((row) => row.ts <= ts))
  }
  assert.deepEqual((await fixture.get<Trades>(`/v1/trades?before_ts=${Number.MAX_SAFE_INTEGER}`)).body.trades, all)
})

test('limit bounds the list, with a Link header only when more rows follow', async () => {
  const all = (await fixture.get<Trades>('/v1/trades?limit=200')).body.trades
  for (const limit of [1, 7, 21, 22, 200]) {
    const { body, headers } = await fixture.get<Trades>(`/v1/trades?limit=${limit}`)
    assert.deepEqual(body.trades, all.slice(0, limit))
    assert.equal(headers['link'] === undefined, limit >= 22, `limit=${limit}`)
  }
})

test('rejects out-of-range integers, repeated, empty and overlong parameters with a 400 that names them', async () => {
  await assertRejected(fixture, '/v1/trades', [
    ...badIntegers('limit', 1, 200), ...badIntegers('before_ts', 0),
    'asset=', 'asset=ABCDEFGHIJKLM', 'asset=BTC&asset=BTC', 'asset=%00', 'trader=', `trader=${'G'.repeat(55)}`, `trader=${'G'.repeat(57)}`, 'trader=a&trader=b',
  ])
  assert.equal((await fixture.get('/v1/trades?limit=200&before_ts=0&utm_source=somewhere')).status, 200, 'unknown parameters are ignored')
})

test('accepts only the cursors of its own list', async () => {
  const own = cursorIn((await fixture.get('/v1/trades?limit=1')).headers['link'])
  const foreign = cursorIn((await fixture.get('/v1/events?limit=1')).headers['link'])
  const invalid = [encodeCursor('trades', ['9']), encodeCursor('trades', [-1]), encodeCursor('trades', [1.5]), encodeCursor('trades', [1, 2])]
  await assertForeignCursorsRejected(fixture, '/v1/trades', own, [foreign, ...invalid])
})

test('pages contain every row once while new trades arrive', async () => {
  for (const [query, limit] of [['', 1], ['', 3], [`before_ts=${Number.MAX_SAFE_INTEGER}`, 4], ['asset=ETH', 2]] as const) {
    const atStart = (await fixture.get<Trades>(`/v1/trades?${query}&limit=200`)).body.trades
    assert.ok(new Set(atStart.map(({ ts }) => ts)).size < atStart.length, 'rows share a second')
    let rounds = 0
    const pages = await followPages(fixture, `/v1/trades?${query}&limit=${limit}`, 'trades', async () => {
      if (rounds++ > 2) return
      await tradeTogether(rounds)
      await fixture.catchUp()
    })
    assert.deepEqual(pages.flat(), atStart, query)
    assert.ok(pages.slice(0, -1).every((page) => page.length === limit))
  }
})

test('returns fifty rows by default', async () => {
  for (let round = 0; (await rowsOf(fixture, '/v1/trades?limit=200', 'trades')).length <= 50; round++) {
    await tradeTogether(round)
    await fixture.catchUp()
  }
  assert.equal((await rowsOf(fixture, '/v1/trades', 'trades')).length, 50)
})
