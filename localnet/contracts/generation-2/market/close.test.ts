import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, u32, u64 } from '../../shared/host.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import { ALICE, BOB, contractError, E7, eventsOf, KEEPER, MARKET, topicsOf, UNAUTHORIZED } from '../../../test/contracts/generation-1/test-exchange.ts'
import type { Generation2Build } from '../build.ts'
import { closeArgs, createTestExchange, createUninitializedHost, openArgs, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'
import { ADDED_KEYS } from './storage.ts'

const tryClose = (exchange: TestExchange, id: bigint, bound = 0n): string => exchange.tryInvoke('close_position', closeArgs(ALICE, id, bound))
const proceeds = (exchange: TestExchange, id: bigint): unknown => exchange.view('get_closed_proceeds', u64(id))

/** A long of 1000 that has earned 35 of funding in an hour, while its price fell by 2 %. Its collateral is 99.5. */
function earnFunding(build: Generation2Build = '2.3'): { exchange: TestExchange; id: bigint } {
  const exchange = createTestExchange({ build })
  exchange.setRisk('BTC', { funding_clamp_bps: 350, max_funding_velocity_bps: 100_000_000 })
  exchange.invokeOk('apply_funding', [])
  exchange.open(BOB, { collateral: 200n * E7, direction: 1 })
  const id = exchange.open(ALICE)
  exchange.advance(3600n)
  exchange.invokeOk('apply_funding', [])
  exchange.movePrice('BTC', 49_000n * E7)
  return { exchange, id }
}

test('a profit is paid by the vault on top of the collateral', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.movePrice('BTC', 51_000n * E7)
  const result = exchange.close(ALICE, id)
  assert.deepEqual(eventsOf(result), [
    ['pnl_settled', [20n * E7]],
    ['exposure_synced BTC', [0n, 0n, 1000n * E7]],
    ['position_closed', [1n, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7, 51_000n * E7, 20n * E7]],
  ])
  assert.equal(toNative(result.value), 20n * E7)
  assert.equal(exchange.usdc(ALICE), 1_000_000n * E7 - 5_000_000n + 20n * E7)
  assert.equal(proceeds(exchange, id), 1_195_000_000n)
  assert.equal(toNative(exchange.host.readEntry(MARKET, 'temporary', ADDED_KEYS.closedProceeds(id))), 1_195_000_000n)
  assert.equal(proceeds(exchange, 9n), 0n)
})

test('a loss goes to the vault, which settles no PnL', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.movePrice('BTC', 49_000n * E7)
  assert.deepEqual(eventsOf(exchange.close(ALICE, id)).slice(0, 1), [['loss_received', [20n * E7]]])
  assert.equal(proceeds(exchange, id), 795_000_000n)
})

test('the vault pays earned funding: PnL -20 and funding -35 settle as 15', () => {
  const { exchange, id } = earnFunding()
  const before = exchange.usdc(ALICE)
  const result = exchange.close(ALICE, id)
  assert.deepEqual(eventsOf(result)[0], ['pnl_settled', [15n * E7]])
  assert.equal(toNative(result.value), -20n * E7)
  assert.deepEqual(eventsOf(result).at(-1), ['position_closed', [id, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7, 49_000n * E7, -20n * E7]])
  assert.equal(exchange.usdc(ALICE) - before, 995_000_000n + 15n * E7)
})

test('before build 2.2 PnL and funding settle separately, and earned funding comes from the pooled USDC', () => {
  for (const build of ['2.0', '2.1'] as const) {
    const { exchange, id } = earnFunding(build)
    const [before, held] = [exchange.usdc(ALICE), exchange.usdc(MARKET)]
    const result = exchange.close(ALICE, id)
    assert.deepEqual(eventsOf(result).slice(0, 2), [['pnl_settled', [-20n * E7]], ['loss_received', [20n * E7]]], build)
    assert.equal(exchange.usdc(ALICE) - before, 995_000_000n + 15n * E7)
    assert.equal(held - exchange.usdc(MARKET), 995_000_000n + 35n * E7)
  }
  const { exchange, id } = earnFunding('2.2')
  assert.deepEqual(eventsOf(exchange.close(ALICE, id))[0], ['pnl_settled', [15n * E7]])
})

test('a loss above the collateral is bad debt, covered by the buffer as far as it reaches', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.seedBuffer(10n * E7)
  exchange.movePrice('BTC', 44_000n * E7)
  // Loss 120 of 99.5: debt 20.5. The buffer has the 10 and the protocol's 0.1 of the opening fee.
  assert.deepEqual(eventsOf(exchange.close(ALICE, id)), [
    ['buffer_drawn', [205_000_000n, 101_000_000n]],
    ['bad_debt_recorded', [ALICE, 'BTC', 205_000_000n, 101_000_000n, 104_000_000n]],
    ['loss_received', [995_000_000n]],
    ['exposure_synced BTC', [0n, 0n, 1000n * E7]],
    ['position_closed', [1n, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7, 44_000n * E7, -120n * E7]],
  ])
  assert.deepEqual([exchange.usdc(MARKET), proceeds(exchange, id)], [0n, 0n])
})

test('a profit that the vault cannot pay turns deleveraging on, once', () => {
  const exchange = createTestExchange({ liquidity: 10_000n * E7 })
  const [first, second] = [exchange.open(ALICE), exchange.open(ALICE, { collateral: 10n * E7 })]
  exchange.movePrice('BTC', 600_000n * E7)
  const result = exchange.close(ALICE, first)
  assert.deepEqual(topicsOf(result), ['payout_shortfall', 'pnl_settled', 'adl_triggered', 'exposure_synced BTC', 'position_closed'])
  assert.deepEqual(eventsOf(result)[2], ['adl_triggered', ['BTC', 1, 0n, 0n]])
  assert.deepEqual(topicsOf(exchange.close(ALICE, second)).includes('adl_triggered'), false)
})

test('a close checks its errors in the documented order', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'close_position', closeArgs(ALICE, 1n), []), contractError(1))
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.invokeOk('pause', [u32(2)])
  assert.equal(exchange.tryInvoke('close_position', closeArgs(ALICE, 9n), []), contractError(90))
  exchange.invokeOk('pause', [u32(1)])
  assert.equal(exchange.tryInvoke('close_position', closeArgs(ALICE, 9n), [BOB]), UNAUTHORIZED)
  assert.equal(tryClose(exchange, 9n), contractError(20))
  assert.equal(exchange.tryInvoke('close_position', closeArgs(BOB, id)), contractError(24))
  exchange.setPrice('BTC', 0n)
  assert.equal(tryClose(exchange, id, -1n), contractError(31))
  exchange.setPrice('BTC', 50_000n * E7)
  assert.equal(tryClose(exchange, id, -1n), contractError(5))
  assert.equal(tryClose(exchange, id, 50_000n * E7 + 1n), contractError(87))
  assert.equal(tryClose(exchange, id, 50_000n * E7), 'ok', 'in a halt, at the bound')
})

test('closing a short buys: a higher price than the bound is rejected', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE, { direction: 1 })
  assert.equal(tryClose(exchange, id, 50_000n * E7 - 1n), contractError(87))
  assert.equal(tryClose(exchange, id, 50_000n * E7), 'ok')
})

test('as deployed, a cross position closed as an isolated one pays the wallet and stays in the list of ids', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE, {}, 'open_position_cross')
  exchange.close(ALICE, id)
  assert.equal(exchange.usdc(ALICE), 1_000_000n * E7 - 5_000_000n)
  assert.deepEqual(exchange.view('get_cross_margin_positions', address(ALICE)), [id])
  assert.equal(exchange.tryInvoke('open_position_cross', openArgs(ALICE, { asset: 'ETH' })), 'ok', 'the stale id is ignored')
})

test('a close settles at most 3 % away from the last good price', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.advance(200n)
  exchange.setPrice('BTC', 40_000n * E7)
  assert.equal(toNative(exchange.close(ALICE, id).value), -30n * E7)
  assert.equal(exchange.host.tryInvoke(MARKET, 'sync_asset_pnl', [{ type: 'symbol', value: 'BTC' }], [KEEPER]), 'ok')
})
