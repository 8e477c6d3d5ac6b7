import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, symbol, u64 } from '../../shared/host.ts'
import { ALICE, contractError, createTestExchange, E7, openArgs, type TestExchange } from '../../../test/contracts/generation-1/test-exchange.ts'
import { KEYS } from '../../shared/market/storage.ts'

const tryOpen = (exchange: TestExchange): string => exchange.tryInvoke('open_position', openArgs(ALICE, { collateral: 10n * E7, leverage: 1 }))
const lastGood = (exchange: TestExchange): unknown => exchange.stored(KEYS.lastGoodPrice('BTC'))

test('a price is fresh for 60 s, stale after 61 s, and fresh if it is in the future', () => {
  const exchange = createTestExchange()
  exchange.setPrice('BTC', 50_000n * E7, 60n)
  assert.equal(tryOpen(exchange), 'ok')
  exchange.setPrice('BTC', 50_000n * E7, 61n)
  assert.equal(tryOpen(exchange), contractError(30))
  exchange.setPrice('BTC', 50_000n * E7, -3600n)
  assert.equal(tryOpen(exchange), 'ok')
})

test('a deviation that truncates to 100 bps passes, 101 bps fail, in both directions', () => {
  for (const [price, expected] of [
    [50_500n * E7, 'ok'], [49_500n * E7, 'ok'], [505_049_999_999n, 'ok'], [50_505n * E7, contractError(81)], [49_495n * E7, contractError(81)],
  ] as const) {
    const exchange = createTestExchange()
    assert.equal(tryOpen(exchange), 'ok')
    exchange.setPrice('BTC', price)
    assert.equal(tryOpen(exchange), expected, String(price))
  }
})

test('the deviation is checked for 600 s after the last good price', () => {
  for (const [seconds, expected] of [[600n, contractError(81)], [601n, 'ok']] as const) {
    const exchange = createTestExchange()
    tryOpen(exchange)
    exchange.advance(seconds)
    exchange.setPrice('BTC', 60_000n * E7)
    assert.equal(tryOpen(exchange), expected)
  }
})

test('without a last good price any price is accepted', () => {
  const exchange = createTestExchange()
  exchange.setPrice('BTC', 90_000n * E7)
  assert.equal(tryOpen(exchange), 'ok')
})

test('every fresh read becomes the last good price, also a lenient one', () => {
  const exchange = createTestExchange()
  tryOpen(exchange)
  exchange.setPrice('BTC', 60_000n * E7)
  assert.equal(tryOpen(exchange), contractError(81))
  assert.deepEqual(lastGood(exchange), [50_000n * E7, exchange.host.ledger.timestampSec], 'a failed read stores nothing')
  exchange.invokeOk('sync_asset_pnl', [symbol('BTC')])
  assert.deepEqual(lastGood(exchange), [60_000n * E7, exchange.host.ledger.timestampSec])
  assert.equal(tryOpen(exchange), 'ok')
  exchange.setPrice('BTC', 70_000n * E7)
  exchange.close(ALICE, 1n)
  assert.deepEqual(lastGood(exchange), [70_000n * E7, exchange.host.ledger.timestampSec])
})

test('the last good price stores the time of the read, not of the attestation', () => {
  const exchange = createTestExchange()
  exchange.setPrice('BTC', 50_000n * E7, 60n)
  tryOpen(exchange)
  assert.deepEqual(lastGood(exchange), [50_000n * E7, exchange.host.ledger.timestampSec])
})

test('a stale lenient read succeeds and stores nothing', () => {
  const exchange = createTestExchange()
  tryOpen(exchange)
  exchange.setPrice('BTC', 70_000n * E7, 61n)
  assert.equal(exchange.tryInvoke('close_position', [address(ALICE), u64(1n)]), 'ok')
  assert.deepEqual(lastGood(exchange), [50_000n * E7, exchange.host.ledger.timestampSec])
})
