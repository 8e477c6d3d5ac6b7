// Candles of minutes in which the gateway did not run are filled with the prices of trades, and marked (docs/decisions/candles.md).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FILL_DELAY_SEC } from '../../src/markets/candle-filler.ts'
import type { Candle } from '../../src/resources/candle.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { applyInOneLedger, closePosition, createChainTrader, openPosition, readOpenPositionIds } from '../support/traders.ts'

async function candles(fixture: GatewayFixture, query: string): Promise<readonly Candle[]> {
  return (await fixture.get<{ candles: readonly Candle[] }>(`/v1/candles?asset=BTC&${query}`)).body.candles
}

async function setPrice(fixture: GatewayFixture, price: number): Promise<void> {
  // Closing a ledger gives the chain the current time.
  await fixture.control('local_closeLedger')
  await fixture.control('local_setPrice', { asset: 'BTC', price: String(BigInt(price) * 10_000_000n) })
}

/** Candles with a price of their own. */
function marked(rows: readonly Candle[]): unknown[] {
  return rows.filter(({ filled }) => filled !== true).map(({ open, high, low, close, source }) => [open, high, low, close, source])
}

test('fills candles that are missing because of downtime with prices of trades, once, and marks them', async () => {
  await using fixture = await createGatewayFixture({ seed: 'candle fill', traders: 0 })
  const [first, second] = [await createChainTrader(fixture, 'first'), await createChainTrader(fixture, 'second')]
  await setPrice(fixture, 100_000)
  await fixture.catchUp()
  const before = await candles(fixture, 'interval=1m')
  assert.deepEqual(marked(before), [[100_000, 100_000, 100_000, 100_000, 'noeracle']])

  // The ticker does not run while these positions are opened and closed.
  fixture.clock.advance(120_000)
  await setPrice(fixture, 100_400)
  await applyInOneLedger(fixture, [openPosition(first, { asset: 'BTC', direction: 0, collateral: 100, leverage: 2 })])
  const openedSec = fixture.network.chain.history.latest().closeTimeSec
  fixture.clock.advance(60_000)
  await setPrice(fixture, 99_800)
  await applyInOneLedger(fixture, [openPosition(second, { asset: 'BTC', direction: 1, collateral: 100, leverage: 2 })])
  await setPrice(fixture, 99_900)
  const [id = 0] = await readOpenPositionIds(fixture, first)
  await applyInOneLedger(fixture, [closePosition(first, id)])
  fixture.clock.advance(60_000)
  await setPrice(fixture, 100_100)
  await fixture.closeLedgers(1)
  await fixture.catchUp()

  assert.equal(await fixture.gateway.oracle.fillCandles(), 0, 'the ticker may still write the prices of these minutes')
  fixture.clock.advance(FILL_DELAY_SEC * 1_000)
  assert.equal(await fixture.gateway.oracle.fillCandles(), 3)
  const after = await candles(fixture, 'interval=1m')
  assert.deepEqual(marked(after), [
    ...marked(before),
    [100_400, 100_400, 100_400, 100_400, 'trades'],
    [99_800, 99_900, 99_800, 99_900, 'trades'],
    [100_100, 100_100, 100_100, 100_100, 'noeracle'],
  ])
  const [opened, closed] = after.filter(({ source }) => source === 'trades')
  assert.deepEqual([opened?.time, opened?.trades, opened?.volume, opened?.final], [openedSec - (openedSec % 60), 1, '2000000000', true])
  assert.deepEqual([closed?.trades, closed?.revision], [2, 1], 'the candle was served without its price before')
  const [hour] = (await candles(fixture, 'interval=1h')).slice(-1)
  assert.deepEqual(marked(hour === undefined ? [] : [hour]), [[100_000, 100_400, 99_800, 100_100, 'trades']])

  // A restart reads the whole window again and changes nothing.
  await fixture.restartGateway()
  assert.equal(await fixture.gateway.oracle.fillCandles(), 3)
  assert.deepEqual(await candles(fixture, 'interval=1m'), after)
  assert.equal(await fixture.gateway.oracle.fillCandles(), 0)
})

test('does not change candles of minutes with oracle prices', async () => {
  await using fixture = await createGatewayFixture({ seed: 'candle fill', traders: 0 })
  const trader = await createChainTrader(fixture, 'first')
  await setPrice(fixture, 100_000)
  await fixture.catchUp()
  await setPrice(fixture, 100_400)
  await applyInOneLedger(fixture, [openPosition(trader, { asset: 'BTC', direction: 0, collateral: 100, leverage: 2 })])
  await setPrice(fixture, 100_200)
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  const before = await candles(fixture, 'interval=1m')
  fixture.clock.advance(FILL_DELAY_SEC * 1_000 + 60_000)
  await fixture.gateway.oracle.fillCandles()
  assert.deepEqual(await candles(fixture, 'interval=1m'), before)
})
