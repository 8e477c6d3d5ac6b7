// The feed for TradingView's charts, asked as their own adapter asks.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import { UDF_BARS_MAX } from '../../src/limits.ts'
import { foldTicks } from '../../src/projections/candles.ts'
import type { UdfConfiguration, UdfFound, UdfHistory, UdfSymbol } from '../../src/resources/udf.ts'
import { assertRefused } from '../support/pages.ts'
import { createWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'

const HOUR_SEC = 3_600
/** A whole hour, long before the world's own prices. */
const START_SEC = 1_700_002_800
const HOURS = UDF_BARS_MAX + 500
/** An hour without prices. */
const QUIET = 10

let world: World

const price = (hour: number): bigint => BigInt(50_000 + hour) * 10_000_000n
const at = (hour: number): number => START_SEC + hour * HOUR_SEC

before(async () => {
  world = await createWorld({ traders: 0, seed: 'charts' })
  await world.closeLedgers(3)
  await world.settle()
  const ticks = Array.from({ length: HOURS }, (_, hour) => [0, 1_800].map((later) => ({ asset: 'LTC', price: price(hour), timestampSec: at(hour) + later })))
  for (let from = 0; from < HOURS; from += 500) await foldTicks(world.store.write, ticks.filter((_, hour) => hour !== QUIET).slice(from, from + 500).flat())
})
after(() => world[Symbol.asyncDispose]())

async function history(query: string): Promise<UdfHistory> {
  const { status, body, headers } = await world.get<UdfHistory>(`/udf/history?symbol=ltc&resolution=60&${query}`)
  assert.equal(status, 200, query)
  assert.ok(Number(headers['x-ledger']) > 0)
  return body
}

test('what the feed says that it can do, it can: every width of every market', async () => {
  const { body: { supported_resolutions: resolutions, ...can } } = await world.get<UdfConfiguration>('/udf/config')
  assert.deepEqual(can, { supports_group_request: false, supports_marks: false, supports_search: true, supports_timescale_marks: false, supports_time: true })
  const now = Math.floor(world.clock.nowMs() / 1000)
  assert.equal(Number((await world.get('/udf/time')).text), now)
  const { body: found } = await world.get<readonly UdfFound[]>('/udf/search?query=&type=&exchange=&limit=30')
  assert.deepEqual(found.map(({ ticker }) => ticker), ASSET_SYMBOLS)
  for (const { ticker } of found) {
    const { body: market } = await world.get<UdfSymbol>(`/udf/symbols?symbol=${ticker}`)
    assert.deepEqual([market.ticker, market.supported_resolutions, market.session, market.visible_plots_set], [ticker, resolutions, '24x7', 'ohlc'])
    for (const resolution of [...resolutions, 'D', 'W']) {
      const { body: bars } = await world.get<UdfHistory>(`/udf/history?symbol=${ticker}&resolution=${resolution}&from=${now - 8 * 86_400}&to=${now + 1}`)
      assert.equal(bars.s, 'ok', `${ticker} ${resolution}`)
      assert.ok(bars.t !== undefined && bars.t.length >= 1)
    }
  }
})

test('bars are the candles: ascending, from a time on and up to another, which is exclusive', async () => {
  const bars = await history(`from=${at(2)}&to=${at(5)}`)
  assert.deepEqual(bars, {
    s: 'ok', t: [at(2), at(3), at(4)], o: [50_002, 50_003, 50_004], h: [50_002, 50_003, 50_004], l: [50_002, 50_003, 50_004], c: [50_002, 50_003, 50_004],
  })
  const { body: { candles } } = await world.get<{ candles: readonly { time: number; close: number }[] }>('/v1/candles?asset=LTC&interval=1h&limit=3')
  const same = await history(`from=0&to=4000000000&countback=3`)
  assert.deepEqual(same.t, candles.map(({ time }) => time))
  assert.deepEqual(same.c, candles.map(({ close }) => close))
})

test('a count goes before a start, and reaches over hours without prices', async () => {
  assert.deepEqual((await history(`from=${at(11)}&to=${at(12)}&countback=4`)).t, [at(7), at(8), at(9), at(11)])
  assert.equal((await history(`from=0&to=${at(3)}&countback=50`)).t?.length, 3, 'there are no more')
})

test('where there are no bars, charts are told where to look next, or that there is nothing', async () => {
  assert.deepEqual(await history(`from=${at(QUIET)}&to=${at(QUIET + 1)}`), { s: 'no_data', nextTime: at(QUIET - 1) })
  assert.deepEqual(await history(`from=0&to=${at(0)}`), { s: 'no_data' })
  assert.deepEqual(await history(`from=0&to=${at(0)}&countback=10`), { s: 'no_data' })
  assert.deepEqual(await history(`from=-100&to=-50`), { s: 'no_data' })
})

test('an answer has a bound, and the next one goes on where it ended', async () => {
  const newest = await history(`from=0&to=${at(HOURS)}`)
  assert.equal(newest.t?.length, UDF_BARS_MAX)
  assert.equal(newest.t?.at(-1), at(HOURS - 1))
  const older = await history(`from=0&to=${newest.t?.[0]}`)
  assert.equal((older.t?.length ?? 0) + UDF_BARS_MAX, HOURS - 1, 'all but the quiet hour')
  assert.equal((await history(`from=0&to=${at(HOURS)}&countback=100000`)).t?.length, UDF_BARS_MAX)
})

test('prices are shown with as many decimals as they need', async () => {
  const scales = await Promise.all(['BTC', 'XLM'].map(async (symbol) => (await world.get<UdfSymbol>(`/udf/symbols?symbol=${symbol}`)).body.pricescale))
  assert.deepEqual(scales, [100, 1_000_000])
})

test('what does not exist is told in the body, what is no question by a 400', async () => {
  for (const path of ['/udf/symbols?symbol=NOPE', '/udf/history?symbol=NOPE&resolution=60&from=0&to=1']) {
    const { status, body } = await world.get(path)
    assert.deepEqual([status, body], [200, { s: 'error', errmsg: 'unknown_symbol' }])
  }
  const { body } = await world.get<UdfHistory>('/udf/history?symbol=BTC&resolution=7&from=0&to=1')
  assert.deepEqual([body.s, /resolution/.test(body.errmsg ?? '')], ['error', true])
  assert.deepEqual((await world.get<readonly UdfFound[]>('/udf/search?query=bit&limit=1')).body.map(({ ticker }) => ticker), ['BTC'])
  const rest = 'symbol=BTC&resolution=60'
  await assertRefused(world, '/udf/history', [`from=x&to=1&${rest}`, `to=1.5&from=0&${rest}`, `countback=0&from=0&to=1&${rest}`])
  await assertRefused(world, '/udf/symbols', ['symbol=', `symbol=${'x'.repeat(33)}`])
})
