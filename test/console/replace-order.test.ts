// Moving an open order: which can be moved, the two transactions, and what is said about them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fill, OpenOrder } from '../../client/src/index.ts'
import { breakEven, coinSize, costsOf } from '../../console/trade/position-figures.ts'
import { checkPositionForm, closeAllSteps, exitSuggestions, reverseSteps } from '../../console/trade/position-forms.ts'
import type { Position } from '../../console/trade/position-forms.ts'
import { movableOf, moveOrder } from '../../console/trade/replace-order.ts'

const ENTRY: OpenOrder = {
  orderId: 12, trader: 'G', orderType: 'limit', asset: 'BTC', direction: 0, positionId: null, collateral: '1000000000', leverage: 5, size: '5000000000',
  triggerPrice: '800000000000', triggerCondition: 'Below', limitPrice: null, stopLimitPhase: null, trailingPercentBps: null, peakPrice: null,
  referencePrice: '800000000000', slippageToleranceBps: 50, timeInForce: 'gtc', reduceOnly: false, createdAt: 1,
}
const EXIT: OpenOrder = { ...ENTRY, positionId: 7, collateral: null, size: null, orderType: 'stop_loss' }
const CONTEXT = { price: '900000000000', position: { entryPrice: '900000000000', liquidationPrice: '740000000000' }, maxTrailingBps: 5_000 }

const requestsOf = (order: OpenOrder, text: string) => moveOrder(order, text, CONTEXT).steps.map((step) => step.request(null))

test('an order is cancelled and placed again with the same terms at the new price', () => {
  const entry = { asset: 'BTC', direction: 'Long', collateral: '1000000000', leverage: 5, triggerCondition: 'Below', slippageToleranceBps: 50 }
  const cancel = { op: 'cancel_order', orderId: '12' }
  assert.deepEqual(requestsOf(ENTRY, '81,000'), [cancel, { op: 'place_limit_order', ...entry, triggerPrice: '810000000000' }])
  assert.deepEqual(requestsOf({ ...ENTRY, direction: 1, triggerCondition: 'Above', timeInForce: 'post_only', reduceOnly: true }, '81000')[1], {
    op: 'place_limit_order', ...entry, direction: 'Short', triggerCondition: 'Above', triggerPrice: '810000000000', timeInForce: 2, reduceOnly: true,
  })
  const stopLimit = { ...ENTRY, orderType: 'stop_limit', triggerCondition: 'Above', limitPrice: '830000000000', stopLimitPhase: 'waiting_for_stop' } as const
  assert.deepEqual(requestsOf(stopLimit, '81000')[1], {
    op: 'place_stop_limit_order', ...entry, triggerCondition: 'Above', triggerPrice: '810000000000', limitPrice: '830000000000',
  })
  // Placed again as a stop-limit order it would wait for its stop a second time.
  assert.deepEqual(requestsOf({ ...stopLimit, stopLimitPhase: 'limit_active' }, '81000')[1], {
    op: 'place_limit_order', ...entry, triggerCondition: 'Above', triggerPrice: '810000000000',
  })
  const exit = { positionId: '7', slippageToleranceBps: 50 }
  assert.deepEqual(requestsOf(EXIT, '81000'), [cancel, { op: 'set_stop_loss', ...exit, triggerPrice: '810000000000' }])
  const takeProfit = { ...EXIT, orderType: 'take_profit', triggerCondition: 'Above', triggerPrice: '950000000000' } as const
  assert.deepEqual(requestsOf(takeProfit, '96000')[1], { op: 'set_take_profit', ...exit, triggerPrice: '960000000000' })
  const limited = { ...takeProfit, limitPrice: '940000000000', referencePrice: '940000000000' }
  assert.deepEqual(requestsOf(limited, '96000')[1], { op: 'set_take_profit', ...exit, triggerPrice: '960000000000', limitPrice: '960000000000' })
  assert.deepEqual(requestsOf(limited, '93000')[1], { op: 'set_take_profit', ...exit, triggerPrice: '950000000000', limitPrice: '930000000000' })
  const trailing = { ...EXIT, orderType: 'trailing_stop', trailingPercentBps: 200, triggerPrice: null } as const
  assert.deepEqual(requestsOf(trailing, '2.5')[1], { op: 'place_trailing_stop', ...exit, trailingPercentBps: 250 })
  assert.deepEqual([ENTRY, EXIT, trailing].map((order) => movableOf(order)?.kind), ['price', 'price', 'distance'])
  assert.equal(movableOf({ ...ENTRY, timeInForce: 'ioc' }), null)
  // As the ticket calls them: a limit order waits for a better price, a stop for a worse one.
  assert.deepEqual([ENTRY, { ...ENTRY, triggerCondition: 'Above' } as const].map((order) => movableOf(order)?.label), ['Limit price', 'Trigger price'])
})

test('says what the order is without while it is cancelled, and if it is not placed again', () => {
  const [cancel, place] = moveOrder(ENTRY, '81000', CONTEXT).steps
  assert.deepEqual([cancel?.title, place?.title], ['Cancel order 12', 'Place it again at 81,000.00'])
  assert.match(cancel?.note ?? '', /If the second transaction fails, the order stays cancelled\. Its collateral of 100\.00 USDC is then back in your wallet\.$/)
  assert.equal(place?.ifNotSent?.(null), 'Order 12 was cancelled, and was not placed again. Its collateral of 100.00 USDC is then back in your wallet.')
  assert.equal(moveOrder(EXIT, '81000', CONTEXT).steps[1]?.ifNotSent?.(null),
    'Order 12 was cancelled, and was not placed again. Without it, position 7 has no stop-loss.')
})

test('refuses a price that the contracts would refuse, and warns of one that triggers at once', () => {
  const problem = (order: OpenOrder, text: string) => moveOrder(order, text, CONTEXT).problem
  assert.equal(problem(ENTRY, 'x'), 'Enter a price, for example 91500.25.')
  assert.equal(problem(ENTRY, '80000'), 'This is the price that the order has.')
  assert.equal(problem(EXIT, '90000'), 'The stop-loss of a long position must be below its entry price, 90,000.00.')
  assert.equal(problem(EXIT, '74000'),
    'The stop-loss of this long position must be above its liquidation price, 74,000.00: it would be liquidated first.')
  assert.equal(moveOrder(ENTRY, '91000', CONTEXT).warning, 'The price is already at or below 91,000.00: the order would trigger at once.')
  assert.equal(moveOrder(ENTRY, '81000', CONTEXT).warning, null)
})

test('a take-profit of a position is set, or moved if it has one; amounts are checked against what there is', () => {
  const position = {
    positionId: 7, asset: 'BTC', direction: 0, marginMode: 'isolated', size: '5000000000', collateral: '1000000000', entryPrice: '900000000000',
    liquidationPrice: '740000000000',
  } as Position
  const context = { price: '900000000000', available: '500000000', orders: [] as OpenOrder[] }
  const check = (kind: Parameters<typeof checkPositionForm>[0], text: string, orders = context.orders) =>
    checkPositionForm(kind, text, position, { ...context, orders })
  assert.deepEqual(check('take_profit', '95000').steps.map((step) => step.request(null)), [
    { op: 'set_take_profit', positionId: '7', triggerPrice: '950000000000', slippageToleranceBps: 100 },
  ])
  const existing: OpenOrder = { ...EXIT, orderType: 'take_profit', triggerCondition: 'Above', referencePrice: '940000000000' }
  assert.deepEqual(check('take_profit', '95000', [existing]).steps.map(({ title }) => title), ['Cancel order 12', 'Place it again at 95,000.00'])
  assert.equal(check('stop_loss', '95000').problem, 'The stop-loss of a long position must be below its entry price, 90,000.00.')
  assert.match(check('stop_loss', '73000').problem ?? '', /must be above its liquidation price, 74,000\.00/)
  assert.equal(check('add', '80.25').problem, 'You have 50.00 USDC: 30.25 USDC are missing.')
  assert.equal(check('part', '500').problem, 'Enter less than the position\'s size, 500.00 USDC. Close closes all of it.')
  assert.equal(check('remove', '100').problem, 'Enter less than the position\'s collateral, 100.00 USDC.')
  assert.deepEqual(check('part', '100').steps.map((step) => step.request(null)), [{ op: 'close_position_partial', positionId: '7', closeSize: '1000000000' }])
})

test('a position has a size in coin and a break-even, its exits a result, and it is reversed or closed with the others by one sequence', () => {
  const position = {
    positionId: 7, asset: 'BTC', direction: 0, marginMode: 'isolated', size: '5000000000', collateral: '997500000', leverage: 5,
    entryPrice: '900000000000', liquidationPrice: '740000000000', accruedFunding: '10000000',
  } as Position
  assert.deepEqual([coinSize(position), coinSize({ size: '5000000000', entryPrice: '30968' })], ['0.00556', '161,457'])
  // 2.50 USDC of fee and 1 of funding are 0.7 % of the size.
  assert.deepEqual([breakEven(position, 25_000_000n), breakEven({ ...position, direction: 1 }, 25_000_000n)], ['906300000000', '893700000000'])
  assert.deepEqual([breakEven(position, null), breakEven({ ...position, accruedFunding: null }, 0n)], [null, null])
  const context = { price: '900000000000', available: null, orders: [] }
  assert.equal(checkPositionForm('take_profit', '99000', position, context).effect, 'Expected: +50.00 USDC, +50.12% on margin.')
  assert.equal(checkPositionForm('stop_loss', '85500', position, context).effect, 'Expected: −25.00 USDC, −25.06% on margin.')
  assert.deepEqual(exitSuggestions('take_profit', position), [['+10%', '91800'], ['+25%', '94500'], ['+50%', '99000']])
  assert.deepEqual(exitSuggestions('stop_loss', { ...position, liquidationPrice: '840000000000' }), [['−10%', '88200'], ['−25%', '85500']])
  assert.deepEqual(reverseSteps(position).map((step) => step.request(null)), [
    { op: 'close_position', positionId: '7' }, { op: 'open_position', asset: 'BTC', direction: 'Short', collateral: '1000000000', leverage: 5 },
  ])
  assert.equal(reverseSteps(position)[1]?.ifNotSent?.(null), 'Position 7 is closed, and no short position was opened.')
  const all = closeAllSteps([position, { positionId: 8, marginMode: 'cross' }])
  assert.deepEqual(all.map((step) => [step.title, step.request(null).op]), [
    ['Close position 7', 'close_position'], ['Close position 8', 'close_position_cross'],
  ])
})

test('a position\'s costs are its part of the opening fee and the funding of its whole life; without the fill of its opening the fee is at the rate', () => {
  const position = { positionId: 7, size: '3000000000', entryPrice: '900000000000', direction: 0, accruedFunding: '10000000' }
  const fill = (positionId: number, kind: Fill['kind'], figures: Pick<Fill, 'size' | 'fee' | 'funding'>) => ({ positionId, kind, ...figures })
  const reduced = fill(7, 'reduce', { size: '1000000000', fee: '0', funding: '-40000000' })
  const fills = [reduced, fill(8, 'open', { size: '1', fee: '1', funding: '9' }), fill(7, 'open', { size: '4000000000', fee: '2000000', funding: '0' })]
  assert.deepEqual(costsOf(position, fills, '5000'), { openingFee: 1_500_000n, funding: -30_000_000n })
  assert.deepEqual(costsOf(position, [reduced], '5000'), { openingFee: 1_500_000n, funding: -30_000_000n })
  assert.deepEqual(costsOf({ ...position, accruedFunding: null }, [], null), { openingFee: null, funding: null })
})
