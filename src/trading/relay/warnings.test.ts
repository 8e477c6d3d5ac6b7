import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrderEntry, PositionEntry } from '../../exchange/contracts/entry-changes.ts'
import { tradeEffects } from '../../exchange/settlement/trade-effects.ts'
import { findWarnings } from './warnings.ts'
import type { MarketConditions } from './warnings.ts'

const ONE = 10_000_000n
const NOW_SEC = 1_783_339_200
const PRICE = 100n * ONE

const POSITION: PositionEntry = {
  asset: 'BTC', collateral: 100n * ONE, direction: 0, entry_cumulative_funding: 0n, entry_price: PRICE, id: 7, leverage: 5, liquidation_price: 80n * ONE,
  margin_mode: 0, size: 500n * ONE, timestamp: NOW_SEC, trader: 'G',
}

const ORDER: OrderEntry = {
  asset: 'BTC', collateral: 100n * ONE, created_at: NOW_SEC, direction: 0, has_position: false, id: 3, leverage: 5, limit_price: 0n, order_type: 0,
  position_id: 0, slippage_tolerance_bps: 100, status: 0, stop_limit_phase: 0, time_in_force: 0, trader: 'G', trailing_percent_bps: 0, trigger_condition: 1,
  trigger_price: 90n * ONE,
}

const CONDITIONS: MarketConditions = {
  price: () => ({ price: PRICE, timestampSec: NOW_SEC }), maxPriceAgeSec: 60, fundingAppliedSec: () => NOW_SEC, headroom: () => 500n * ONE,
}

const UNKNOWN: MarketConditions = { price: () => null, maxPriceAgeSec: null, fundingAppliedSec: () => null, headroom: () => null }

function codes(
  opened: { readonly position?: Partial<PositionEntry>; readonly order?: Partial<OrderEntry> }, conditions: Partial<MarketConditions> = {}, agedSec = 0,
): readonly string[] {
  const positions = opened.position === undefined ? [] : [[7, { before: null, after: { ...POSITION, ...opened.position } }]] as const
  const orders = opened.order === undefined ? [] : [[3, { before: null, after: { ...ORDER, ...opened.order } }]] as const
  const changes = { positions: new Map(positions), orders: new Map(orders), crossBalances: new Map() }
  const trade = tradeEffects({ account: 'G', changes, events: [], transfers: [] })
  const call = { op: 'open_position', nowSec: NOW_SEC, priceTimestamp: NOW_SEC - agedSec }
  return findWarnings(trade, { ...CONDITIONS, ...conditions }, call).map(({ code }) => code)
}

test('says nothing about an ordinary trade, and nothing that is unknown', () => {
  assert.deepEqual([codes({ position: {} }), codes({ order: {} })], [[], []])
  assert.deepEqual([codes({ position: {} }, UNKNOWN, 1_000), codes({ order: { trigger_price: PRICE } }, UNKNOWN, 1_000)], [[], []])
})

test('triggers_at_once at exactly the trigger, in each direction; the limit of a take-profit counts; never for a trailing stop', () => {
  const at = (order: Partial<OrderEntry>) => codes({ order })
  assert.deepEqual([at({ trigger_price: PRICE }), at({ trigger_price: PRICE - 1n })], [['triggers_at_once'], []])
  assert.deepEqual([at({ trigger_condition: 0, trigger_price: PRICE }), at({ trigger_condition: 0, trigger_price: PRICE + 1n })], [['triggers_at_once'], []])
  const takeProfit = { order_type: 2, has_position: true, trigger_condition: 0, trigger_price: 90n * ONE }
  assert.deepEqual([at(takeProfit), at({ ...takeProfit, limit_price: PRICE + 1n })], [['triggers_at_once'], []])
  assert.deepEqual(at({ order_type: 4, has_position: true, trigger_price: PRICE }), [])
})

test('near_liquidation below 5 % from the price, long and short, isolated only', () => {
  const at = (position: Partial<PositionEntry>) => codes({ position })
  assert.deepEqual([at({ liquidation_price: 95n * ONE }), at({ liquidation_price: 95n * ONE + 1n })], [[], ['near_liquidation']])
  assert.deepEqual([at({ direction: 1, liquidation_price: 105n * ONE }), at({ direction: 1, liquidation_price: 105n * ONE - 1n })], [[], ['near_liquidation']])
  assert.deepEqual(at({ margin_mode: 1, liquidation_price: 99n * ONE }), [])
})

test('wrong_margin_mode for close_position on a cross position, also while the market cannot be read', () => {
  const closed = (op: string, margin_mode: number) => {
    const positions = new Map([[7, { before: { ...POSITION, margin_mode }, after: null }]])
    const trade = tradeEffects({ account: 'G', changes: { positions, orders: new Map(), crossBalances: new Map() }, events: [], transfers: [] })
    return findWarnings(trade, null, { op, nowSec: NOW_SEC, priceTimestamp: null }).map(({ code }) => code)
  }
  assert.deepEqual([closed('close_position', 1), closed('close_position', 0), closed('close_position_cross', 1)], [['wrong_margin_mode'], [], []])
})

test('price_stale above the age that the exchange accepts', () => {
  assert.deepEqual([codes({ position: {} }, {}, 60), codes({ position: {} }, {}, 61)], [[], ['price_stale']])
})

test('above_headroom for entries only', () => {
  assert.deepEqual([codes({ order: {} }), codes({ order: {} }, { headroom: () => 500n * ONE - 1n })], [[], ['above_headroom']])
  assert.deepEqual(codes({ order: { has_position: true } }, { headroom: () => 0n }), [])
  assert.deepEqual(codes({ order: { time_in_force: 0x101 } }, { headroom: () => 0n }), [])
})

test('funding_due an hour after the last application, for what is opened or closed', () => {
  const due = (ageSec: number) => ({ fundingAppliedSec: () => NOW_SEC - ageSec })
  assert.deepEqual([codes({ position: {} }, due(3_599)), codes({ position: {} }, due(3_600))], [[], ['funding_due']])
  assert.deepEqual(codes({ order: {} }, due(3_600)), [])
})
