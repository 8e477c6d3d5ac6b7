// GET /v1/trades.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeCursor } from '../../src/projections/page.ts'
import type { EventRow } from '../../src/resources/event-row.ts'
import type { RealizedTrade } from '../../src/resources/realized-trade.ts'
import { assertForeignCursorsRejected, assertRejected, badIntegers, cursorIn, followPages, rowsOf } from '../support/pagination.ts'
import { closePosition, createChainTrader, applyInOneLedger, movePrice, readOpenPositionIds, openPosition } from '../support/chain-traders.ts'
import type { ChainTrader } from '../support/chain-traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture, GatewayResponse } from '../support/gateway-fixture.ts'

interface Trades {
  readonly trades: readonly RealizedTrade[]
}

/** What happened before it is history that the index never saw. */
const START_LEDGER = 30
const ASSETS = ['BTC', 'ETH', 'XLM', 'HYPE'] as const

let world: GatewayFixture
let people: readonly ChainTrader[]
let early: ChainTrader
let gambler: ChainTrader
let untouched: GatewayResponse<Trades>

/** Everybody opens in one ledger and closes in another: trades that share a second. */
async function tradeAtOnce(round: number): Promise<void> {
  const asset = ASSETS[round % ASSETS.length] ?? 'BTC'
  await applyInOneLedger(world, people.map((person, index) => openPosition(person, { asset, direction: index % 2 === 0 ? 0 : 1, collateral: 20 + index, leverage: 2 })))
  const ids = await Promise.all(people.map((person) => readOpenPositionIds(world, person)))
  await applyInOneLedger(world, people.map((person, index) => closePosition(person, ids[index]?.[0] ?? 0)))
}

before(async () => {
  world = await createGatewayFixture({ traders: 0, seed: 'trades', startLedger: START_LEDGER })
  await world.closeLedgers(4)
  early = await createChainTrader(world, 'early')
  gambler = await createChainTrader(world, 'gambler')
  people = await Promise.all(['ada', 'ben', 'cleo', 'dan', 'eve'].map((name) => createChainTrader(world, name)))
  await applyInOneLedger(world, [openPosition(early, { asset: 'ETH', direction: 0, collateral: 50, leverage: 2 })])
  assert.ok(world.network.chain.history.latest().sequence < START_LEDGER)
  await world.closeLedgers(START_LEDGER)
  untouched = await world.get<Trades>('/v1/trades')

  for (let round = 0; round < 4; round++) await tradeAtOnce(round)
  await applyInOneLedger(world, [closePosition(early, (await readOpenPositionIds(world, early))[0] ?? 0)])
  await applyInOneLedger(world, [openPosition(gambler, { asset: 'SOL', direction: 0, collateral: 100, leverage: 10 })])
  await movePrice(world, 'SOL', 80)
  await world.closeLedgers(5)
  await world.catchUp()
})
after(() => world[Symbol.asyncDispose]())

test('an empty list, no error, while nothing is indexed', () => {
  assert.deepEqual([untouched.status, untouched.body], [200, { trades: [] }])
  assert.deepEqual([untouched.headers['x-ledger'], untouched.headers['x-seq'], untouched.headers['link']], ['0', '0', undefined])
})

test('newest first, each row with exactly the specified fields', async () => {
  const { status, body, headers } = await world.get<Trades>('/v1/trades')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['trades'])
  assert.equal(body.trades.length, 22)
  assert.equal(headers['cache-control'], 'no-cache')
  assert.equal(headers['x-ledger'], String(world.network.chain.history.latest().sequence))
  for (const row of body.trades) {
    assert.deepEqual(Object.keys(row), [
      'positionId', 'trader', 'kind', 'ledger', 'ts', 'txHash', 'asset', 'direction', 'size', 'entryPrice', 'closePrice', 'pnl',
    ])
    assert.ok(Number.isInteger(row.positionId) && Number.isInteger(row.ledger) && Number.isInteger(row.ts))
    assert.match(row.trader, /^[GC][A-Z2-7]{55}$/)
    assert.match(row.txHash, /^[0-9a-f]{64}$/)
    assert.match(row.closePrice, /^[1-9]\d*$/)
  }
  const order = body.trades.map(({ ledger }) => ledger)
  assert.deepEqual(order, order.toSorted((a, b) => b - a))
})

test('the legs and the result are those of the contract\'s own events', async () => {
  const { trades } = (await world.get<Trades>('/v1/trades')).body
  const events = (await rowsOf(world, '/v1/events?limit=500', 'events')) as unknown as readonly EventRow[]
  const said = (topic: string, id: number) => events
    .map((event) => ({ ...event, payload: event.payload as Record<string, unknown> }))
    .find(({ payload }) => payload['topic'] === topic && payload['positionId'] === id)
  for (const trade of trades) {
    const opened = said('position_opened', trade.positionId)
    const ended = said(trade.kind === 'close' ? 'position_closed' : 'position_liquidated', trade.positionId)
    assert.ok(ended !== undefined)
    assert.deepEqual([trade.ledger, trade.ts, trade.txHash], [ended.ledger, ended.ledgerCloseTs, ended.txHash])
    assert.deepEqual([trade.trader, trade.closePrice, trade.pnl], [ended.payload['trader'], ended.payload['closePrice'], ended.payload['pnl'] ?? null])
    const leg = opened?.payload
    assert.deepEqual(
      [trade.asset, trade.direction, trade.size, trade.entryPrice],
      leg === undefined ? [null, null, null, null] : [leg['asset'], leg['direction'], leg['size'], leg['entryPrice']],
    )
  }
})

test('an open that predates the index leaves its four fields null, and the close has its result all the same', async () => {
  const [row, ...others] = (await world.get<Trades>(`/v1/trades?trader=${early.address}`)).body.trades
  assert.deepEqual(others, [])
  assert.deepEqual([row?.kind, row?.asset, row?.direction, row?.size, row?.entryPrice], ['close', null, null, null, null])
  assert.match(String(row?.pnl), /^-?\d+$/)
  assert.match(String(row?.closePrice), /^\d+$/)
  for (const asset of ['ETH', 'BTC']) {
    const { trades } = (await world.get<Trades>(`/v1/trades?asset=${asset}`)).body
    assert.ok(trades.every(({ trader }) => trader !== early.address), 'a trade of unknown asset matches no asset')
  }
})

test('a liquidation has no pnl', async () => {
  const [row, ...others] = (await world.get<Trades>(`/v1/trades?trader=${gambler.address}`)).body.trades
  assert.deepEqual(others, [])
  assert.deepEqual([row?.kind, row?.asset, row?.direction, row?.size, row?.pnl], ['liquidation', 'SOL', 0, row?.size, null])
  assert.match(String(row?.size), /^\d+$/)
})

test('filters by trader and by asset in any case; what nobody traded is an empty list', async () => {
  const all = (await world.get<Trades>('/v1/trades?limit=200')).body.trades
  const only = async (query: string) => (await world.get<Trades>(`/v1/trades?${query}`)).body.trades
  const [ada] = people
  assert.ok(ada)
  assert.deepEqual(await only(`trader=${ada.address}`), all.filter(({ trader }) => trader === ada.address))
  assert.deepEqual(await only('asset=hYpE'), all.filter(({ asset }) => asset === 'HYPE'))
  assert.deepEqual(await only(`asset=xlm&trader=${ada.address}`), all.filter(({ asset, trader }) => asset === 'XLM' && trader === ada.address))
  for (const query of ['asset=NOPE', `trader=${'G'.repeat(56)}`, 'asset=LTC', `trader=${"'".repeat(56)}`, 'asset=%25', 'before_ts=0']) {
    assert.deepEqual(await only(query), [], query)
  }
})

test('before_ts is strictly older', async () => {
  const all = (await world.get<Trades>('/v1/trades?limit=200')).body.trades
  for (const ts of new Set(all.map((row) => row.ts))) {
    assert.deepEqual((await world.get<Trades>(`/v1/trades?before_ts=${ts}`)).body.trades, all.filter((row) => row.ts < ts))
    assert.deepEqual((await world.get<Trades>(`/v1/trades?before_ts=${ts + 1}`)).body.trades, all.filter((row) => row.ts <= ts))
  }
  assert.deepEqual((await world.get<Trades>(`/v1/trades?before_ts=${Number.MAX_SAFE_INTEGER}`)).body.trades, all)
})

test('limit cuts the list, and more rows are announced only where there are more', async () => {
  const all = (await world.get<Trades>('/v1/trades?limit=200')).body.trades
  for (const limit of [1, 7, 21, 22, 200]) {
    const { body, headers } = await world.get<Trades>(`/v1/trades?limit=${limit}`)
    assert.deepEqual(body.trades, all.slice(0, limit))
    assert.equal(headers['link'] === undefined, limit >= 22, `limit=${limit}`)
  }
})

test('what is no integer in range, given twice, empty or too long is refused by name', async () => {
  await assertRejected(world, '/v1/trades', [
    ...badIntegers('limit', 1, 200), ...badIntegers('before_ts', 0),
    'asset=', 'asset=ABCDEFGHIJKLM', 'asset=BTC&asset=BTC', 'asset=%00', 'trader=', `trader=${'G'.repeat(55)}`, `trader=${'G'.repeat(57)}`, 'trader=a&trader=b',
  ])
  assert.equal((await world.get('/v1/trades?limit=200&before_ts=0&utm_source=somewhere')).status, 200, 'what is not known is ignored')
})

test('a cursor is good for the list that handed it out', async () => {
  const own = cursorIn((await world.get('/v1/trades?limit=1')).headers['link'])
  const foreign = cursorIn((await world.get('/v1/events?limit=1')).headers['link'])
  const nowhere = [encodeCursor('trades', ['9']), encodeCursor('trades', [-1]), encodeCursor('trades', [1.5]), encodeCursor('trades', [1, 2])]
  await assertForeignCursorsRejected(world, '/v1/trades', own, [foreign, ...nowhere])
})

test('the pages hold every row once, while new trades of the same seconds arrive', async () => {
  for (const [query, limit] of [['', 1], ['', 3], [`before_ts=${Number.MAX_SAFE_INTEGER}`, 4], ['asset=ETH', 2]] as const) {
    const atStart = (await world.get<Trades>(`/v1/trades?${query}&limit=200`)).body.trades
    assert.ok(new Set(atStart.map(({ ts }) => ts)).size < atStart.length, 'rows share a second')
    let rounds = 0
    const pages = await followPages(world, `/v1/trades?${query}&limit=${limit}`, 'trades', async () => {
      if (rounds++ > 2) return
      await tradeAtOnce(rounds)
      await world.catchUp()
    })
    assert.deepEqual(pages.flat(), atStart, query)
    assert.ok(pages.slice(0, -1).every((page) => page.length === limit))
  }
})

test('fifty rows when no limit is given', async () => {
  for (let round = 0; (await rowsOf(world, '/v1/trades?limit=200', 'trades')).length <= 50; round++) {
    await tradeAtOnce(round)
    await world.catchUp()
  }
  assert.equal((await rowsOf(world, '/v1/trades', 'trades')).length, 50)
})
