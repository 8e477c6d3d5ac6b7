// Candles on the stream: the forming candle at every price and print, each candle once as final, and corrections (docs/decisions/candles.md).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldTicks } from '../../src/projections/candles/candles.ts'
import type { Candle } from '../../src/resources/candle.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import type { StreamClient } from '../support/stream-client.ts'
import { applyInOneLedger, createChainTrader, openPosition } from '../support/traders.ts'

const CHANNEL = 'candles.BTC.1m'

async function subscribe(fixture: GatewayFixture, channels: readonly string[] = [CHANNEL]): Promise<StreamClient> {
  const client = await fixture.connect()
  client.send({ op: 'subscribe', channels })
  await client.settle()
  return client
}

function candlesOf(client: StreamClient, channel = CHANNEL): readonly Candle[] {
  return client.of(channel).map(({ data }) => data as unknown as Candle)
}

async function restCandles(fixture: GatewayFixture, query: string): Promise<readonly Candle[]> {
  return (await fixture.get<{ candles: readonly Candle[] }>(`/v1/candles?${query}`)).body.candles
}

/** Waits for the frames of everything that was stored. */
async function settle(fixture: GatewayFixture, client: StreamClient): Promise<void> {
  await fixture.idle()
  await client.settle()
}

/** Closes a ledger this much later, and waits for the frames of what ended before it. */
async function advance(fixture: GatewayFixture, client: StreamClient, seconds: number): Promise<void> {
  await fixture.control('local_advance', { seconds })
  await fixture.publishLedgers(1)
  await fixture.gateway.stream.tick()
  await settle(fixture, client)
}

test('sends the forming candle when a print is committed and when a price is stored, without a broadcast', async () => {
  await using fixture = await createGatewayFixture({ seed: 'candle stream', traders: 0, listen: true })
  const trader = await createChainTrader(fixture, 'trader')
  await fixture.publishLedgers(2)
  const client = await subscribe(fixture)
  await applyInOneLedger(fixture, [openPosition(trader, { asset: 'BTC', direction: 0, collateral: 100, leverage: 2 })])
  await fixture.publishLedgers(1)
  await settle(fixture, client)
  const withPrint = candlesOf(client).at(-1)
  assert.deepEqual([withPrint?.volume, withPrint?.trades, withPrint?.final], ['2000000000', 1, false])
  await fixture.control('local_setPrice', { asset: 'BTC', price: '999000000000' })
  await fixture.gateway.oracle.step()
  await settle(fixture, client)
  assert.equal(candlesOf(client).at(-1)?.close, 99_900)
  assert.deepEqual(candlesOf(client).at(-1), (await restCandles(fixture, 'asset=BTC&interval=1m&limit=1'))[0])
})

test('sends each candle once as final when ledger time passes its end, filled ones included', async () => {
  await using fixture = await createGatewayFixture({ seed: 'candle stream', traders: 0, listen: true })
  await fixture.publishLedgers(2)
  const client = await subscribe(fixture, [CHANNEL, 'candles.BTC.1h'])
  await fixture.gateway.stream.tick()
  await settle(fixture, client)
  const [forming] = candlesOf(client)
  assert.ok(forming !== undefined && !forming.final)
  fixture.clock.advance(120_000)
  await fixture.gateway.stream.tick()
  await settle(fixture, client)
  assert.ok(candlesOf(client).every(({ final }) => !final), 'no ledger has closed')
  await fixture.control('local_advance', { seconds: 3_600 })
  await fixture.publishLedgers(1)
  await fixture.gateway.stream.tick()
  await fixture.gateway.stream.tick()
  await settle(fixture, client)
  for (const [channel, interval] of [[CHANNEL, '1m'], ['candles.BTC.1h', '1h']] as const) {
    const finals = candlesOf(client, channel).filter(({ final, revision }) => final && revision === undefined)
    const rest = (await restCandles(fixture, `asset=BTC&interval=${interval}&from=${finals[0]?.time}&limit=5000`)).filter(({ final }) => final)
    assert.deepEqual(finals.map(({ time }) => time), rest.map(({ time }) => time))
    assert.ok(finals.length >= (interval === '1m' ? 60 : 1))
  }
})

test('sends a candle again with a revision when a price of it comes late', async () => {
  await using fixture = await createGatewayFixture({ seed: 'candle stream', traders: 0, listen: true })
  await fixture.publishLedgers(2)
  const client = await subscribe(fixture)
  await fixture.gateway.stream.tick()
  await advance(fixture, client, 180)
  const final = candlesOf(client).find((candle) => candle.final && candle.filled === true)
  assert.ok(final !== undefined)
  const received = candlesOf(client).length
  await foldTicks(fixture.store.write, [{ asset: 'BTC', price: 1_234_0000000n, timestampSec: final.time + 10 }])
  await fixture.gateway.stream.tick()
  await settle(fixture, client)
  const later = candlesOf(client).slice(received).filter((candle) => candle.time === final.time)
  assert.deepEqual(later, [{
    time: final.time, open: 1_234, high: 1_234, low: 1_234, close: 1_234, volume: '0', trades: 0, final: true, source: 'noeracle', revision: 1,
  }])
  await fixture.gateway.stream.tick()
  await settle(fixture, client)
  assert.equal(candlesOf(client).filter(({ time, revision }) => time === final.time && revision === 1).length, 1, 'once')
})

test('sends the final candles again that repeat a close which a late price has changed, and no others', async () => {
  await using fixture = await createGatewayFixture({ seed: 'candle stream', traders: 0, listen: true })
  await fixture.publishLedgers(2)
  const client = await subscribe(fixture)
  await fixture.gateway.stream.tick()
  await advance(fixture, client, 600)
  const finals = candlesOf(client).filter(({ final }) => final)
  const [start = 0, first] = finals.map(({ time }) => time)
  assert.ok(first !== undefined && finals.length >= 10 && finals.slice(1).every(({ filled }) => filled))
  const minute = (index: number): number => start + index * 60
  const fold = async (...ticks: readonly (readonly [dollars: bigint, timestampSec: number])[]): Promise<readonly unknown[]> => {
    const received = candlesOf(client).length
    await foldTicks(fixture.store.write, ticks.map(([dollars, timestampSec]) => ({ asset: 'BTC', price: dollars * 10_000_000n, timestampSec })))
    await fixture.gateway.stream.tick()
    await settle(fixture, client)
    const rest = await restCandles(fixture, `asset=BTC&interval=1m&from=${start}&limit=5000`)
    return candlesOf(client).slice(received).filter(({ final }) => final).toSorted((a, b) => a.time - b.time).map((candle) => {
      assert.deepEqual(candle, rest.find(({ time }) => time === candle.time))
      return [(candle.time - start) / 60, candle.close, candle.revision]
    })
  }
  const newest = finals.length - 1
  const from = (index: number, to: number, close: number, revision: number): readonly unknown[] =>
    Array.from({ length: to - index + 1 }, (_, at) => [index + at, close, revision])
  assert.deepEqual(await fold([1_234n, minute(6) + 30]), from(6, newest, 1_234, 1), 'up to the newest')
  assert.deepEqual(await fold([1_235n, minute(6) + 20]), [[6, 1_234, 2]], 'the close has not changed')
  assert.deepEqual(await fold([1_000n, minute(2) + 30], [1_001n, minute(4)]), [...from(2, 3, 1_000, 1), ...from(4, 5, 1_001, 1)], 'up to the next price')
  assert.deepEqual(await fold([1_001n, minute(8)]), [[8, 1_001, 2], ...from(9, newest, 1_001, 2)], 'from a new price in between')
  assert.deepEqual(await fold([1_001n, minute(9)]), [[9, 1_001, 3]], 'with the same close as before')
})

test('sends every candle that a long jump of ledger time ends, also more than a client\'s buffer holds', async () => {
  await using fixture = await createGatewayFixture({ seed: 'candle stream', traders: 0, listen: true })
  await fixture.publishLedgers(2)
  const assets = fixture.deployment.current.assets.symbols
  const channels = assets.map((asset) => `candles.${asset}.1m`)
  const client = await subscribe(fixture, channels)
  await fixture.gateway.stream.tick()
  await advance(fixture, client, 2 * 86_400)
  for (const [index, channel] of channels.entries()) {
    const [first, ...later] = candlesOf(client, channel)
    const expected: number[] = []
    let cursor = ''
    do {
      const { body } = await fixture.get<{ candles: readonly Candle[]; nextCursor: string | null }>(
        `/v1/candles?asset=${assets[index]}&interval=1m&from=${first?.time}&limit=5000${cursor}`)
      expected.unshift(...body.candles.filter(({ final }) => final).map(({ time }) => time))
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`
    } while (cursor !== '')
    assert.ok(expected.length >= 2_880)
    assert.deepEqual(later.filter(({ final }) => final).map(({ time }) => time), expected, channel)
    assert.ok(later.at(-1)?.final === false, 'the forming candle comes last')
  }
})

test('property: after any prices, jumps and corrections, the frames that a client received are the candles of REST', async () => {
  const channels = [['BTC', '1m'], ['BTC', '1h'], ['ETH', '5m']] as const
  const operation = fc.oneof(
    fc.record({ kind: fc.constant('advance' as const), seconds: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 3_600, max: 100_000 })) }),
    fc.record({
      kind: fc.constant('price' as const), asset: fc.constantFrom('BTC', 'ETH'), dollars: fc.integer({ min: 100, max: 104 }),
      backSec: fc.integer({ min: 0, max: 4_000 }),
    }),
    fc.record({ kind: fc.constant('tick' as const) }),
  )
  await fc.assert(fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
    await using fixture = await createGatewayFixture({ seed: 'candle stream', traders: 0, listen: true })
    await fixture.publishLedgers(2)
    const client = await subscribe(fixture, channels.map(([asset, interval]) => `candles.${asset}.${interval}`))
    await fixture.gateway.stream.tick()
    for (const one of operations) {
      if (one.kind === 'advance') {
        await fixture.control('local_advance', { seconds: one.seconds })
        await fixture.publishLedgers(1)
      } else if (one.kind === 'price') {
        const nowSec = fixture.network.chain.history.latest().closeTimeSec
        await foldTicks(fixture.store.write, [{ asset: one.asset, price: BigInt(one.dollars) * 10_000_000n, timestampSec: nowSec - one.backSec }])
      } else {
        await fixture.gateway.stream.tick()
      }
    }
    await fixture.gateway.stream.tick()
    await settle(fixture, client)
    for (const [asset, interval] of channels) {
      const received = candlesOf(client, `candles.${asset}.${interval}`)
      const from = received[0]?.time ?? 0
      const latest = new Map(received.map((candle) => [candle.time, candle]))
      const rest = (await restCandles(fixture, `asset=${asset}&interval=${interval}&from=${from}&limit=5000`)).filter(({ time }) => time >= from)
      for (const candle of rest) assert.deepEqual(latest.get(candle.time), candle, `${asset} ${interval}`)
      const finals = received.filter(({ final, revision }) => final && revision === undefined).map(({ time }) => time)
      assert.equal(new Set(finals).size, finals.length, 'once as final')
    }
  }), { numRuns: fuzzRuns(6) })
})
