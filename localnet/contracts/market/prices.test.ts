import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, symbol, u64 } from '../host.ts'
import { ALICE, contractError, createTestExchange, E7, openArgs, type TestExchange } from '../test-exchange.ts'
import { KEYS } from './storage.ts'

const open = (exchange: TestExchange): string => exchange.tryInvoke('open_position', openArgs(ALICE, { collateral: 10n * E7, leverage: 1 }))
const lastGood = (exchange: TestExchange): unknown => exchange.stored(KEYS.lastGoodPrice('BTC'))

test('a price of 60 s is fresh, of 61 s is stale, of the future is fresh', () => {
  const exchange = createTestExchange()
  exchange.setPrice('BTC', 50_000n * E7, 60n)
  assert.equal(open(exchange), 'ok')
  exchange.setPrice('BTC', 50_000n * E7, 61n)
  assert.equal(open(exchange), contractError(30))
  exchange.setPrice('BTC', 50_000n * E7, -3600n)
  assert.equal(open(exchange), 'ok')
})

test('exactly 100 bps pass, and what truncates to 100; 101 do not, up or down', () => {
  for (const [price, expected] of [
    [50_500n * E7, 'ok'], [49_500n * E7, 'ok'], [505_049_999_999n, 'ok'], [50_505n * E7, contractError(81)], [49_495n * E7, contractError(81)],
  ] as const) {
    const exchange = createTestExchange()
    assert.equal(open(exchange), 'ok')
    exchange.setPrice('BTC', price)
    assert.equal(open(exchange), expected, String(price))
  }
})

test('the band holds for 600 s after the last good price', () => {
  for (const [seconds, expected] of [[600n, contractError(81)], [601n, 'ok']] as const) {
    const exchange = createTestExchange()
    open(exchange)
    exchange.advance(seconds)
    exchange.setPrice('BTC', 60_000n * E7)
    assert.equal(open(exchange), expected)
  }
})

test('without a last good price any price opens', () => {
  const exchange = createTestExchange()
  exchange.setPrice('BTC', 90_000n * E7)
  assert.equal(open(exchange), 'ok')
})

test('any fresh read becomes the last good price, so lenient reads walk the band', () => {
  const exchange = createTestExchange()
  open(exchange)
  exchange.setPrice('BTC', 60_000n * E7)
  assert.equal(open(exchange), contractError(81))
  assert.deepEqual(lastGood(exchange), [50_000n * E7, exchange.host.ledger.timestampSec], 'a refused read stores nothing')
  exchange.invokeOk('sync_asset_pnl', [symbol('BTC')])
  assert.deepEqual(lastGood(exchange), [60_000n * E7, exchange.host.ledger.timestampSec])
  assert.equal(open(exchange), 'ok')
  exchange.setPrice('BTC', 70_000n * E7)
  exchange.close(ALICE, 1n)
  assert.deepEqual(lastGood(exchange), [70_000n * E7, exchange.host.ledger.timestampSec])
})

test('the time that is stored is the read\'s, not the attestation\'s', () => {
  const exchange = createTestExchange()
  exchange.setPrice('BTC', 50_000n * E7, 60n)
  open(exchange)
  assert.deepEqual(lastGood(exchange), [50_000n * E7, exchange.host.ledger.timestampSec])
})

test('a stale lenient read works and stores nothing', () => {
  const exchange = createTestExchange()
  open(exchange)
  exchange.setPrice('BTC', 70_000n * E7, 61n)
  assert.equal(exchange.tryInvoke('close_position', [address(ALICE), u64(1n)]), 'ok')
  assert.deepEqual(lastGood(exchange), [50_000n * E7, exchange.host.ledger.timestampSec])
})
