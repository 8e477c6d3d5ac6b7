// The data feed for TradingView's charts (UDF), requested as TradingView's adapter does.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { UDF_BARS_MAX } from '../../src/limits.ts'
import { foldTicks } from '../../src/projections/candles/candles.ts'
import type { UdfConfiguration, UdfFound, UdfHistory, UdfSymbol } from '../../src/resources/udf.ts'
import { assertRejected } from '../support/pagination.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const HOUR_SEC = 3_600
/** A full hour, long before the network's first price. */
const START_SEC = 1_700_002_800
const HOURS = UDF_BARS_MAX + 500
/** Index of an hour without prices. */
const EMPTY_HOUR = 10

let fixture: GatewayFixture

const price = (hour: number): bigint => BigInt(50_000 + hour) * 10_000_000n
const at = (hour: number): number => START_SEC + hour * HOUR_SEC

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'charts' })
  const ticks = Array.from({ length: HOURS }, (_, hour) => ({ asset: 'LTC', price: price(hour), timestampSec: at(hour) }))
  const withGap = ticks.filter((_, hour) => hour !== EMPTY_HOUR)
  // Before the first ledger: a price that is older than the index's newest ledger also fills the hours after it.
  for (let from = 0; from < withGap.length; from += 500) await foldTicks(fixture.store.write, withGap.slice(from, from + 500))
  await fixture.closeLedgers(3)
  await fixture.catchUp()
})
after(() => fixture[Symbol.asyncDispose]())

async function history(query: string): Promise<UdfHistory> {
  const { status, body, headers } = await fixture.get<UdfHistory>(`/udf/history?symbol=ltc&resolution=60&${query}`)
  assert.equal(status, 200, query)
  assert.ok(Number(headers['x-ledger']) > 0)
  return body
}

test('serves every advertised resolution of every market', async () => {
  const { supported_resolutions: resolutions, ...features } = (await fixture.get<UdfConfiguration>('/udf/config')).body
  assert.deepEqual(features, {
    supports_group_request: false, supports_marks: false, supports_search: true, supports_timescale_marks: false, supports_time: true,
  })
  const now = Math.floor(fixture.clock.nowMs() / 1000)
  assert.equal(Number((await fixture.get('/udf/time')).text), now)
  const { body: found } = await fixture.get<readonly UdfFound[]>('/udf/search?query=&type=&exchange=&limit=30')
  assert.deepEqual(found.map(({ ticker }) => ticker), ASSET_SYMBOLS)
  for (const { ticker } of found) {
    const { body: market } = await fixture.get<UdfSymbol>(`/udf/symbols?symbol=${ticker}`)
    assert.deepEqual([market.ticker, market.supported_resolutions, market.session, market.visible_plots_set], [ticker, resolutions, '24x7', 'ohlcv'])
    for (const resolution of [...resolutions, 'D', 'W']) {
      const { body: bars } = await fixture.get<UdfHistory>(`/udf/history?symbol=${ticker}&resolution=${resolution}&from=${now - 8 * 86_400}&to=${now + 1}`)
      assert.equal(bars.s, 'ok', `${ticker} ${resolution}`)
      assert.ok(bars.t !== undefined && bars.t.length >= 1)
    }
  }
})

test('bars equal the candles, ascending; from is inclusive and to is exclusive', async () => {
  const bars = await history(`from=${at(2)}&to=${at(5)}`)
  assert.deepEqual(bars, {
    s: 'ok', t: [at(2), at(3), at(4)], o: [50_002, 50_003, 50_004], h: [50_002, 50_003, 50_004], l: [50_002, 50_003, 50_004], c: [50_002, 50_003, 50_004],
    v: [0, 0, 0],
  })
  const { body: { candles } } = await fixture.get<{ candles: readonly { time: number; close: number }[] }>('/v1/candles?asset=LTC&interval=1h&limit=3')
  const same = await history(`from=0&to=4000000000&countback=3`)
  assert.deepEqual(same.t, candles.map(({ time }) => time))
  assert.deepEqual(same.c, candles.map(({ close }) => close))
})

test('countback overrides from, and an hour without prices repeats the close before it', async () => {
  const bars = await history(`from=${at(11)}&to=${at(12)}&countback=4`)
  assert.deepEqual(bars.t, [at(8), at(9), at(10), at(11)])
  assert.deepEqual([bars.o?.[2], bars.h?.[2], bars.l?.[2], bars.c?.[2]], [50_009, 50_009, 50_009, 50_009])
  assert.equal((await history(`from=0&to=${at(3)}&countback=50`)).t?.length, 3, 'no earlier bars exist')
})

test('returns no_data without bars, with nextTime when older bars exist', async () => {
  const newest = (await history('from=0&to=4000000000&countback=1')).t?.[0] ?? 0
  assert.ok(newest > at(HOURS))
  assert.deepEqual(await history('from=3000000000&to=4000000000'), { s: 'no_data', nextTime: newest })
  assert.deepEqual(await history(`from=0&to=${at(0)}`), { s: 'no_data' })
  assert.deepEqual(await history(`from=0&to=${at(0)}&countback=10`), { s: 'no_data' })
  assert.deepEqual(await history(`from=-100&to=-50`), { s: 'no_data' })
})

test('nextTime is the newest bar before the range, also one without a price', async () => {
  assert.deepEqual(await history(`from=${at(EMPTY_HOUR) + 60}&to=${at(EMPTY_HOUR) + 120}`), { s: 'no_data', nextTime: at(EMPTY_HOUR) })
  assert.deepEqual(await history(`from=${at(3) + 60}&to=${at(3) + 120}`), { s: 'no_data', nextTime: at(3) })
})

test('the volume of a bar is the USDC of its candle', async () => {
  const volumes = [
    { asset: 'LTC', interval: '1h', time: at(2), volume: '12345600000', trades: 2 }, { asset: 'LTC', interval: '1h', time: at(4), volume: '1', trades: 1 },
  ]
  for (const { asset, interval, time, volume, trades } of volumes) {
    await fixture.store.write.query(
      'insert into idx.candle_volumes (asset, interval, time, volume, trades) values ($1, $2, $3::bigint, $4::numeric, $5::int)',
      [asset, interval, time, volume, trades],
    )
  }
  assert.deepEqual((await history(`from=${at(2)}&to=${at(5)}`)).v, [1234.56, 0, 0.0000001])
})

test('bounds a response, and an earlier range continues without a gap', async () => {
  const newest = await history(`from=0&to=${at(HOURS)}`)
  assert.equal(newest.t?.length, UDF_BARS_MAX)
  assert.equal(newest.t?.at(-1), at(HOURS - 1))
  const older = await history(`from=0&to=${newest.t?.[0]}`)
  assert.equal((older.t?.length ?? 0) + UDF_BARS_MAX, HOURS)
  assert.equal((await history(`from=0&to=${at(HOURS)}&countback=100000`)).t?.length, UDF_BARS_MAX)
})

test('pricescale fits the magnitude of the price', async () => {
  const scales = await Promise.all(['BTC', 'XLM'].map(async (symbol) => (await fixture.get<UdfSymbol>(`/udf/symbols?symbol=${symbol}`)).body.pricescale))
  assert.deepEqual(scales, [100, 1_000_000])
})

test('reports unknown symbols in the body and invalid parameters with 400', async () => {
  for (const path of ['/udf/symbols?symbol=NOPE', '/udf/history?symbol=NOPE&resolution=60&from=0&to=1']) {
    const { status, body } = await fixture.get(path)
    assert.deepEqual([status, body], [200, { s: 'error', errmsg: 'unknown_symbol' }])
  }
  const { body } = await fixture.get<UdfHistory>('/udf/history?symbol=BTC&resolution=7&from=0&to=1')
  assert.deepEqual([body.s, /resolution/.test(body.errmsg ?? '')], ['error', true])
  assert.deepEqual((await fixture.get<readonly UdfFound[]>('/udf/search?query=bit&limit=1')).body.map(({ ticker }) => ticker), ['BTC'])
  const rest = 'symbol=BTC&resolution=60'
  await assertRejected(fixture, '/udf/history', [`from=x&to=1&${rest}`, `to=1.5&from=0&${rest}`, `countback=0&from=0&to=1&${rest}`])
  await assertRejected(fixture, '/udf/symbols', ['symbol=', `symbol=${'x'.repeat(33)}`])
})
