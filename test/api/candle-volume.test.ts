// Volume, density, finality and revisions of candles (additions to the specification, "Market data"), with history from before the first start.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { CANDLE_INTERVALS } from '../../src/resources/candle.ts'
import type { Candle } from '../../src/resources/candle.ts'
import type { Market } from '../../src/resources/market.ts'
import type { MarketStats } from '../../src/resources/market-stats.ts'
import type { RealizedTrade } from '../../src/resources/realized-trade.ts'
import type { UdfHistory } from '../../src/resources/udf.ts'
import { bucketStart, CANDLE_WIDTHS, foldTicks } from '../../src/projections/candles/candles.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { serveHttp } from '../support/http-server.ts'
import type { HttpServer } from '../support/http-server.ts'
import { followPages } from '../support/pagination.ts'

interface Candles {
  readonly candles: readonly Candle[]
  readonly source: string
}

for (const generation of ['1', '2'] as const) {
  test(`counts every open, close, partial close and liquidation once, in every interval, on generation ${generation}`, async () => {
    await using fixture = await createGatewayFixture({ seed: 'volume', generation })
    for (let minute = 0; minute < 4; minute++) {
      await fixture.closeLedgers(25)
      await fixture.catchUp()
      fixture.clock.advance(40_000)
    }
    const trades = (await followPages(fixture, '/v1/trades?include_opens=true&limit=200', 'trades')).flat() as unknown as readonly RealizedTrade[]
    const prints = trades.filter(({ kind }) => kind !== 'adl' && kind !== 'cross_liquidation')
    assert.ok(prints.length > 20)
    for (const asset of ASSET_SYMBOLS) {
      for (const interval of CANDLE_INTERVALS) {
        const { body }: { readonly body: Candles } = await fixture.get<Candles>(`/v1/candles?asset=${asset}&interval=${interval}`)
        for (const { time, volume, trades: count } of body.candles) {
          const own = prints.filter((print) => print.asset === asset && bucketStart(print.ts, interval) === time)
          const sum = own.reduce((total, { size }) => total + BigInt(size ?? '0'), 0n)
          assert.deepEqual([volume, count], [String(sum), own.length], `${asset} ${interval} ${time}`)
        }
      }
    }
  })
}

test('a forming candle is final when a ledger has closed after its end, whatever the wall clock says', async () => {
  await using fixture = await createGatewayFixture({ seed: 'final', traders: 0 })
  const newest = async (): Promise<Candle | undefined> => (await fixture.get<Candles>('/v1/candles?asset=BTC&interval=1h&limit=1')).body.candles[0]
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  const forming = await newest()
  assert.equal(forming?.final, false)
  fixture.clock.advance(3_600_000)
  assert.equal((await newest())?.final, false, 'no ledger has closed since')
  await fixture.control('local_advance', { seconds: 1 })
  await fixture.catchUp()
  const { body } = await fixture.get<Candles>('/v1/candles?asset=BTC&interval=1h&limit=2')
  assert.deepEqual(body.candles.map(({ time, final }) => [time, final]), [[forming.time, true], [forming.time + 3_600, false]])
})

test('advancing the clock of the local network by an hour finishes candles, and every bucket in between is filled', async () => {
  await using fixture = await createGatewayFixture({ seed: 'final', traders: 0 })
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  const [forming] = (await fixture.get<Candles>('/v1/candles?asset=ETH&interval=1m&limit=1')).body.candles
  assert.ok(forming !== undefined)
  await fixture.control('local_advance', { seconds: 3_600 })
  await fixture.catchUp()
  const { body } = await fixture.get<Candles>(`/v1/candles?asset=ETH&interval=1m&from=${forming.time}&limit=5000`)
  assert.equal(body.candles.length, 61)
  assert.deepEqual(body.candles[0], { ...forming, final: true })
  const price: number = forming.close
  for (const [index, candle] of body.candles.entries()) {
    if (index === 0) continue
    assert.deepEqual(candle, {
      time: forming.time + index * 60, open: price, high: price, low: price, close: price, volume: '0', trades: 0, final: index < 60, source: 'noeracle',
      filled: true,
    })
  }
})

test('a tick that comes late gives the candle a revision, and the same tick again does not', async () => {
  await using fixture = await createGatewayFixture({ seed: 'late', traders: 0 })
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  await fixture.control('local_advance', { seconds: 300 })
  await fixture.catchUp()
  const { body } = await fixture.get<Candles>('/v1/candles?asset=BTC&interval=1m&limit=4')
  const [, filled, , forming] = body.candles
  assert.ok(filled?.filled === true && filled.final && forming !== undefined)
  const late = { asset: 'BTC', price: 1_000_000_0000000n, timestampSec: filled.time + 30 }
  const read = async (): Promise<Candle | undefined> => {
    return (await fixture.get<Candles>(`/v1/candles?asset=BTC&interval=1m&from=${filled.time}&limit=1000`)).body.candles[0]
  }
  for (let again = 0; again < 2; again++) {
    await foldTicks(fixture.store.write, [late])
    const prices = { open: 1_000_000, high: 1_000_000, low: 1_000_000, close: 1_000_000 }
    assert.deepEqual(await read(), { time: filled.time, ...prices, volume: '0', trades: 0, final: true, source: 'noeracle', revision: 1 })
  }
  await foldTicks(fixture.store.write, [{ ...late, price: 2_000_000_0000000n, timestampSec: filled.time + 31 }])
  assert.deepEqual([(await read())?.close, (await read())?.revision], [2_000_000, 2])
  const day = (await fixture.get<Candles>('/v1/candles?asset=BTC&interval=1d&limit=1')).body.candles[0]
  assert.deepEqual([day?.high, day?.final, day?.revision], [2_000_000, false, undefined], 'a forming candle has no revisions')
})

test('a page is dense and bounded across a gap of months', async () => {
  await using fixture = await createGatewayFixture({ seed: 'gap', traders: 0 })
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  const now = Math.floor(fixture.clock.nowMs() / 1_000)
  const old = bucketStart(now - 180 * 86_400, '1m')
  await foldTicks(fixture.store.write, [{ asset: 'LTC', price: 50_0000000n, timestampSec: old }])
  const first = await fixture.get<Candles>('/v1/candles?asset=LTC&interval=1m&limit=5000')
  assert.equal(first.body.candles.length, 5_000)
  assert.equal(first.body.candles[0]?.filled, true)
  assert.ok(first.headers['link'] !== undefined)
  const end = await fixture.get<Candles>(`/v1/candles?asset=LTC&interval=1m&to=${old + 600}`)
  const expected = Array.from({ length: 10 }, (_, index) => [old + index * 60, index > 0])
  assert.deepEqual(end.body.candles.map(({ time, filled }) => [time, filled === true]), expected)
  assert.equal(end.headers['link'], undefined)
})

let local: GatewayFixture
let outside: HttpServer

before(async () => {
  local = await createGatewayFixture({ seed: 'fresh', traders: 0 })
  outside = await serveKlines(local)
  await local.restartGateway({ klinesUrls: [outside.url], hasKlinesOfEveryAsset: true })
  await local.closeLedgers(8)
  await local.catchUp()
})
after(async () => {
  await local[Symbol.asyncDispose]()
  await outside[Symbol.asyncDispose]()
})

/** The klines of a local network that does not listen. */
function serveKlines({ network }: GatewayFixture): Promise<HttpServer> {
  return serveHttp((request, response) => void network.rpc.klines?.(new URL(request.url ?? '', 'http://localnet').searchParams)
    .then(({ status, body }) => response.writeHead(status).end(body)))
}

test('a new local network has days of history of every asset in every interval, continuous with its first price', async () => {
  for (const asset of ASSET_SYMBOLS) {
    for (const interval of CANDLE_INTERVALS) {
      const { body } = await local.get<Candles>(`/v1/candles?asset=${asset}&interval=${interval}&limit=1000`)
      const width = CANDLE_WIDTHS.get(interval) ?? 0
      assert.equal(body.source, 'noeracle')
      assert.ok(body.candles.length >= Math.min(1_000, Math.floor(28 * 86_400 / width)), `${asset} ${interval}`)
      for (const [index, { time }] of body.candles.entries()) assert.equal(time, (body.candles[0]?.time ?? 0) + index * width)
      const first = body.candles.findIndex(({ source }) => source === 'noeracle')
      assert.ok(first > 0 && body.candles.slice(0, first).every(({ source, final }) => source === 'binance' && final), `${asset} ${interval}`)
      if (interval !== '1m') continue
      const [last, native] = [body.candles[first - 1]?.close ?? 0, body.candles[first]?.open ?? 0]
      assert.ok(Math.abs(native / last - 1) < 0.01, `${asset}: ${last} is continued by ${native}`)
    }
  }
  outside.requests.length = 0
  await local.get('/v1/candles?asset=BTC&interval=1h&limit=900')
  assert.deepEqual(outside.requests, [], 'a closed range is requested once')
})

test('a new local network has the change, high and low of the past 24 hours of every asset, as its candles show them', async () => {
  const { body: { markets } } = await local.get<{ markets: readonly Market[] }>('/v1/markets')
  assert.deepEqual(markets.map(({ asset }) => asset.symbol).toSorted(), ASSET_SYMBOLS.toSorted())
  const startSec = Math.floor(local.clock.nowMs() / 1_000) - 86_400
  for (const { asset: { symbol }, oracle, change24h, high24h, low24h } of markets) {
    const { body: { candles } } = await local.get<Candles>(`/v1/candles?asset=${symbol}&interval=5m&from=${startSec - 600}`)
    const reference = candles.findLast(({ time }) => time + 300 <= startSec)?.close ?? 0
    const since = [reference, oracle.priceFloat, ...candles.filter(({ time }) => time + 300 > startSec).flatMap(({ high, low }) => [high, low])]
    assert.deepEqual([Number(high24h) / 1e7, Number(low24h) / 1e7], [Math.max(...since), Math.min(...since)], symbol)
    assert.ok(change24h !== null && Math.abs(change24h - (oracle.priceFloat / reference - 1) * 100) < 0.001, `${symbol}: ${change24h} percent`)
  }
  const { body: { stats } } = await local.get<{ stats: readonly MarketStats[] }>('/v1/markets/stats')
  assert.ok(stats.every(({ change24h }) => change24h !== null))
})

for (const { state, hole, native } of [
  { state: 'before the first native candle', hole: 0, native: false },
  { state: 'across the first native candle', hole: 0, native: true },
  { state: 'across a hole that is longer than a page', hole: 2_500, native: true },
]) {
  test(`pages lead to the oldest external candle ${state}, without a gap or a repetition`, async () => {
    await using fixture = await createGatewayFixture({ seed: 'border', traders: 0 })
    await using klines = await serveKlines(fixture)
    await fixture.restartGateway({ klinesUrls: [klines.url], hasKlinesOfEveryAsset: true })
    const url = '/v1/candles?asset=BTC&interval=15m&limit=300'
    const { network, clock } = fixture
    const oldest = async (): Promise<number> => {
      const { body } = await network.rpc.klines?.(new URLSearchParams('symbol=BTCUSDT&interval=15m&limit=1&startTime=0')) ?? assert.fail('no klines')
      return Number(JSON.parse(String(body))[0][0]) / 1_000
    }
    if (native) {
      const time = bucketStart(Math.floor(clock.nowMs() / 1_000), '15m') + hole * 900
      clock.advance(hole * 900_000)
      await foldTicks(fixture.store.write, [{ asset: 'BTC', price: 50_000_0000000n, timestampSec: time }])
    }
    const pages = (await followPages(fixture, url, 'candles')) as unknown as readonly (readonly Candle[])[]
    const all = pages.toReversed().flat()
    assert.equal(all[0]?.time, await oldest())
    for (const [index, { time }] of all.entries()) assert.equal(time, (all[0]?.time ?? 0) + index * 900)
    assert.ok(all.length > 2_000 + hole)
    const first = all.findIndex(({ source }) => source === 'noeracle')
    assert.equal(first > 0, native)
    assert.ok(all.slice(0, first).every(({ source }) => source === 'binance'))
    const from = (all[0]?.time ?? 0) + 9_000
    const ranged = (await followPages(fixture, `${url}&from=${from}&to=${from + 900 * 700}`, 'candles')).toReversed().flat()
    assert.deepEqual(ranged, all.slice(10, 710))
    klines.requests.length = 0
    await followPages(fixture, native ? url : `${url}&to=${from + 900 * 700}`, 'candles')
    assert.deepEqual(klines.requests, [], 'the past is requested once')
  })
}

test('bars of the chart feed have volume, history and every bucket', async () => {
  const now = Math.floor(local.clock.nowMs() / 1_000)
  for (const [resolution, width] of [['1', 60], ['60', 3_600], ['1D', 86_400]] as const) {
    const { body } = await local.get<UdfHistory>(`/udf/history?symbol=HYPE&resolution=${resolution}&from=0&to=${now + 60}&countback=25`)
    assert.equal(body.s, 'ok')
    assert.equal(body.t?.length, 25)
    for (const [index, time] of (body.t ?? []).entries()) assert.equal(time, (body.t?.[0] ?? 0) + index * width)
    for (const column of [body.o, body.h, body.l, body.c, body.v]) assert.ok(column?.length === 25 && column.every((value) => typeof value === 'number'))
  }
})
