// The controls that each state of the exchange disables, and the sentence that says why. States checked: a lost connection, pauses of both generations, a
// freeze, a halted asset, an asset that is being deleveraged, a stale price, and a price that is not known.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionOf, unavailable } from '../../console/trade/availability.ts'
import type { TradeAction } from '../../console/trade/availability.ts'
import type { Freshness } from '../../console/freshness.ts'

const ACTIONS: readonly TradeAction[] = [
  'open', 'place_entry', 'place_exit', 'place_trailing', 'close', 'add_collateral', 'remove_collateral', 'move_cross_margin', 'cancel',
]
const LIVE = { tradingPaused: false, pauseMode: 0, assetHalted: false, adlActive: false } as const

type Readings = Parameters<typeof conditionOf>[1]

/** Returns the disabled actions, with the sentences that say why. */
function disabled(
  change: Partial<Readings['limits']>, priceState: Freshness = 'fresh', instrument: Readings['instrument'] = { open: true, maxLeverage: '10' },
) {
  const condition = conditionOf('BTC', { limits: { ...LIVE, ...change }, instrument, priceState })
  const reasons = ACTIONS.map((action) => [action, unavailable(action, condition)] as const).filter(([, reason]) => reason !== null)
  return { actions: reasons.map(([action]) => action), texts: [...new Set(reasons.map(([, text]) => text))] }
}

test('nothing is disabled while the market trades, and while its limits are not known', () => {
  assert.deepEqual(disabled({}), { actions: [], texts: [] })
  const unknown = conditionOf('BTC', { limits: null, instrument: null, priceState: 'fresh' })
  assert.deepEqual(ACTIONS.map((action) => unavailable(action, unknown)), ACTIONS.map(() => null))
})

test('a pause disables what the contracts of the generation refuse', () => {
  const changes = ['open', 'place_entry', 'place_exit', 'place_trailing', 'close', 'remove_collateral']
  assert.deepEqual(disabled({ tradingPaused: true, pauseMode: null }), {
    actions: changes, texts: ['Trading is paused. No position can be opened or closed until it resumes. Orders can still be cancelled.'],
  })
  assert.deepEqual(disabled({ tradingPaused: true, pauseMode: 1 }), {
    actions: ['open', 'place_entry', 'remove_collateral'],
    texts: ['Trading is paused. No position can be opened. Positions can still be closed and orders cancelled.'],
  })
  assert.deepEqual(disabled({ tradingPaused: true, pauseMode: 2 }), {
    actions: [...changes, 'move_cross_margin'],
    texts: ['Trading is frozen. No position can be opened or closed until it resumes. Orders can still be cancelled and collateral added.'],
  })
})

test('a lost connection disables everything, whatever the market allows', () => {
  for (const limits of [LIVE, null, { ...LIVE, pauseMode: 2 }]) {
    const condition = conditionOf('BTC', { limits, instrument: null, priceState: 'fresh', isDisconnected: true })
    for (const action of ACTIONS) assert.match(unavailable(action, condition) ?? '', /^Disconnected, reconnecting\./, action)
  }
})

test('a halt, deleveraging, and a price that is not fresh disable what they affect', () => {
  assert.deepEqual(disabled({ assetHalted: true }), {
    actions: ['open', 'place_entry'], texts: ['BTC is halted. No position can be opened in it until the exchange resumes it. Positions can still be closed.'],
  })
  assert.deepEqual(disabled({ adlActive: true }), {
    actions: ['open'], texts: ['Positions in BTC are being deleveraged. No position can be opened in it until that ends. Positions can still be closed.'],
  })
  const needPrice = ['open', 'place_trailing', 'remove_collateral']
  assert.deepEqual(disabled({}, 'stale').actions, needPrice)
  assert.equal(disabled({}, 'stale').texts[0], 'The price of BTC is stale. The exchange opens nothing until a new price arrives.')
  assert.deepEqual(disabled({}, 'unknown'), { actions: needPrice, texts: ['The price of BTC is not known yet.'] })
})

test('a market that takes no positions, or that the contracts have no settings for, says so, after every more exact reason', () => {
  assert.deepEqual(disabled({}, 'fresh', { open: false, maxLeverage: '10' }), {
    actions: ['open'], texts: ['BTC takes no new positions now. Positions can still be closed.'],
  })
  assert.deepEqual(disabled({}, 'stale', { open: false, maxLeverage: null }).actions, ['open', 'place_entry', 'place_trailing', 'remove_collateral'])
  assert.deepEqual(disabled({}, 'fresh', { open: false, maxLeverage: null }), {
    actions: ['open', 'place_entry'], texts: ['BTC is not traded: the exchange has no settings for it. Positions can still be closed.'],
  })
  assert.match(disabled({ assetHalted: true }, 'fresh', { open: false, maxLeverage: '10' }).texts.join(), /^BTC is halted\.[^.]*\.[^.]*\.$/)
})
