import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, u32, u64, type Val } from '../../shared/host.ts'
import { KEYS } from '../../shared/market/storage.ts'
import { ALICE, BOB, contractError, E7, eventsOf, MARKET, topicsOf, UNAUTHORIZED } from '../../../test/contracts/generation-1/test-exchange.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import { createTestExchange, createUninitializedHost, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'

const partArgs = (id: bigint, size: bigint, trader = ALICE): Val[] => [address(trader), u64(id), i128(size)]
const tryClosePart = (exchange: TestExchange, id: bigint, size: bigint): string =>
  exchange.tryInvoke('close_position_partial', partArgs(id, size))

test('a partial close settles its part and leaves the rest with its entry, leverage and liquidation price', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  const before = exchange.position(id)
  const wallet = exchange.usdc(ALICE)
  exchange.movePrice('BTC', 51_000n * E7)
  const result = exchange.invokeOk('close_position_partial', partArgs(id, 400n * E7))
  // 400 of 1000: collateral 39.8 of 99.5, profit 8.
  assert.deepEqual(eventsOf(result), [
    ['pnl_settled', [8n * E7]],
    ['exposure_synced BTC', [12n * E7, 12n * E7, 400n * E7]],
    ['position_reduced', [id, ALICE, 'BTC', 400n * E7, 600n * E7, 51_000n * E7, 8n * E7]],
  ])
  assert.equal(toNative(result.value), 8n * E7)
  assert.deepEqual(exchange.position(id), { ...before, size: 600n * E7, collateral: 597_000_000n })
  assert.equal(exchange.usdc(ALICE) - wallet, 478_000_000n)
  assert.equal(exchange.vaultView('get_reserved_payout'), 600n * E7)
  assert.equal(exchange.view('get_closed_proceeds', u64(id)), 0n)
})

test('a partial close keeps attached orders and counts towards the volume', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.invokeOk('set_stop_loss', [address(ALICE), u64(id), i128(48_000n * E7), u32(100)])
  exchange.invokeOk('close_position_partial', partArgs(id, 500n * E7))
  assert.notEqual(exchange.stored(KEYS.positionStopLoss(id)), null)
  assert.equal(exchange.view('get_trader_volume', address(ALICE)), 1500n * E7)
})

test('closing the whole size is an ordinary close', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  assert.deepEqual(topicsOf(exchange.invokeOk('close_position_partial', partArgs(id, 1000n * E7))), ['exposure_synced BTC', 'position_closed'])
})

test('a partial close checks its errors in the documented order', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'close_position_partial', partArgs(1n, 0n), []), contractError(1))
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  const cross = exchange.open(ALICE, {}, 'open_position_cross')
  exchange.invokeOk('pause', [u32(2)])
  assert.equal(exchange.tryInvoke('close_position_partial', partArgs(9n, 0n), []), contractError(90))
  exchange.invokeOk('pause', [u32(1)])
  assert.equal(exchange.tryInvoke('close_position_partial', partArgs(9n, 0n), [BOB]), UNAUTHORIZED)
  assert.equal(tryClosePart(exchange, 9n, 0n), contractError(20))
  assert.equal(exchange.tryInvoke('close_position_partial', partArgs(id, 0n, BOB)), contractError(24))
  assert.equal(tryClosePart(exchange, cross, 0n), contractError(5))
  exchange.setPrice('BTC', 0n)
  assert.equal(tryClosePart(exchange, id, 0n), contractError(41))
  assert.equal(tryClosePart(exchange, id, 1000n * E7 + 1n), contractError(5))
  assert.equal(tryClosePart(exchange, id, 900n * E7), contractError(31))
  exchange.setPrice('BTC', 50_000n * E7)
  // 10.05 % of the collateral of 99.5 are 9.99975: too little would be left.
  assert.equal(tryClosePart(exchange, id, 8_995n * E7 / 10n), contractError(27))
  assert.equal(tryClosePart(exchange, id, 8_994n * E7 / 10n), 'ok')
})
