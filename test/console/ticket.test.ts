// The order ticket: which inputs it accepts, on which side its triggers are, and the requests it builds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionOf } from '../../console/trade/availability.ts'
import { feeAt, keeperReward, liquidationAt, roomToOpen, worstPrice } from '../../console/trade/costs.ts'
import { takesKind } from '../../console/trade/market-steps.ts'
import { liquidationDistance } from '../../console/trade/risk.ts'
import { checkTicket, fieldsOf } from '../../console/trade/ticket.ts'
import type { TicketContext, TicketInput, TicketPosition } from '../../console/trade/ticket.ts'

const INPUT: TicketInput = {
  kind: 'market', side: 'Long', marginMode: 'isolated', unit: 'USDC', amount: '100', leverage: '5', limitPrice: '', triggerPrice: '', takeProfit: '',
  stopLoss: '', distance: '2', slippage: '1', marketSlippage: '0.5', positionId: '',
}
const POSITION: TicketPosition = {
  positionId: 7, asset: 'BTC', direction: 0, marginMode: 'isolated', size: '5000000000', collateral: '997500000', leverage: 5,
  entryPrice: '900000000000', liquidationPrice: '740000000000', closeValue: '950000000',
}
/** BTC at 90,000; 1,000 USDC in the wallet. */
const CONTEXT: TicketContext = {
  asset: 'BTC', price: '900000000000', condition: conditionOf('BTC', { limits: null, instrument: null, priceState: 'fresh' }), cross: null, attached: [],
  available: '10000000000', minCollateral: '100000000', maxLeverage: 10,
  maxPositionSize: '1000000000000', marketSteps: { tickSize: '1', amountStep: '1', leverageStep: '1' },
  headroom: { long: '500000000000', short: '20000000000' }, maxTrailingBps: 5_000, maintenanceMarginBps: 250,
  positions: [POSITION], isGeneration2: false,
}

function requests(change: Partial<TicketInput>, context: Partial<TicketContext> = {}): object[] {
  return checkTicket({ ...INPUT, ...change }, { ...CONTEXT, ...context }).steps.map((step) => step.request(42))
}

function problems(change: Partial<TicketInput>, context: Partial<TicketContext> = {}): object {
  return Object.fromEntries(checkTicket({ ...INPUT, ...change }, { ...CONTEXT, ...context }).problems)
}

const ENTRY = { asset: 'BTC', direction: 'Long', collateral: '1000000000', leverage: 5 }

test('a market order opens a position, and its take-profit and stop-loss follow for the position that was opened', () => {
  assert.deepEqual(requests({}), [{ op: 'open_position', ...ENTRY }])
  assert.deepEqual(requests({ marginMode: 'cross', side: 'Short' }), [{ op: 'open_position_cross', ...ENTRY, direction: 'Short' }])
  assert.deepEqual(requests({ takeProfit: '99,000', stopLoss: '85000.5' }), [
    { op: 'open_position', ...ENTRY },
    { op: 'set_take_profit', positionId: '42', triggerPrice: '990000000000', slippageToleranceBps: 100 },
    { op: 'set_stop_loss', positionId: '42', triggerPrice: '850005000000', slippageToleranceBps: 100 },
  ])
})

test('the ticket accepts the steps, the leverage and the kinds of order that the market names, and no maximum before it is known', () => {
  const marketSteps = { tickSize: '5000000', amountStep: '10000000', leverageStep: '2' }
  assert.deepEqual(problems({ kind: 'stop', amount: '100.5', leverage: '5', triggerPrice: '95000.25', limitPrice: '95000.5' }, { marketSteps }), {
    triggerPrice: 'Prices in this market are multiples of 0.5.', amount: 'Amounts in this market are multiples of 1.',
    leverage: 'Leverages in this market are multiples of 2.',
  })
  assert.deepEqual(problems({ leverage: '4', takeProfit: '99000.5' }, { marketSteps }), {})
  assert.deepEqual(problems({ unit: 'coin', amount: '0.00123', leverage: '2' }, { marketSteps }), {})
  assert.deepEqual(problems({ leverage: '40' }), { leverage: 'Enter a whole number from 1 to 10.' })
  assert.deepEqual([problems({ leverage: '40', amount: '10' }, { maxLeverage: null }), problems({ leverage: 'x' }, { maxLeverage: null })],
    [{}, { leverage: 'Enter a whole number.' }])
  const kinds = ['market', 'limit', 'stop', 'take_profit', 'stop_loss', 'trailing'] as const
  assert.deepEqual(kinds.filter((kind) => takesKind(kind, { orderTypes: ['market', 'limit', 'stop_loss'] })), ['market', 'limit', 'stop', 'stop_loss'])
  assert.deepEqual(kinds.filter((kind) => takesKind(kind, null)), kinds)
})

test('a limit order waits for a better price, a stop for a worse one', () => {
  const resting = { ...ENTRY, slippageToleranceBps: 100 }
  const limit = { kind: 'limit', limitPrice: '80000' } as const
  assert.deepEqual(requests(limit), [{ op: 'place_limit_order', ...resting, triggerCondition: 'Below', triggerPrice: '800000000000' }])
  assert.deepEqual(requests({ ...limit, side: 'Short', limitPrice: '95000' }), [
    { op: 'place_limit_order', ...resting, direction: 'Short', triggerCondition: 'Above', triggerPrice: '950000000000' },
  ])
  const stop = { kind: 'stop', triggerPrice: '95000' } as const
  assert.deepEqual(requests(stop), [{ op: 'place_limit_order', ...resting, triggerCondition: 'Above', triggerPrice: '950000000000' }])
  assert.deepEqual(requests({ ...stop, side: 'Short', triggerPrice: '85000', limitPrice: '84000', slippage: '0.5' }), [
    {
      op: 'place_stop_limit_order', ...resting, direction: 'Short', slippageToleranceBps: 50, triggerCondition: 'Below', triggerPrice: '850000000000',
      limitPrice: '840000000000',
    },
  ])
})

test('closing orders name the chosen position', () => {
  const of = { positionId: '7', triggerPrice: '95000' }
  const terms = { positionId: '7', triggerPrice: '950000000000', slippageToleranceBps: 100 }
  assert.deepEqual(requests({ ...of, kind: 'take_profit' }), [{ op: 'set_take_profit', ...terms }])
  assert.deepEqual(requests({ ...of, kind: 'stop_loss', triggerPrice: '85000' }), [{ op: 'set_stop_loss', ...terms, triggerPrice: '850000000000' }])
  assert.deepEqual(requests({ kind: 'trailing', positionId: '7', distance: '2.5' }), [
    { op: 'place_trailing_stop', positionId: '7', slippageToleranceBps: 100, trailingPercentBps: 250 },
  ])
  assert.deepEqual(problems({ kind: 'trailing' }), { positionId: 'Choose a position.' })
  assert.deepEqual(problems({ kind: 'trailing' }, { positions: [] }), { positionId: 'You have no open position to close.' })
  const cross = [{ ...POSITION, marginMode: 'cross' as const }]
  assert.deepEqual(problems({ kind: 'take_profit', ...of }, { positions: cross }), {
    positionId: 'The contracts attach no orders to cross positions. Choose an isolated position.',
  })
  assert.equal(requests({ kind: 'take_profit', ...of }, { positions: cross, isGeneration2: true }).length, 1)
  // Contracts of generation 2 fill these orders at any price, so the ticket has no input for the tolerance.
  assert.deepEqual(fieldsOf({ kind: 'stop_loss', marginMode: 'isolated' }, true), ['positionId', 'triggerPrice'])
  const stopLoss = { kind: 'stop_loss', ...of, triggerPrice: '85000', slippage: '' } as const
  assert.deepEqual(requests(stopLoss, { isGeneration2: true }), [{ op: 'set_stop_loss', ...terms, triggerPrice: '850000000000' }])
  assert.deepEqual(problems(stopLoss), { slippage: 'Enter a percentage from 0.01 to 100.' })
})

test('an amount in the asset is the size of the position', () => {
  const check = checkTicket({ ...INPUT, unit: 'coin', amount: '0.01' }, CONTEXT)
  assert.deepEqual([check.collateral, check.size], ['1800000000', '9000000000'])
  // The size of a resting order follows from its own price.
  assert.equal(checkTicket({ ...INPUT, kind: 'limit', unit: 'coin', amount: '0.01', limitPrice: '50000' }, CONTEXT).size, '5000000000')
})

test('reports each input that the exchange would refuse, in a sentence', () => {
  const cases: readonly (readonly [change: Partial<TicketInput>, problems: object])[] = [
    [{ amount: '' }, { amount: 'Enter an amount, for example 100 or 250.50.' }],
    [{ amount: '1e3' }, { amount: 'Enter an amount, for example 100 or 250.50.' }],
    [{ amount: 'x', unit: 'coin' }, { amount: 'Enter an amount of BTC, for example 0.01.' }],
    [{ amount: '9.99' }, { amount: 'The minimum is 10.00 USDC of collateral.' }],
    [{ amount: '1250.5' }, { amount: 'You have 1,000.00 USDC: 250.50 USDC are missing.' }],
    [{ side: 'Short', amount: '500' }, { amount: 'The exchange can take 2,000 USDC more short in BTC. Reduce the amount or the leverage.' }],
    [{ leverage: '11' }, { leverage: 'Enter a whole number from 1 to 10.' }],
    [{ leverage: '2.5' }, { leverage: 'Enter a whole number from 1 to 10.' }],
    [{ takeProfit: '80000' }, { takeProfit: 'The take-profit of a long position must be above the price, 90,000.00.' }],
    [{ stopLoss: '90000' }, { stopLoss: 'The stop-loss of a long position must be below the price, 90,000.00.' }],
    [{ side: 'Short', stopLoss: '80000' }, { stopLoss: 'The stop-loss of a short position must be above the price, 90,000.00.' }],
    [{ kind: 'limit' }, { limitPrice: 'Enter a price, for example 91500.25.' }],
    [{ kind: 'stop', slippage: '0' }, { triggerPrice: 'Enter a price, for example 91500.25.', slippage: 'Enter a percentage from 0.01 to 100.' }],
    [{ kind: 'trailing', positionId: '7', distance: '51' }, { distance: 'Enter a percentage from 0.01 to 50.' }],
  ]
  for (const [change, expected] of cases) assert.deepEqual(problems(change), expected, JSON.stringify(change))
  assert.deepEqual(problems({ amount: '900' }, { maxPositionSize: '40000000000' }), { amount: 'The largest position in BTC is 4,000 USDC.' })
})

test('limits that are not known refuse nothing', () => {
  const unknown = { available: null, minCollateral: null, maxPositionSize: null, headroom: { long: null, short: null } }
  assert.equal(requests({ amount: '1000000' }, unknown).length, 1)
})

test('warns when an order would trigger at once', () => {
  const warnings = (change: Partial<TicketInput>, entryPrice = POSITION.entryPrice) =>
    checkTicket({ ...INPUT, ...change }, { ...CONTEXT, positions: [{ ...POSITION, entryPrice }] }).warnings
  const above = ['The price is already at or above 80,000.00: the order would trigger at once.']
  const below = ['The price is already at or below 95,000.00: the order would trigger at once.']
  assert.deepEqual(warnings({ kind: 'limit', limitPrice: '95000' }), below)
  assert.deepEqual(warnings({ kind: 'stop', triggerPrice: '80000' }), above)
  assert.deepEqual(warnings({ kind: 'take_profit', positionId: '7', triggerPrice: '80000' }, '700000000000'), above)
  assert.deepEqual(warnings({ kind: 'stop_loss', positionId: '7', triggerPrice: '95000' }, '1000000000000'), below)
  for (const change of [{ kind: 'limit', limitPrice: '80000' }, { kind: 'stop', triggerPrice: '95000' }] as const) assert.deepEqual(warnings(change), [])
})

test('a cross position takes its collateral from the cross margin first, and must be covered with the others', () => {
  const cross = { marginMode: 'cross', amount: '1200' } as const
  const account = { pool: '3000000000', equity: null, required: '0' }
  assert.equal(requests(cross, { cross: account }).length, 1)
  assert.deepEqual(problems({ ...cross, amount: '1300.5' }, { cross: account }), { amount: 'You have 1,300.00 USDC: 0.50 USDC are missing.' })
  assert.deepEqual(problems({ ...cross, amount: '400' }, { cross: { ...account, equity: '5000000000', required: '3000000000' } }), {
    amount: 'Your cross margin does not cover this position with the others: 100.00 USDC are missing. Deposit them below, or use isolated margin.',
  })
  assert.deepEqual(problems({ amount: '1200' }, { cross: account }), { amount: 'You have 1,000.00 USDC: 200.00 USDC are missing.' })
})

test('an order that closes a position is refused on the wrong side of its entry price, and if the position has one already', () => {
  const of = { positionId: '7', triggerPrice: '89000' }
  assert.deepEqual(problems({ kind: 'take_profit', ...of }), { triggerPrice: 'The take-profit of a long position must be above its entry price, 90,000.00.' })
  assert.deepEqual(problems({ kind: 'stop_loss', ...of }, { positions: [{ ...POSITION, direction: 1 }] }), {
    triggerPrice: 'The stop-loss of a short position must be above its entry price, 90,000.00.',
  })
  const attached = [{ orderId: 12, orderType: 'stop_loss', positionId: 7 }]
  assert.deepEqual(problems({ kind: 'stop_loss', ...of }, { attached }), {
    positionId: 'Position 7 already has this order: 12. Move or cancel it in the Orders tab.',
  })
  assert.deepEqual(problems({ kind: 'trailing', positionId: '7' }, { attached }), {})
})

test('an open on generation 2 first closes the positions of its margin mode in the other direction, and says so', () => {
  const short = { side: 'Short', marginMode: 'isolated' } as const
  const netted = { isGeneration2: true, headroom: { long: null, short: null } }
  const check = checkTicket({ ...INPUT, ...short, amount: '200' }, { ...CONTEXT, ...netted })
  assert.deepEqual(check.netting, {
    count: 1, closedSize: 5_000_000_000n, size: 5_000_000_000n, collateral: 1_000_000_000n, payout: 950_000_000n, freedMargin: 1_000_000_000n,
  })
  assert.deepEqual([check.collateral, check.size, check.steps.length], ['2000000000', '10000000000', 1])
  // Only what is left to open is paid and takes room, after what the closed position pays.
  assert.deepEqual(problems({ ...short, amount: '1195' }, netted), {})
  assert.deepEqual(problems({ ...short, amount: '1200' }, netted), { amount: 'You have 1,095.00 USDC: 5.00 USDC are missing.' })
  assert.deepEqual(problems({ ...short, amount: '1200' }, { ...netted, positions: [{ ...POSITION, closeValue: null }] }), {})
  assert.deepEqual(problems({ ...short, amount: '200' }, { isGeneration2: true, headroom: { long: null, short: '5000000000' } }), {})
  assert.deepEqual(problems({ ...short, amount: '100' }, netted), {
    amount: 'This would only close your long of 500.00 USDC in BTC. Close it below, or enter a larger position.',
  })
  assert.deepEqual(problems({ ...short, amount: '105' }, netted), {
    amount: 'This first closes your long of 500.00 USDC in BTC. 5.00 USDC of collateral would be left for the short; the minimum is 10.00 USDC.',
  })
  assert.deepEqual(problems({ ...short, amount: '900' }, { ...netted, positions: [1, 2, 3, 4, 5].map((positionId) => ({ ...POSITION, positionId })) }), {
    amount: 'The exchange would close your long positions (5) of 2,500.00 USDC in BTC first, and it closes at most 4. Close some of them below.',
  })
  const alone = [{ ...INPUT, side: 'Long' }, { ...INPUT, ...short, marginMode: 'cross' }, { ...INPUT, ...short, kind: 'limit', limitPrice: '95000' }] as const
  for (const input of alone) assert.equal(checkTicket(input, { ...CONTEXT, ...netted }).netting, null)
})

test('a cross open that closes cross positions first needs no margin for them, and has what they pay', () => {
  const short = { side: 'Short', marginMode: 'cross' } as const
  const positions: readonly TicketPosition[] = [{ ...POSITION, marginMode: 'cross' }]
  const context = { isGeneration2: true, headroom: { long: null, short: null }, positions }
  // The pool is empty: the equity is what the position is worth.
  const alone = { ...context, cross: { pool: '0', equity: '950000000', required: '1000000000' } }
  assert.deepEqual(problems({ ...short, amount: '1195' }, alone), {})
  assert.deepEqual(problems({ ...short, amount: '1200' }, alone), { amount: 'You have 1,095.00 USDC: 5.00 USDC are missing.' })
  const others = { ...context, cross: { pool: '0', equity: '1200000000', required: '1300000000' } }
  // Equity of 120, and 5 from the wallet, for 100 and the 30 of the others.
  assert.deepEqual(problems({ ...short, amount: '200' }, others), {
    amount: 'Your cross margin does not cover this position with the others: 5.00 USDC are missing. Deposit them below, or use isolated margin.',
  })
})

test('the keeper\'s reward and the fee follow the rates that the gateway reads from the contracts', () => {
  assert.equal(keeperReward(5_000_000_000n, { base: '5000000', deciBps: 50 }), 7_500_000n)
  assert.equal(keeperReward(5_000_000_000n, { base: '0', deciBps: 10 }), 500_000n)
  assert.deepEqual([keeperReward(1n, null), keeperReward(1n, { base: null, deciBps: 10 }), feeAt(1n, null)], [null, null, null])
  assert.equal(feeAt(5_000_000_000n, '2000'), 1_000_000n)
})

test('a resting order would be liquidated as a position that is opened at its price', () => {
  const at = (entry: bigint, side: 'Long' | 'Short', leverage: number) => liquidationAt(entry, { side, leverage, maintenanceMarginBps: 200 })
  assert.deepEqual([at(1_000_000_000_000n, 'Long', 10), at(1_000_000_000_000n, 'Short', 10)], [920_000_000_000n, 1_080_000_000_000n])
  assert.equal(at(1_000_000_000_000n, 'Long', 3), 686_666_700_000n)
})

test('what can be opened is known before there is a quote, and never more than the largest position', () => {
  const limits = { headroom: { long: '500000000000', short: null, bindingLong: null, bindingShort: null }, maxPositionSize: '1000000000000' }
  assert.equal(roomToOpen('Long', limits), '500000000000')
  assert.equal(roomToOpen('Long', { ...limits, maxPositionSize: '90000000000' }), '90000000000')
  assert.equal(roomToOpen('Long', { ...limits, maxPositionSize: null }), '500000000000')
  assert.deepEqual([roomToOpen('Short', limits), roomToOpen('Long', null)], [null, null])
})

test('the worst price of a market order is at most the tolerance away, to the last digit', () => {
  assert.deepEqual([worstPrice(30_968n, 'Long', 50), worstPrice(30_968n, 'Short', 50)], [31_122n, 30_814n])
  assert.deepEqual(fieldsOf({ kind: 'market', marginMode: 'cross' }, true).at(-1), 'marketSlippage')
  assert.ok(!fieldsOf({ kind: 'market', marginMode: 'isolated' }, false).includes('marketSlippage'))
  for (const marketSlippage of ['0', '50.01', '', 'x']) {
    assert.deepEqual(problems({ marketSlippage }, { isGeneration2: true, positions: [] }), { marketSlippage: 'Enter a percentage from 0.01 to 50.' })
    assert.deepEqual(problems({ marketSlippage }), {})
  }
})

test('a stop-loss beyond the liquidation price is refused, of a position and of one that is opened', () => {
  const beyond = (side: string, price: string): string =>
    `The stop-loss of this ${side} position must be ${side === 'long' ? 'above' : 'below'} its liquidation price, ${price}: it would be liquidated first.`
  const stop = { kind: 'stop_loss', positionId: '7' } as const
  assert.deepEqual(problems({ ...stop, triggerPrice: '74000' }), { triggerPrice: beyond('long', '74,000.00') })
  assert.deepEqual(problems({ ...stop, triggerPrice: '74000.01' }), {})
  // 90,000 less a fifth, plus 2.5 % of maintenance margin.
  assert.deepEqual(problems({ stopLoss: '74250' }), { stopLoss: beyond('long', '74,250.00') })
  assert.deepEqual(problems({ stopLoss: '74251' }), {})
  assert.deepEqual(problems({ side: 'Short', amount: '30', stopLoss: '105750' }), { stopLoss: beyond('short', '105,750.00') })
  assert.deepEqual(problems({ stopLoss: '60000', marginMode: 'cross' }), {})
})

test('the distance to liquidation has a sign, and near it or near a limit the ticket says so', () => {
  const long = { direction: 0, liquidationPrice: '1000' }
  const of = (current: string, position = long): unknown => Object.values(liquidationDistance(position, current) ?? {})
  assert.deepEqual([of('1100'), of('1020'), of('1000'), of('900')], [[909, 'far'], [196, 'near'], [0, 'beyond'], [-1111, 'beyond']])
  assert.deepEqual([of('900', { ...long, direction: 1 }), of('1100', { ...long, direction: 1 })], [[1111, 'far'], [-909, 'beyond']])
  assert.deepEqual([liquidationDistance({ ...long, liquidationPrice: null }, '1'), liquidationDistance(long, null)], [null, null])
  const dangers = (price: string): readonly string[] => checkTicket({ ...INPUT, amount: '' }, { ...CONTEXT, price }).dangers.map(({ text }) => text)
  assert.deepEqual(dangers('750000000000'), ['Position 7 is 1.33% from its liquidation price, 74,000.00. Add collateral or close a part of it.'])
  assert.deepEqual(dangers('739999999999'), ['Position 7 is beyond its liquidation price, 74,000.00, and can be liquidated at any moment.'])
  assert.deepEqual(dangers('900000000000'), [])
  const warnings = (change: Partial<TicketInput>, context: Partial<TicketContext> = {}): readonly string[] =>
    checkTicket({ ...INPUT, ...change }, { ...CONTEXT, ...context }).warnings
  assert.deepEqual(warnings({ amount: '390', side: 'Short' }), ['This takes 97% of what the exchange can take short in BTC.'])
  assert.deepEqual(warnings({}, { maxPositionSize: '5000000000' }), ['This is 100% of the largest position in BTC.'])
  assert.deepEqual(warnings({ leverage: '30', amount: '40' }, { maxLeverage: 50 }), ['A move of 0.83% against you would liquidate it.'])
})
