// Against a stub server over real HTTP.

import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import type { VirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createKlines, KLINES_FAILURES_TO_OPEN, KLINES_MAX_BYTES, KLINES_OPEN_MS, KLINES_TIMEOUT_MS } from './klines.ts'
import { anyDeployment } from '../../test/support/deployments.ts'
import { serveHttp } from '../../test/support/http-server.ts'

/** In the format of the exchange: prices are strings. */
const KLINES = [
  [1783335600000, '108421.50000000', '108600.00000000', '108300.25000000', '108512.75000000', '12.5', 1783339199999, '1355000.1', 812, '6.1', '660000.0', '0'],
  [1783339200000, '108512.75000000', '108700.00000000', '108500.00000000', '108650.00000000', '9.1', 1783342799999, '988000.7', 640, '4.4', '478000.2', '0'],
]

function respondsWith(status: number, body: string): RequestListener {
  return (_request, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

function build(baseUrls: readonly string[], clock: VirtualClock = createVirtualClock(0)) {
  return createKlines({ baseUrls, deployment: anyDeployment(), clock, log: silentLog })
}

const QUERY = { asset: 'BTC', interval: '1h', limit: 500 } as const

test('requests the USDT pair and parses the klines', async () => {
  await using exchange = await serveHttp(respondsWith(200, JSON.stringify(KLINES)))
  const candles = await build([`${exchange.url}/`])(QUERY)
  assert.deepEqual(exchange.requests, ['/api/v3/klines?symbol=BTCUSDT&interval=1h&limit=500'])
  assert.deepEqual(candles, [
    { time: 1_783_335_600, open: 108421.5, high: 108600, low: 108300.25, close: 108512.75 },
    { time: 1_783_339_200, open: 108512.75, high: 108700, low: 108500, close: 108650 },
  ])
  assert.equal((await build([exchange.url])({ ...QUERY, limit: 1 }))?.length, 1, 'never more than the limit')
})

test('makes no request for an asset without a pair or without hosts', async () => {
  await using exchange = await serveHttp(respondsWith(200, JSON.stringify(KLINES)))
  assert.deepEqual(await build([exchange.url])({ ...QUERY, asset: 'HYPE' }), [])
  assert.deepEqual(await build([exchange.url])({ ...QUERY, asset: 'NOPE' }), [])
  assert.deepEqual(await build([])(QUERY), [])
  assert.deepEqual(exchange.requests, [])
})

test('requests klines before a time, and of every asset only from the local network', async () => {
  await using exchange = await serveHttp(respondsWith(200, JSON.stringify(KLINES)))
  await build([exchange.url])({ ...QUERY, toSec: 1_783_339_200 })
  const local = createKlines({ baseUrls: [exchange.url], deployment: anyDeployment(), everyAsset: true, clock: createVirtualClock(0), log: silentLog })
  await local({ ...QUERY, asset: 'HYPE' })
  assert.deepEqual(await local({ ...QUERY, asset: 'NOPE' }), [])
  assert.deepEqual(exchange.requests, [
    '/api/v3/klines?symbol=BTCUSDT&interval=1h&limit=500&endTime=1783339199999', '/api/v3/klines?symbol=HYPEUSDT&interval=1h&limit=500',
  ])
})

const REFUSALS: readonly (readonly [title: string, respond: RequestListener])[] = [
  ['a blocked region', respondsWith(451, '{"code":0,"msg":"Service unavailable from a restricted location"}')],
  ['a rate limit', respondsWith(429, '{"code":-1003,"msg":"Too many requests"}')],
  ['an error in place of a list', respondsWith(200, '{"code":-1121,"msg":"Invalid symbol."}')],
  ['truncated JSON', respondsWith(200, JSON.stringify(KLINES).slice(0, 80))],
  ['a page of HTML', respondsWith(200, '<html>maintenance</html>')],
  ['prices that are not numbers', respondsWith(200, JSON.stringify([[1783335600000, 'NaN', '1', '1', '1']]))],
  ['prices of zero', respondsWith(200, JSON.stringify([[1783335600000, '0', '0', '0', '0']]))],
  ['a redirect', (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['a response that is too long', respondsWith(200, `[${' '.repeat(KLINES_MAX_BYTES)}]`)],
  ['a broken connection', (_request, response) => response.destroy()],
]

for (const [title, respond] of REFUSALS) {
  test(`tries the next host after ${title}`, async () => {
    await using bad = await serveHttp(respond)
    await using good = await serveHttp(respondsWith(200, JSON.stringify(KLINES)))
    assert.equal((await build([bad.url, good.url])(QUERY))?.length, 2)
    assert.deepEqual([bad.requests.length, good.requests.length], [1, 1])
    assert.equal(await build([bad.url])(QUERY), undefined, 'no host left')
  })
}

test('times out a host that does not respond', async () => {
  const clock = createVirtualClock(0)
  const received = Promise.withResolvers<void>()
  await using slow = await serveHttp(() => received.resolve())
  await using good = await serveHttp(respondsWith(200, JSON.stringify(KLINES)))
  const asking = build([slow.url, good.url], clock)(QUERY)
  await received.promise
  clock.advance(KLINES_TIMEOUT_MS)
  assert.equal((await asking)?.length, 2)
  assert.equal(clock.pendingTimers(), 0)
})

test('pauses a host after repeated failures', async () => {
  const clock = createVirtualClock(0)
  await using host = await serveHttp(respondsWith(500, JSON.stringify(KLINES)))
  const readKlines = build([host.url], clock)
  for (let call = 0; call < KLINES_FAILURES_TO_OPEN + 5; call++) assert.equal(await readKlines(QUERY), undefined)
  assert.equal(host.requests.length, KLINES_FAILURES_TO_OPEN)
  host.respond = respondsWith(200, JSON.stringify(KLINES))
  clock.advance(KLINES_OPEN_MS)
  assert.equal((await readKlines(QUERY))?.length, 2)
})
