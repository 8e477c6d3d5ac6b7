import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALICE, contractError, E7, eventsOf, MARKET } from '../../test-exchange.ts'
import { createTestExchange2, open2Args, type OpenOptions2, type TestExchange2 } from '../test-exchange.ts'

const tryOpen = (exchange: TestExchange2, options: OpenOptions2 = {}): string => exchange.tryInvoke('open_position', open2Args(ALICE, options))

test('an open reports exposure, routes the protocol fee, pays the liquidity providers and emits the position', () => {
  const exchange = createTestExchange2()
  const result = exchange.invokeOk('open_position', open2Args(ALICE))
  // The fee is 0.5 USDC: 20 % to the protocol, whose buffer is empty, the rest to the liquidity providers.
  assert.deepEqual(eventsOf(result), [
    ['exposure_synced BTC', [0n, 0n, 0n]],
    ['protocol_fee_routed', [1_000_000n, 1_000_000n, 0n]],
    ['loss_received', [4_000_000n]],
    ['position_opened', [1n, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7]],
  ])
  assert.deepEqual([exchange.usdc(ALICE), exchange.usdc(MARKET)], [999_900n * E7, 995_000_000n])
})

test('the liquidation price uses the maintenance margin of the asset', () => {
  const exchange = createTestExchange2()
  exchange.setPrice('BTC', 100_000n * E7)
  const priceOf = (options: OpenOptions2): unknown => exchange.position(exchange.open(ALICE, options))['liquidation_price']
  assert.equal(priceOf({ leverage: 10 }), 92_000n * E7)
  assert.equal(priceOf({ leverage: 3 }), 686_666_700_000n)
  const shorts = createTestExchange2()
  shorts.setPrice('BTC', 100_000n * E7)
  assert.equal(shorts.position(shorts.open(ALICE, { direction: 1 }))['liquidation_price'], 108_000n * E7)
  assert.equal(tryOpen(exchange, { asset: 'PAXG' }), contractError(88))
})
