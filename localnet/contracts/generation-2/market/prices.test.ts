import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEYS } from '../../shared/market/storage.ts'
import { address, i128 } from '../../shared/host.ts'
import { ALICE, contractError, E7 } from '../../../test/contracts/generation-1/test-exchange.ts'
import { createTestExchange, LAST_GOOD_SEC, openArgs, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'
import { toNative } from '../../../test/contracts/test-host.ts'

/** The price at which a long of 1000 closes, from its PnL. */
function closingPrice(exchange: TestExchange, id: bigint): bigint {
  const pnl = toNative(exchange.close(ALICE, id).value) as bigint
  return 100n * E7 + pnl / 10n
}

/** An exchange with BTC at 100 and a long of 1000. */
function longAt100(): { exchange: TestExchange; id: bigint } {
  const exchange = createTestExchange()
  exchange.setPrice('BTC', 100n * E7)
  return { exchange, id: exchange.open(ALICE) }
}

test('a close at 80, 200 s after a good price of 100, settles at 97, and 80 becomes the last good price', () => {
  const { exchange, id } = longAt100()
  exchange.advance(200n)
  exchange.setPrice('BTC', 80n * E7)
  assert.equal(closingPrice(exchange, id), 97n * E7)
  assert.deepEqual(exchange.stored(KEYS.lastGoodPrice('BTC')), [80n * E7, exchange.host.ledger.timestampSec])
})

test('a close above the last good price settles at most 3 % above it', () => {
  const { exchange, id } = longAt100()
  exchange.setPrice('BTC', 104n * E7)
  assert.equal(closingPrice(exchange, id), 103n * E7)
})

test('a last good price of 600 s limits a close, an older one does not', () => {
  for (const [age, price] of [[LAST_GOOD_SEC, 97n], [LAST_GOOD_SEC + 1n, 80n]] as const) {
    const { exchange, id } = longAt100()
    exchange.advance(age)
    exchange.setPrice('BTC', 80n * E7)
    assert.equal(closingPrice(exchange, id), price * E7)
  }
})

test('a stale price settles a close and does not become the last good price', () => {
  const { exchange, id } = longAt100()
  exchange.advance(61n)
  assert.equal(closingPrice(exchange, id), 100n * E7)
  assert.deepEqual(exchange.stored(KEYS.lastGoodPrice('BTC')), [100n * E7, exchange.host.ledger.timestampSec - 61n])
})

test('a clamp of 0 lets a close settle at any price', () => {
  const exchange = createTestExchange({ config: { lenient_clamp_bps: 0 } })
  exchange.setPrice('BTC', 100n * E7)
  const id = exchange.open(ALICE)
  exchange.setPrice('BTC', 91n * E7)
  assert.equal(closingPrice(exchange, id), 91n * E7)
})

test('a maximum deviation of 0 opens at any price', () => {
  const tryOpenAfterJump = (maxDeviationBps: number): string => {
    const exchange = createTestExchange({ config: { max_oracle_deviation_bps: maxDeviationBps } })
    exchange.open(ALICE)
    exchange.setPrice('BTC', 90_000n * E7)
    return exchange.tryInvoke('open_position', openArgs(ALICE))
  }
  assert.deepEqual([tryOpenAfterJump(0), tryOpenAfterJump(100)], ['ok', contractError(81)])
})

test('a price may be 60 s in the future, whatever the staleness limit is', () => {
  const exchange = createTestExchange({ config: { max_price_staleness: 300n } })
  exchange.invokeOk('deposit_cross_margin', [address(ALICE), i128(200n * E7)])
  exchange.open(ALICE, {}, 'open_position_cross')
  const results = [60n, 61n].map((aheadSec) => {
    exchange.setPrice('BTC', 50_000n * E7, -aheadSec)
    return exchange.tryInvoke('withdraw_cross_margin', [address(ALICE), i128(1n)])
  })
  assert.deepEqual(results, ['ok', contractError(30)])
})
