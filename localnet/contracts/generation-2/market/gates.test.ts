import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, bool, i128, symbol, u32, u64, type Val } from '../../shared/host.ts'
import { ALICE, contractError, E7, eventsOf, KEEPER, limitOrderArgs, topicsOf } from '../../../test/contracts/generation-1/test-exchange.ts'
import { closeArgs, createTestExchange, openArgs, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'

const REDUCE_ONLY = 0x100
const FREEZE_MAX_SEC = 259_200n

const btc = symbol('BTC')
const amount = [address(ALICE), i128(10n * E7)]

/** An exchange with an isolated position (1), a cross position (2), an entry order (1) and a reduce-only order (2). */
function openMarket(): TestExchange {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.open(ALICE, {}, 'open_position_cross')
  exchange.invokeOk('place_limit_order', limitOrderArgs({ trigger: 60_000n * E7 }))
  exchange.invokeOk('place_limit_order', limitOrderArgs({ trigger: 60_000n * E7, direction: 1, timeInForce: REDUCE_ONLY }))
  return exchange
}

const ADDING_RISK: readonly (readonly [string, readonly Val[]])[] = [
  ['open_position', openArgs(ALICE)],
  ['open_position_cross', openArgs(ALICE)],
  ['place_limit_order', limitOrderArgs()],
  ['execute_order', [address(KEEPER), u64(1n)]],
  ['remove_collateral', [address(ALICE), u64(1n), i128(1n)]],
]

const LOWERING_RISK: readonly (readonly [string, readonly Val[]])[] = [
  ['close_position', closeArgs(ALICE, 1n)],
  ['close_position_cross', closeArgs(ALICE, 2n)],
  ['close_position_partial', [address(ALICE), u64(1n), i128(100n * E7)]],
  ['deposit_cross_margin', amount],
  ['withdraw_cross_margin', amount],
  ['set_stop_loss', [address(ALICE), u64(1n), i128(48_000n * E7), u32(100)]],
  ['set_take_profit', [address(ALICE), u64(1n), i128(52_000n * E7), u32(100), i128(0n)]],
  ['place_trailing_stop', [address(ALICE), u64(1n), u32(500), u32(100)]],
  ['place_limit_order', limitOrderArgs({ timeInForce: REDUCE_ONLY })],
  ['execute_order', [address(KEEPER), u64(2n)]],
  ['liquidate', [address(KEEPER), u64(1n)]],
  ['liquidate_cross_account', [address(KEEPER), address(ALICE)]],
  ['apply_funding', []],
]

const UNGATED: readonly (readonly [string, readonly Val[]])[] = [
  ['cancel_order', [address(ALICE), u64(1n)]],
  ['add_collateral', [address(ALICE), u64(1n), i128(1n)]],
  ['check_adl_trigger', [btc]],
  ['sync_asset_pnl', [btc]],
  ['update_trailing_peak', [u64(1n)]],
]

test('a halt stops what adds risk with 4, and nothing else', () => {
  const exchange = openMarket()
  exchange.invokeOk('pause', [u32(1)])
  for (const [name, args] of ADDING_RISK) assert.equal(exchange.tryInvoke(name, args), contractError(4), name)
  for (const [name, args] of LOWERING_RISK) assert.notEqual(exchange.tryInvoke(name, args), contractError(90), name)
  for (const [name, args] of UNGATED) assert.equal(openHalted().tryInvoke(name, args), 'ok', name)
})

const openHalted = (): TestExchange => {
  const exchange = openMarket()
  exchange.invokeOk('pause', [u32(1)])
  return exchange
}

test('a freeze also stops what lowers risk, with 90, but neither cancels nor added collateral', () => {
  const exchange = openMarket()
  exchange.invokeOk('pause', [u32(2)])
  for (const [name, args] of ADDING_RISK) assert.equal(exchange.tryInvoke(name, args), contractError(4), name)
  for (const [name, args] of LOWERING_RISK) assert.equal(exchange.tryInvoke(name, args), contractError(90), name)
  for (const [name, args] of UNGATED) assert.equal(exchange.tryInvoke(name, args), 'ok', name)
})

test('a freeze counts as a halt from 259,200 s on; the first call that passes stores it', () => {
  const exchange = openMarket()
  exchange.invokeOk('pause', [u32(2)])
  const since = exchange.host.ledger.timestampSec
  exchange.advance(FREEZE_MAX_SEC - 1n)
  assert.equal(exchange.tryInvoke('close_position', closeArgs(ALICE, 1n)), contractError(90))
  exchange.advance(1n)
  assert.deepEqual(exchange.view('get_pause_state'), [1, since], 'the view computes it')
  assert.equal(exchange.tryInvoke('open_position', openArgs(ALICE)), contractError(4))
  const result = exchange.close(ALICE, 1n)
  assert.deepEqual(eventsOf(result)[0], ['pause_degraded', [2, 1]])
  const next = exchange.invokeOk('deposit_cross_margin', amount)
  assert.deepEqual(topicsOf(next).includes('pause_degraded'), false)
  assert.deepEqual(exchange.view('get_pause_state'), [1, since])
})

test('a halted asset refuses opens, entry orders and their execution with 92; the others continue', () => {
  const exchange = openMarket()
  assert.deepEqual(eventsOf(exchange.invokeOk('set_asset_halt', [btc, bool(true)])), [['asset_halt_set BTC', [true]]])
  assert.equal(exchange.view('is_asset_halted', btc), true)
  for (const [name, args] of ADDING_RISK.slice(0, 4)) assert.equal(exchange.tryInvoke(name, args), contractError(92), name)
  assert.equal(exchange.tryInvoke('open_position', openArgs(ALICE, { asset: 'ETH' })), 'ok')
  assert.equal(exchange.tryInvoke('close_position', closeArgs(ALICE, 1n)), 'ok')
  exchange.invokeOk('set_asset_halt', [btc, bool(false)])
  assert.equal(exchange.tryInvoke('open_position', openArgs(ALICE)), 'ok')
  assert.equal(exchange.tryInvoke('set_asset_halt', [symbol('NOSUCH'), bool(true)]), contractError(31))
})

test('pause and unpause report mode and time, and need the admin and a known mode', () => {
  const exchange = createTestExchange()
  const now = exchange.host.ledger.timestampSec
  assert.deepEqual(exchange.view('get_pause_state'), [0, 0n])
  assert.deepEqual(eventsOf(exchange.invokeOk('pause', [u32(1)])), [['paused', [1, now]]])
  exchange.advance(10n)
  assert.deepEqual(eventsOf(exchange.invokeOk('unpause', [])), [['unpaused', null]])
  assert.deepEqual(exchange.view('get_pause_state'), [0, now + 10n])
  for (const mode of [0, 3]) assert.equal(exchange.tryInvoke('pause', [u32(mode)]), contractError(5))
  assert.equal(exchange.tryInvoke('pause', [u32(1)], [ALICE]), 'Error(Auth, InvalidAction)')
})
