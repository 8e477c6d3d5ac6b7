// The leader's form: the requests that it builds, and what it says about the slippage tolerance.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LEADER_FIELDS, leaderRequest, slippageHelp } from '../../console/pools/leader-order.ts'
import type { LeaderInput } from '../../console/pools/leader-order.ts'

const INPUT: LeaderInput = {
  kind: 'open', asset: 'BTC', side: 'Long', collateral: '100', leverage: '3', triggerPrice: '95000', limitPrice: '95,100', positionId: '7', distance: '2.5',
  slippage: '0.5', orderId: '12',
}
const ENTRY = { vaultId: 4, asset: 'BTC', collateral: '1000000000', leverage: 3, direction: 'Long' }
const request = (change: Partial<LeaderInput>) => leaderRequest(4, { ...INPUT, ...change })

test('builds every order that a leader can place, with the slippage tolerance that was entered', () => {
  assert.deepEqual(request({}), { op: 'leader_open_position', ...ENTRY })
  const price = { limitPrice: '951000000000', slippageToleranceBps: 50 }
  assert.deepEqual(request({ kind: 'limit' }), {
    op: 'leader_place_limit_order', ...ENTRY, triggerPrice: price.limitPrice, triggerCondition: 'Below', slippageToleranceBps: 50,
  })
  // A stop waits for a worse price.
  assert.deepEqual(request({ kind: 'stop_limit' }), {
    op: 'leader_place_stop_limit', ...ENTRY, triggerPrice: '950000000000', triggerCondition: 'Above', ...price,
  })
  assert.deepEqual(request({ kind: 'stop_limit', side: 'Short' }), {
    op: 'leader_place_stop_limit', ...ENTRY, direction: 'Short', triggerPrice: '950000000000', triggerCondition: 'Below', ...price,
  })
  const order = { vaultId: 4, positionId: '7', triggerPrice: '950000000000', slippageToleranceBps: 50 }
  assert.deepEqual(request({ kind: 'stop_loss' }), { op: 'leader_set_stop_loss', ...order })
  assert.deepEqual(request({ kind: 'take_profit' }), { op: 'leader_set_take_profit', ...order, limitPrice: price.limitPrice })
  assert.deepEqual(request({ kind: 'take_profit', limitPrice: '' }), { op: 'leader_set_take_profit', ...order })
  assert.deepEqual(request({ kind: 'trailing' }), {
    op: 'leader_place_trailing_stop', vaultId: 4, positionId: '7', trailingPercentBps: 250, slippageToleranceBps: 50,
  })
  assert.deepEqual(request({ kind: 'close' }), { op: 'leader_close_position', vaultId: 4, positionId: '7' })
  assert.deepEqual(request({ kind: 'cancel' }), { op: 'leader_cancel_order', vaultId: 4, orderId: '12' })
})

test('says what is missing, and what the slippage tolerance does', () => {
  assert.equal(request({ kind: 'stop_limit', triggerPrice: '' }), 'Enter the trigger price.')
  assert.equal(request({ kind: 'stop_limit', limitPrice: '0' }), 'Enter the limit price.')
  assert.equal(request({ kind: 'trailing', distance: '51' }), 'Enter a trailing distance from 0.01 to 50 percent.')
  for (const kind of ['limit', 'stop_limit', 'stop_loss', 'take_profit', 'trailing'] as const) {
    assert.ok(LEADER_FIELDS[kind].includes('slippage'))
    for (const slippage of ['', '0', '101', 'x']) assert.equal(request({ kind, slippage }), 'Enter a slippage tolerance from 0.01 to 100 percent.', kind)
  }
  const isUsed = (change: Partial<LeaderInput>): boolean => slippageHelp({ ...INPUT, ...change }).startsWith('The order is cancelled')
  assert.deepEqual(['limit', 'stop_limit', 'take_profit', 'stop_loss', 'trailing'].map((kind) => isUsed({ kind: kind as LeaderInput['kind'] })),
    [true, true, true, false, false])
  assert.equal(isUsed({ kind: 'take_profit', limitPrice: '' }), false)
})
