// GET /v1/candles: candles of oracle prices, or an external exchange's klines where there are none.

import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { after, before, test } from 'node:test'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { KLINES_FAILURES_TO_OPEN, KLINES_OPEN_MS, KLINES_TIMEOUT_MS } from '../../src/markets/klines.ts'
import { encodeCursor } from '../../src/projections/log/page.ts'
import type { Candle } from '../../src/resources/candle.ts'
import type { Price } from '../../src/resources/price.ts'
import { END, assertForeignCursorsRejected, assertRejected, badIntegers, cursorIn, followPages } from '../support/pagination.ts'
import { createGatewayFixture, FIXTURE_START_MS } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { serveHttp } from '../support/http-server.ts'
import type { HttpServer } from '../support/http-server.ts'
import type { ApiResponse } from '../support/keys.ts'

interface Candles {
  readonly candles: readonly Candle[]
  readonly source: string
}

/** Longer than external klines are cached. */
const MINUTE_MS = 60_000
const DAY_SEC = 86_400
/** Sunday, 12 July 2026, 23:59:00 UTC, in the week that began before the fixture starts. */
const SUNDAY_EVENING_MS = FIXTURE_START_MS + 6 * 86_400_000 + (12 * 3_600 - 60) * 1_000
const INTERVALS: Readonly<Record<string, number>> = { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': DAY_SEC, '1w': 7 * DAY_SEC }

let fixture: GatewayFixture
let exchange: HttpServer

const OUTSIDE = { open: 100.5, high: 101, low: 99.25, close: 100.75, volume: '0', trades: 0, final: true, source: 'binance' }

/** Responds as the exchange does: up to three klines, newest last, twelve values each, prices as strings. */
const KLINES: RequestListener = (request, response) => {
  const query = new URL(request.url ?? '', 'http://external').searchParams
  const widthMs = (INTERVALS[query.get('interval') ?? ''] ?? 0) * 1_000
  const rows = Array.from({ length: Math.min(3, Number(query.get('limit'))) }, (_, index) => {
    const openMs = Math.floor(FIXTURE_START_MS / widthMs - 2 + index) * widthMs
    return [openMs, '100.50000000', '101.00000000', '99.25000000', '100.75000000', '12.5', openMs + widthMs - 1, '1355.1', 8, '6.1', '660.0', '0']
  })
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(rows))
}

function get(query: string): Promise<ApiResponse<Candles>> {
  return fixture.get<Candles>(`/v1/candles?${query}`)
}

async function candles(query: string): Promise<readonly Candle[]> {
  const { status, body } = await get(query)
  assert.deepEqual([status, body.source], [200, 'noeracle'], query)
  return body.candles
}

/** Publishes this BTC price and lets the ticker read it. Returns the attestation time, in Unix seconds. */
async function tick(price: number): Promise<number> {
  // Closing a ledger gives the chain the current time.
  await fixture.control('local_closeLedger')
  await fixture.control('local_setPrice', { asset: 'BTC', price: String(price * 10_000_000) })
  await fixture.gateway.oracle.step()
  const { body } = await fixture.get<Price>('/v1/markets/BTC/price')
  assert.equal(body.priceFloat, price)
  return body.timestamp
}

before(async () => {
  exchange = await serveHttp(KLINES)
  fixture = await createGatewayFixture({ seed: 'candles', traders: 0, gateway: { klinesUrls: [exchange.url] } })
})
after(async () => {
  await fixture[Symbol.asyncDispose]()
  await exchange[Symbol.asyncDispose]()
})

test('without native candles returns the external klines of the USDT pair and names their source', async () => {
  const { status, body, headers } = await get('asset=btc&interval=1h&limit=2')
  assert.equal(status, 200)
  assert.deepEqual(exchange.requests.splice(0), ['/api/v3/klines?symbol=BTCUSDT&interval=1h&limit=3'])
  assert.deepEqual(body, {
    candles: [
      { time: FIXTURE_START_MS / 1_000 - 3_600, ...OUTSIDE },
      { time: FIXTURE_START_MS / 1_000, ...OUTSIDE, final: false },
    ],
    source: 'binance',
    hasMore: true,
    nextCursor: cursorIn(headers['link']),
  })
  assert.equal(headers['cache-control'], 'no-cache')
  await get('asset=BTC')
  await get('asset=XRP&interval=1w&limit=999')
  assert.deepEqual(exchange.requests.splice(0), ['/api/v3/klines?symbol=BTCUSDT&interval=1h&limit=501', '/api/v3/klines?symbol=XRPUSDT&interval=1w&limit=1000'])
})

test('every interval and every asset but HYPE has an external pair', async () => {
  for (const asset of ASSET_SYMBOLS) assert.equal((await get(`asset=${asset}&interval=4h&limit=1`)).body.candles.length, asset === 'HYPE' ? 0 : 1, asset)
  for (const interval of Object.keys(INTERVALS)) assert.equal((await get(`asset=ETH&interval=${interval}&limit=3`)).body.candles.length, 3, interval)
  assert.ok(exchange.requests.splice(0).every((url) => !url.includes('HYPE')))
})

test('an unknown asset and HYPE have no candles and cause no external request', async () => {
  for (const asset of ['HYPE', 'NOPE', 'shib', '%25', 'BTCUSDT', "'%20or%201=1"]) {
    assert.deepEqual((await get(`asset=${asset}`)).body, { candles: [], source: 'binance', ...END }, asset)
  }
  assert.deepEqual(exchange.requests, [])
})

test('concurrent requests share one external request', async () => {
  fixture.clock.advance(MINUTE_MS)
  const responses = await Promise.all(Array.from({ length: 10 }, () => get('asset=SOL')))
  assert.ok(responses.every(({ body }) => body.candles.length === 3))
  assert.equal(exchange.requests.splice(0).length, 1)
})

/** An empty page whose older candles are unknown. */
function assertUnknown({ status, body, headers }: ApiResponse<Candles>): void {
  const nextCursor = cursorIn(headers['link'])
  assert.deepEqual([status, body], [200, { candles: [], source: 'binance', hasMore: true, nextCursor }])
  assert.equal(typeof nextCursor, 'string')
}

test('says that older candles are unknown when the external exchange hangs, refuses or sends bad JSON, and pauses after a few failures', async () => {
  fixture.clock.advance(MINUTE_MS)
  const received = Promise.withResolvers<void>()
  exchange.respond = () => received.resolve()
  const hanging = get('asset=ADA')
  await received.promise
  fixture.clock.advance(KLINES_TIMEOUT_MS)
  assertUnknown(await hanging)

  exchange.respond = (_request, response) => response.writeHead(451).end('{"code":0,"msg":"restricted location"}')
  assertUnknown(await get('asset=BNB'))
  exchange.respond = (_request, response) => response.writeHead(200).end('[[1783335600000,"1')
  assertUnknown(await get('asset=TRX'))
  assert.equal(exchange.requests.splice(0).length, KLINES_FAILURES_TO_OPEN)

  exchange.respond = KLINES
  for (const asset of ['LTC', 'BCH', 'ZEC']) assertUnknown(await get(`asset=${asset}&limit=7`))
  const { body: { s: state } } = await fixture.get<{ s: string }>('/udf/history?symbol=LTC&resolution=60&from=0&to=1783339200&countback=7')
  assert.equal(state, 'error', 'a chart would take no_data as the beginning of the history')
  assert.deepEqual(exchange.requests, [])
  const { body: { nextCursor } } = await fixture.get<{ nextCursor: string }>('/v1/candles?asset=LTC&limit=7')
  fixture.clock.advance(KLINES_OPEN_MS)
  assert.equal((await get('asset=LTC&limit=7')).body.candles.length, 3)
  assert.ok((await get(`asset=LTC&limit=7&cursor=${nextCursor}`)).body.candles.length > 0, 'the cursor continues after the outage')
  exchange.requests.length = 0
})

test('never stores external klines as native candles', async () => {
  await fixture.restartGateway({ klinesUrls: [] })
  for (const interval of Object.keys(INTERVALS)) {
    assert.deepEqual((await get(`asset=BTC&interval=${interval}`)).body, { candles: [], source: 'binance', ...END })
  }
  await fixture.restartGateway({ klinesUrls: [exchange.url] })
})

/** Of a bucket whose end no ledger has passed. */
const FORMING = { volume: '0', trades: 0, final: false, source: 'noeracle' }

test('groups prices into buckets of every width by attestation time, the current bucket included', async () => {
  exchange.respond = (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
  fixture.clock.advance(SUNDAY_EVENING_MS - fixture.clock.nowMs())
  const first = await tick(100_000)
  assert.ok(first < SUNDAY_EVENING_MS / 1_000 + 10)
  for (const price of [100_050, 99_900, 100_020]) {
    fixture.clock.advance(5_000)
    await tick(price)
  }
  for (const [interval, width] of Object.entries(INTERVALS)) {
    const forming = { time: first - (first % width), open: 100_000, high: 100_050, low: 99_900, close: 100_020, ...FORMING }
    if (interval === '1w') forming.time = Date.UTC(2026, 6, 6) / 1_000
    assert.deepEqual(await candles(`asset=BTC&interval=${interval}`), [forming], interval)
  }
  const asked = exchange.requests.splice(0)
  assert.ok(asked.length === 7 && asked.every((url) => url.includes('&limit=1000&endTime=')), 'older candles are requested once')
  await candles('asset=BTC&interval=1h')
  assert.deepEqual(exchange.requests, [])
})

test('a week starts on Monday, 00:00 UTC', async () => {
  fixture.clock.advance(SUNDAY_EVENING_MS + MINUTE_MS - fixture.clock.nowMs())
  const monday = await tick(100_500)
  assert.ok(monday >= Date.UTC(2026, 6, 13) / 1_000)
  const weeks = await candles('asset=BTC&interval=1w')
  assert.deepEqual(weeks.map(({ time, close }) => [time, close]), [[Date.UTC(2026, 6, 6) / 1_000, 100_020], [Date.UTC(2026, 6, 13) / 1_000, 100_500]])
})

test('returns the same weeks for any limit, also one that reaches back before 1970', async () => {
  const weeks = await candles('asset=BTC&interval=1w')
  assert.ok(weeks.length >= 2)
  for (const query of ['limit=5000', 'limit=5000&from=0', `limit=5000&to=${fixture.clock.nowMs() / 1_000 + 14 * DAY_SEC}`]) {
    assert.deepEqual(await candles(`asset=BTC&interval=1w&${query}`), weeks, query)
  }
})

test('returns the newest `limit` candles, oldest first, one hour wide by default', async () => {
  for (let hour = 1; hour <= 6; hour++) {
    fixture.clock.advance(3_600_000)
    await tick(100_500 + hour)
  }
  const all = await candles('asset=BTC')
  assert.deepEqual(all, await candles('asset=BTC&interval=1h&limit=1000'))
  assert.equal(all.length, 8)
  assert.deepEqual(all.map(({ time }) => time), all.map(({ time }) => time).toSorted((a, b) => a - b))
  assert.ok(all.every(({ time }) => time % 3_600 === 0))
  assert.deepEqual((await candles('asset=BTC&limit=3')), all.slice(-3))
  for (const row of all) assert.deepEqual(Object.keys(row), ['time', 'open', 'high', 'low', 'close', 'volume', 'trades', 'final', 'source'])
  assert.equal(all.at(-1)?.close, 100_506)
})

test('candles survive a restart, and the current bucket continues', async () => {
  const stored = await candles('asset=BTC&interval=1d')
  await fixture.restartGateway({ klinesUrls: [exchange.url] })
  assert.deepEqual(await candles('asset=BTC&interval=1d'), stored)
  fixture.clock.advance(5_000)
  await tick(100_600)
  const last = stored.at(-1)
  assert.deepEqual((await candles('asset=BTC&interval=1d')).at(-1), { ...last, high: 100_600, close: 100_600 })
})

test('pages go back in time and contain every bucket once', async () => {
  const all = await candles('asset=BTC&interval=1h&limit=1000')
  for (const limit of [1, 3, 8]) {
    const pages = await followPages(fixture, `/v1/candles?asset=BTC&limit=${limit}`, 'candles')
    assert.deepEqual(pages.toReversed().flat(), all)
  }
  const { headers } = await get('asset=BTC&limit=1')
  const end = await fixture.get<Candles>(`/v1/candles?asset=BTC&cursor=${encodeCursor('candles-BTC-1h', [0])}`)
  assert.deepEqual(end.body, { candles: [], source: 'noeracle', ...END })
  const foreign = [encodeCursor('candles-BTC-1m', [5]), encodeCursor('candles-ETH-1h', [5]), encodeCursor('trades', [5]), encodeCursor('candles-BTC-1h', ['5'])]
  await assertForeignCursorsRejected(fixture, '/v1/candles', cursorIn(headers['link']), foreign, 'asset=BTC')
})

test('serves external klines before the first native candle, and requests a range of the past once', async () => {
  const [first] = await candles('asset=BTC&interval=1h&limit=1000')
  assert.ok(first !== undefined)
  exchange.respond = (request, response) => {
    const query = new URL(request.url ?? '', 'http://external').searchParams
    const newest = Math.floor(Number(query.get('endTime')) / 3_600_000)
    // History begins 2,500 hours before the first native candle, and lacks one hour.
    const hours = Array.from({ length: 1_000 }, (_, index) => newest - 999 + index).filter((hour) => hour >= first.time / 3_600 - 2_500)
    const rows = hours.filter((hour) => hour !== first.time / 3_600 - 3).map((hour) => [hour * 3_600_000, '100', '102', '99', String(100 + (hour % 7) / 10)])
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(rows))
  }
  await fixture.restartGateway({ klinesUrls: [exchange.url] })
  exchange.requests.length = 0
  const all = await candles('asset=BTC&interval=1h&limit=5000')
  assert.equal(all.length, 2_508)
  for (const [index, { time }] of all.entries()) assert.equal(time, first.time + (index - 2_500) * 3_600)
  assert.deepEqual(all.slice(2_496, 2_501).map(({ source, filled }) => [source, filled]), [
    ['binance', undefined], ['binance', true], ['binance', undefined], ['binance', undefined], ['noeracle', undefined],
  ])
  assert.equal(all[2_497]?.open, all[2_496]?.close)
  assert.deepEqual(exchange.requests.splice(0).map((url) => new URL(url, 'http://external').searchParams.get('endTime')),
    [0, 1, 2, 3].map((chunk) => String((first.time - chunk * 3_600_000) * 1_000 - 1)))
  for (const limit of [700, 1_000]) {
    const pages = await followPages(fixture, `/v1/candles?asset=BTC&limit=${limit}`, 'candles')
    assert.deepEqual(pages.toReversed().flat(), all)
  }
  const old = await get(`asset=BTC&from=${first.time - 7_200}&to=${first.time}`)
  assert.deepEqual([old.body.source, old.body.candles], ['binance', all.slice(2_498, 2_500)])
  assert.deepEqual(exchange.requests, [], 'the past is not requested again')
})

test('requires the asset and names the parameter it rejects', async () => {
  for (const query of ['', 'interval=1h', 'limit=5']) {
    const { status, body } = await fixture.get(`/v1/candles?${query}`)
    assert.equal(status, 400)
    assert.deepEqual(body, {
      statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', message: 'querystring must have required property \'asset\'',
      reason: 'invalid_parameter', parameter: 'asset',
    })
  }
  await assertRejected(fixture, '/v1/candles', ['asset=', 'asset=ABCDEFGHIJKLM', 'asset=BTC&asset=BTC', 'asset=%00'])
  await assertRejected(fixture, '/v1/candles', [
    ...badIntegers('limit', 1, 5000), 'interval=', 'interval=2h', 'from=-1', 'to=x', 'from=1.5', 'to=9999999999', 'interval=1M',
    'interval=1H', 'interval=60', 'interval=1h&interval=1h',
  ].map((query) => `${query}&asset=BTC`))
})
