import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredOrder } from './market-entries.ts'
import { orderTerms } from './order-terms.ts'
import type { OrderTerms } from './order-terms.ts'

const [LIMIT, STOP_LOSS, TAKE_PROFIT, STOP_LIMIT, TRAILING_STOP] = [0, 1, 2, 3, 4]

function terms(overrides: Partial<StoredOrder>, peak?: bigint): OrderTerms {
  const order: StoredOrder = {
    asset: 'BTC', collateral: 100n, created_at: 5, direction: 0, has_position: false, id: 9, leverage: 3, limit_price: 0n, order_type: LIMIT, position_id: 4,
    slippage_tolerance_bps: 50, status: 0, stop_limit_phase: 0, time_in_force: 0, trader: 'G', trailing_percent_bps: 250, trigger_condition: 0,
    trigger_price: 1_000n,
  }
  return orderTerms({ ...order, ...overrides }, peak)
}

test('an order that opens a position has collateral and size, and one that closes a position names it', () => {
  const { orderId, positionId, collateral, size, triggerPrice, triggerCondition, limitPrice, referencePrice, trailingPercentBps } = terms({})
  assert.deepEqual([orderId, positionId, collateral, size, triggerPrice, triggerCondition], [9, null, '100', '300', '1000', 'Above'])
  assert.deepEqual([limitPrice, referencePrice, trailingPercentBps], [null, '1000', null])
  const stop = terms({ order_type: STOP_LOSS, has_position: true, trigger_condition: 1 })
  assert.deepEqual([stop.positionId, stop.collateral, stop.size, stop.triggerCondition], [4, null, null, 'Below'])
})

test('slippage is measured from the price at which the order is executed', () => {
  const reference = (overrides: Partial<StoredOrder>, peak?: bigint): unknown => {
    const { limitPrice, stopLimitPhase, referencePrice } = terms(overrides, peak)
    return [limitPrice, stopLimitPhase, referencePrice]
  }
  assert.deepEqual(reference({ order_type: STOP_LIMIT, limit_price: 1_010n }), ['1010', 'waiting_for_stop', '1000'])
  assert.deepEqual(reference({ order_type: STOP_LIMIT, limit_price: 1_010n, stop_limit_phase: 1 }), ['1010', 'limit_active', '1010'])
  assert.deepEqual(reference({ order_type: TAKE_PROFIT, limit_price: 990n }), ['990', null, '990'])
  assert.deepEqual(reference({ order_type: TAKE_PROFIT }), [null, null, '1000'])
  assert.deepEqual(reference({ order_type: TRAILING_STOP }, 2_000n), [null, null, '1950'], 'below the peak of a long')
  assert.deepEqual(reference({ order_type: TRAILING_STOP, direction: 1 }, 2_000n), [null, null, '2050'])
  assert.deepEqual(reference({ order_type: TRAILING_STOP }), [null, null, null])
  const trailing = terms({ order_type: TRAILING_STOP }, 2_000n)
  assert.deepEqual([trailing.triggerPrice, trailing.peakPrice, trailing.trailingPercentBps], [null, '2000', 250])
  assert.equal(terms({}, 2_000n).peakPrice, null)
})

test('the time in force has a flag for reduce-only orders, which only orders that open a position have', () => {
  const mode = (timeInForce: number, hasPosition = false): unknown => {
    const { timeInForce: name, reduceOnly } = terms({ time_in_force: timeInForce, has_position: hasPosition })
    return [name, reduceOnly]
  }
  assert.deepEqual([mode(0), mode(1), mode(2)], [['gtc', false], ['ioc', false], ['post_only', false]])
  assert.deepEqual([mode(0x101), mode(0x100, true), mode(7)], [['ioc', true], ['gtc', false], ['gtc', false]])
})
