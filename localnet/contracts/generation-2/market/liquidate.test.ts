import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, u32, u64, type Val } from '../../shared/host.ts'
import { KEYS } from '../../shared/market/storage.ts'
import { ALICE, BOB, contractError, E7, eventsOf, KEEPER, MARKET, UNAUTHORIZED, USDC, VAULT } from '../../../test/contracts/generation-1/test-exchange.ts'
import { type InvokeSuccess, toNative, toNativeEvent } from '../../../test/contracts/test-host.ts'
import { createTestExchange, createUninitializedHost, type OpenOptions, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'
import { ADDED_KEYS } from './storage.ts'

const args = (id: bigint): Val[] => [address(KEEPER), u64(id)]
const tryLiquidate = (exchange: TestExchange, id: bigint): string => exchange.tryInvoke('liquidate', args(id))

/** A position with this collateral net of the opening fee. */
function openWith(exchange: TestExchange, options: OpenOptions & { collateral: bigint; fee: bigint }): bigint {
  const id = exchange.open(ALICE, options)
  exchange.invokeOk('add_collateral', [address(ALICE), u64(id), i128(options.fee)])
  return id
}

/** A long of 10,000 with a collateral of 1000, at a price 8.5 % below its entry. */
function largeLong(): { exchange: TestExchange; id: bigint } {
  const exchange = createTestExchange()
  const id = openWith(exchange, { collateral: 1000n * E7, fee: 5n * E7 })
  exchange.movePrice('BTC', 45_750n * E7)
  return { exchange, id }
}

test('above 1,000 USD a liquidation closes a fifth: C 1000, S 10,000, PnL -850', () => {
  const { exchange, id } = largeLong()
  const keeper = exchange.usdc(KEEPER)
  const result = exchange.invokeOk('liquidate', args(id))
  assert.deepEqual(eventsOf(result), [
    ['loss_received', [170n * E7]],
    ['buffer_funded', [10n * E7, 0n]],
    ['exposure_synced BTC', [-680n * E7, -680n * E7, 2000n * E7]],
    ['position_partial_liq', [id, ALICE, 'BTC', 0, 2000n * E7, 10n * E7, 45_750n * E7]],
  ])
  assert.equal(toNative(result.value), 10n * E7)
  assert.equal(exchange.usdc(KEEPER) - keeper, 10n * E7)
  const { size, collateral, liquidation_price } = exchange.position(id)
  assert.deepEqual([size, collateral, liquidation_price], [8000n * E7, 810n * E7, 459_375_000_000n], '0.91875 of the entry')
  assert.equal(exchange.stored(ADDED_KEYS.partialLiqTs(id)), exchange.host.ledger.timestampSec)
})

test('the next round waits 30 s', () => {
  const { exchange, id } = largeLong()
  exchange.invokeOk('liquidate', args(id))
  exchange.movePrice('BTC', 45_000n * E7)
  exchange.invokeOk('liquidate', args(id))
  exchange.advance(29n)
  assert.equal(tryLiquidate(exchange, id), contractError(83))
  exchange.advance(1n)
  assert.equal(tryLiquidate(exchange, id), 'ok')
})

test('a partial liquidation keeps orders and volume', () => {
  const { exchange, id } = largeLong()
  exchange.invokeOk('set_stop_loss', [address(ALICE), u64(id), i128(48_000n * E7), u32(100)])
  const volume = exchange.view('get_trader_volume', address(ALICE))
  exchange.invokeOk('liquidate', args(id))
  assert.notEqual(exchange.stored(KEYS.positionStopLoss(id)), null)
  assert.equal(exchange.view('get_trader_volume', address(ALICE)), volume)
})

test('a small position is closed, and what the penalty leaves goes back to the trader: C 100, S 1000, PnL -85', () => {
  const exchange = createTestExchange()
  const id = openWith(exchange, { collateral: 100n * E7, fee: 5_000_000n })
  exchange.movePrice('BTC', 45_750n * E7)
  const [trader, keeper] = [exchange.usdc(ALICE), exchange.usdc(KEEPER)]
  const result = exchange.invokeOk('liquidate', args(id))
  assert.deepEqual(eventsOf(result), [
    ['loss_received', [85n * E7]],
    ['buffer_funded', [5n * E7, 0n]],
    ['liq_refund', [ALICE, id, 5n * E7, 10n * E7]],
    ['exposure_synced BTC', [0n, 0n, 1000n * E7]],
    ['position_liquidated', [id, ALICE, 'BTC', 0, 1000n * E7, 5n * E7, 45_750n * E7]],
  ])
  assert.deepEqual([exchange.usdc(ALICE) - trader, exchange.usdc(KEEPER) - keeper, exchange.usdc(MARKET)], [5n * E7, 5n * E7, 0n])
  assert.equal(exchange.view('get_closed_proceeds', u64(id)), 5n * E7)
})

test('a keeper who earned less than 5 USDC gets the rest from the buffer', () => {
  const exchange = createTestExchange()
  const id = openWith(exchange, { collateral: 10n * E7, fee: 500_000n })
  exchange.seedBuffer(3n * E7)
  exchange.movePrice('BTC', 45_750n * E7)
  const result = exchange.invokeOk('liquidate', args(id))
  // The penalty is 1, so the keeper lacks 4.5. The buffer has the 3, the protocol's 0.01 of the opening fee and the other half of the penalty.
  assert.deepEqual(eventsOf(result).slice(-2), [
    ['bounty_paid', [KEEPER, 45_000_000n, 35_100_000n]],
    ['position_liquidated', [id, ALICE, 'BTC', 0, 100n * E7, 40_100_000n, 45_750n * E7]],
  ])
  assert.equal(toNative(result.value), 40_100_000n)
})

test('a bankrupt position is closed at once: bad debt, its collateral to the vault and a tenth of it to the buffer', () => {
  const exchange = createTestExchange()
  const id = openWith(exchange, { collateral: 1000n * E7, fee: 5n * E7 })
  exchange.invokeOk('set_stop_loss', [address(ALICE), u64(id), i128(48_000n * E7), u32(100)])
  exchange.movePrice('BTC', 44_000n * E7)
  assert.deepEqual(eventsOf(exchange.invokeOk('liquidate', args(id))), [
    // The buffer has the protocol's share of the opening fee.
    ['buffer_drawn', [200n * E7, E7]],
    ['bad_debt_recorded', [ALICE, 'BTC', 200n * E7, E7, 199n * E7]],
    ['loss_received', [900n * E7]],
    ['buffer_funded', [100n * E7, 0n]],
    ['exposure_synced BTC', [0n, 0n, 10_000n * E7]],
    ['order_cancelled', [1n, 'pos_closed']],
    ['bounty_paid', [KEEPER, 5n * E7, 5n * E7]],
    ['position_liquidated', [id, ALICE, 'BTC', 0, 10_000n * E7, 5n * E7, 44_000n * E7]],
  ])
  assert.deepEqual([exchange.usdc(MARKET), exchange.stored(ADDED_KEYS.openPositionCount)], [0n, 0])
})

test('a position that is healthy at the smoothed price is not liquidated, unless it is bankrupt', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.advance(700n)
  exchange.setPrice('BTC', 45_750n * E7)
  assert.equal(tryLiquidate(exchange, id), contractError(86))
  exchange.setPrice('BTC', 45_000n * E7)
  assert.equal(tryLiquidate(exchange, id), 'ok')
})

test('liquidate checks its errors in the documented order', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'liquidate', args(1n), []), contractError(1))
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  const cross = exchange.open(ALICE, {}, 'open_position_cross')
  exchange.invokeOk('pause', [u32(2)])
  assert.equal(exchange.tryInvoke('liquidate', args(9n), []), contractError(90))
  exchange.invokeOk('unpause', [])
  assert.equal(exchange.tryInvoke('liquidate', args(9n), [ALICE]), UNAUTHORIZED)
  assert.equal(tryLiquidate(exchange, 9n), contractError(20))
  assert.equal(tryLiquidate(exchange, cross), contractError(50))
  exchange.setPrice('BTC', 0n)
  assert.equal(tryLiquidate(exchange, id), contractError(31))
  exchange.movePrice('BTC', 46_025n * E7)
  // Equity 99.5 - 79.5 equals the maintenance margin of 20, and the liquidation price is 46,000.
  assert.equal(tryLiquidate(exchange, id), contractError(50))
  exchange.movePrice('BTC', 46_025n * E7 - 50n)
  assert.equal(tryLiquidate(exchange, id), 'ok')
})

test('a position opened before there were risk parameters keeps the configuration\'s margin', () => {
  const exchange = createTestExchange({ configured: false })
  const id = exchange.open(ALICE)
  exchange.advance(1n)
  exchange.setRisk('BTC', {})
  exchange.movePrice('BTC', 46_000n * E7)
  assert.equal(tryLiquidate(exchange, id), contractError(50))
  exchange.movePrice('BTC', 45_500n * E7)
  assert.equal(tryLiquidate(exchange, id), 'ok')
})

test('a refund above the collateral is paid from what the market holds for others; without it the transfer fails', () => {
  const exchange = createTestExchange()
  const id = openWith(exchange, { collateral: 100n * E7, fee: 5_000_000n })
  exchange.movePrice('BTC', 55_000n * E7)
  // An equity of 200 is below the new maintenance margin of 400.
  exchange.setRisk('BTC', { im_bps: 8000, mm_bps: 4000, close_out_bps: 2666, max_leverage: 1 })
  assert.equal(tryLiquidate(exchange, id), contractError(10))
  exchange.open(BOB, { collateral: 200n * E7, leverage: 1 })
  const trader = exchange.usdc(ALICE)
  const result = exchange.invokeOk('liquidate', args(id))
  assert.deepEqual(eventsOf(result)[0], ['liq_refund', [ALICE, id, 190n * E7, 10n * E7]], 'no loss and no share for the buffer')
  assert.equal(exchange.usdc(ALICE) - trader, 190n * E7)
})

test('a liquidation sends loss and share of the buffer to the vault in one transfer', () => {
  const { exchange, id } = largeLong()
  const transfersOf = (result: InvokeSuccess): unknown[] => result.events
    .filter(({ contract }) => contract === USDC).map((event) => toNativeEvent(event)).map(([, topics, data]) => [topics[1], topics[2], data])
  assert.deepEqual(transfersOf(exchange.invokeOk('liquidate', args(id))), [[MARKET, VAULT, 180n * E7], [MARKET, KEEPER, 10n * E7]])
  exchange.movePrice('BTC', 44_000n * E7)
  const bankrupt = exchange.open(ALICE, { collateral: 200n * E7 })
  exchange.movePrice('BTC', 39_000n * E7)
  assert.deepEqual(transfersOf(exchange.invokeOk('liquidate', args(bankrupt)))[0], [MARKET, VAULT, 199n * E7])
})

test('a tranche of 0 closes a large position at once', () => {
  const exchange = createTestExchange({ config: { partial_liq_tranche_bps: 0 } })
  const id = openWith(exchange, { collateral: 1000n * E7, fee: 5n * E7 })
  exchange.movePrice('BTC', 45_750n * E7)
  assert.deepEqual(eventsOf(exchange.invokeOk('liquidate', args(id))).at(-1)?.[1], [id, ALICE, 'BTC', 0, 10_000n * E7, 50n * E7, 45_750n * E7])
})

test('the time of the last round goes with its position', () => {
  const { exchange, id } = largeLong()
  exchange.invokeOk('liquidate', args(id))
  exchange.movePrice('BTC', 50_000n * E7)
  exchange.close(ALICE, id)
  assert.equal(exchange.stored(ADDED_KEYS.partialLiqTs(id)), null)
})
