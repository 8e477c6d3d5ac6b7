import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORDER_TYPE, STOP_LIMIT_PHASE } from './stored-entries.ts'
import type { StoredOrder } from './stored-entries.ts'
import { isTriggered, movesPeak, referencePrice } from './triggers.ts'

const LIMIT: StoredOrder = {
  id: 1n, trader: 'G', asset: 'BTC', direction: 0, orderType: ORDER_TYPE.limit, hasPosition: false, positionId: 0n, triggerCondition: 1, triggerPrice: 10_000n,
  limitPrice: 0n, trailingPercentBps: 0, stopLimitPhase: 0, timeInForce: 0, createdAtSec: 0,
}
const TRAILING: StoredOrder = { ...LIMIT, orderType: ORDER_TYPE.trailingStop, hasPosition: true, positionId: 5n, triggerPrice: 0n, trailingPercentBps: 100 }

test('an order triggers at exactly its price, on its side', () => {
  assert.deepEqual([10_001n, 10_000n, 9_999n].map((price) => isTriggered(LIMIT, price)), [false, true, true])
  assert.deepEqual([10_001n, 10_000n, 9_999n].map((price) => isTriggered({ ...LIMIT, triggerCondition: 0 }, price)), [true, true, false])
  assert.equal(isTriggered(LIMIT, 0n), false, 'no price triggers nothing')
})

test('a stop-limit order waits for its stop, then for its limit', () => {
  const order = { ...LIMIT, orderType: ORDER_TYPE.stopLimit, limitPrice: 9_900n }
  assert.equal(referencePrice(order, undefined), 10_000n)
  assert.equal(referencePrice({ ...order, stopLimitPhase: STOP_LIMIT_PHASE.active }, undefined), 9_900n)
})

test('a take-profit with a limit waits only for the limit', () => {
  const order = { ...LIMIT, orderType: ORDER_TYPE.takeProfit, triggerCondition: 0 }
  assert.equal(referencePrice(order, undefined), 10_000n)
  assert.equal(isTriggered({ ...order, limitPrice: 9_950n }, 9_960n), true)
})

test('a trailing stop waits below its peak for a long, above it for a short', () => {
  assert.equal(referencePrice(TRAILING, 20_000n), 19_800n)
  assert.equal(referencePrice({ ...TRAILING, direction: 1, triggerCondition: 0 }, 20_000n), 20_200n)
  assert.equal(isTriggered(TRAILING, 19_800n, 20_000n), true)
  assert.equal(isTriggered(TRAILING, 19_801n, 20_000n), false)
  assert.equal(isTriggered(TRAILING, 1n), false, 'without a peak nothing can be said')
})

test('only a trailing stop has a peak, which moves only away from its stop', () => {
  assert.deepEqual([20_001n, 20_000n, 19_999n, 0n].map((price) => movesPeak(TRAILING, price, 20_000n)), [true, false, false, false])
  const short = { ...TRAILING, direction: 1 }
  assert.deepEqual([20_001n, 20_000n, 19_999n, 0n].map((price) => movesPeak(short, price, 20_000n)), [false, false, true, false])
  assert.equal(movesPeak(LIMIT, 20_001n, 20_000n), false)
  assert.equal(movesPeak(TRAILING, 20_001n, undefined), false)
})
