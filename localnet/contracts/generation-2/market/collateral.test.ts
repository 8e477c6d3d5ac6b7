import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, u32, u64, type Val } from '../../shared/host.ts'
import { ALICE, BOB, contractError, E7, eventsOf, MARKET, UNAUTHORIZED } from '../../../test/contracts/generation-1/test-exchange.ts'
import { createTestExchange, createUninitializedHost, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'

const args = (id: bigint, amount: bigint, trader = ALICE): Val[] => [address(trader), u64(id), i128(amount)]
const tryRemove = (exchange: TestExchange, id: bigint, amount: bigint): string => exchange.tryInvoke('remove_collateral', args(id, amount))

test('added collateral moves the liquidation price away, also while the market is frozen', () => {
  const exchange = createTestExchange()
  const long = exchange.open(ALICE)
  exchange.invokeOk('pause', [u32(2)])
  const result = exchange.invokeOk('add_collateral', args(long, 100n * E7))
  // 199.5 of 1000 less 2 %: a distance of 17.95 %.
  assert.deepEqual(eventsOf(result), [['collateral_added', [long, ALICE, 100n * E7, 41_025n * E7]]])
  assert.deepEqual([exchange.position(long)['collateral'], exchange.position(long)['liquidation_price']], [1_995_000_000n, 41_025n * E7])
  assert.equal(exchange.usdc(ALICE), 999_800n * E7)
  exchange.invokeOk('unpause', [])
  const short = exchange.open(BOB, { direction: 1 })
  exchange.invokeOk('add_collateral', args(short, 100n * E7, BOB))
  assert.equal(exchange.position(short)['liquidation_price'], 58_975n * E7)
})

test('a position with more collateral than size has a liquidation price of zero', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE, { leverage: 1 })
  exchange.invokeOk('add_collateral', args(id, 100n * E7))
  assert.equal(exchange.position(id)['liquidation_price'], 0n)
})

test('removed collateral must leave the size within the maximum leverage', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE, { leverage: 5 })
  // 99.75 for a size of 500: at most 49.75 may leave.
  assert.equal(tryRemove(exchange, id, 497_500_001n), contractError(25))
  const result = exchange.invokeOk('remove_collateral', args(id, 497_500_000n))
  assert.deepEqual(eventsOf(result), [['collateral_removed', [id, ALICE, 497_500_000n, 46_000n * E7]]])
  assert.equal(exchange.usdc(ALICE), 999_900n * E7 + 497_500_000n)
})

test('removed collateral must leave the equity above the maintenance margin', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE, { leverage: 5 })
  exchange.movePrice('BTC', 45_000n * E7)
  // A loss of 50 leaves 49.75; the maintenance margin is 10. Exactly 10 is not enough.
  assert.equal(tryRemove(exchange, id, 397_500_000n), contractError(25))
  assert.equal(tryRemove(exchange, id, 397_499_999n), 'ok')
})

test('collateral calls check their errors in the documented order', () => {
  for (const name of ['add_collateral', 'remove_collateral']) {
    assert.equal(createUninitializedHost().tryInvoke(MARKET, name, args(9n, 0n), []), contractError(1), name)
  }
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  const cross = exchange.open(ALICE, {}, 'open_position_cross')
  exchange.invokeOk('pause', [u32(1)])
  assert.equal(exchange.tryInvoke('remove_collateral', args(9n, 0n), []), contractError(4))
  exchange.invokeOk('unpause', [])
  for (const name of ['add_collateral', 'remove_collateral']) {
    assert.equal(exchange.tryInvoke(name, args(9n, 0n), [BOB]), UNAUTHORIZED, name)
    assert.equal(exchange.tryInvoke(name, args(9n, 0n)), contractError(20), name)
    assert.equal(exchange.tryInvoke(name, args(id, 0n, BOB)), contractError(24), name)
    assert.equal(exchange.tryInvoke(name, args(cross, 0n)), contractError(5), name)
    assert.equal(exchange.tryInvoke(name, args(id, 0n)), contractError(41), name)
  }
  assert.equal(tryRemove(exchange, id, 995_000_000n), contractError(41), 'all of it')
  exchange.setPrice('BTC', 50_000n * E7, 61n)
  assert.equal(tryRemove(exchange, id, 1n), contractError(25), 'before the price is read')
  exchange.invokeOk('add_collateral', args(id, 100n * E7))
  assert.equal(tryRemove(exchange, id, 1n), contractError(30))
})
