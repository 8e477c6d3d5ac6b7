// The value of an account over time: from its trades, its realised results and the candles' prices.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountState, PnlPoint, RealizedTrade } from '../../client/src/generated/resources.ts'
import { candlePriceAt, partsOf, valueCurve } from '../../console/portfolio/account-value.ts'
import type { ValueSources } from '../../console/portfolio/account-value.ts'

const usdc = (value: number): string => String(BigInt(Math.round(value * 1e7)))
const point = (ts: number, realizedPnl: number | null, fees = 0, funding = 0): PnlPoint => ({
  ts, realizedPnl: realizedPnl === null ? null : usdc(realizedPnl), fees: usdc(fees), funding: usdc(funding), cumulative: null,
})
function trade(kind: RealizedTrade['kind'], ts: number, size: number): RealizedTrade {
  return {
    kind, ts, positionId: 1, trader: 'G', ledger: ts, txHash: '', asset: 'BTC', direction: 0, size: usdc(size), entryPrice: usdc(100), closePrice: null,
    pnl: null, orderId: null, eventId: '', seq: ts, epoch: '',
  }
}
const held = { asset: 'BTC', direction: 0, size: usdc(1_000), entryPrice: usdc(100), openedAt: 150 } as NonNullable<AccountState['positions']>[number]
const PRICES: ReadonlyMap<number, number> = new Map([[100, 90], [200, 110], [300, 105]])

function curveOf(change: Partial<ValueSources>): readonly number[] | undefined {
  return valueCurve({
    points: [point(100, 0), point(200, 0), point(300, 0)], toSec: 350, parts: [], priceAt: (_asset, sec) => PRICES.get(sec), priceNow: () => 120,
    value: usdc(10_000), ...change,
  })?.map(({ value }) => Math.round(value * 100) / 100)
}

test('without positions the value changes by what was realised after fees and funding, and ends at the value now', () => {
  assert.deepEqual(curveOf({ points: [point(100, 50, 2, 1), point(200, 0), point(300, -20, 0, -5)] }), [9_968, 10_015, 10_015, 10_000])
})

test('an open position moves the value with its price, from the second in which it was opened', () => {
  // 1,000 USDC long at 100: +200 at 120, +50 at 105, +100 at 110; not open yet at 100 s.
  assert.deepEqual(curveOf({ parts: partsOf([trade('open', 150, 1_000)], [held]) ?? [] }), [9_800, 9_900, 9_850, 10_000])
  // A short loses what a long gains.
  assert.deepEqual(curveOf({ parts: partsOf([], [{ ...held, direction: 1 }]) ?? [] }), [10_200, 10_100, 10_150, 10_000])
})

test('parts of a position end when they are closed, and what repeats other rows does not count', () => {
  const trades = [trade('adl', 280, 600), trade('close', 280, 600), trade('reduce', 250, 400), trade('open', 150, 1_000)]
  const parts = partsOf(trades, []) ?? []
  assert.deepEqual(parts.map(({ size, fromSec, toSec }) => [size, fromSec, toSec]), [[600, 150, 280], [400, 150, 250]])
  // +100 of 1,000 at 110, then closed with 60 and 40 of profit.
  const points = [point(100, 0), point(200, 100), point(300, 0)]
  assert.deepEqual(curveOf({ parts, points }), [9_900, 10_000, 10_000, 10_000])
  assert.deepEqual(partsOf([trade('close', 280, 600)], []) ?? [], [
    { asset: 'BTC', direction: 0, size: 600, entryPrice: 100, fromSec: -Infinity, toSec: 280 },
  ], 'opened before the trades that are known')
})

test('the curve begins where everything is known, and there is none without the present profit', () => {
  const parts = partsOf([], [{ ...held, openedAt: 0 }]) ?? []
  assert.deepEqual(curveOf({ points: [point(100, null), point(200, 0), point(300, 0)] }), [10_000, 10_000, 10_000])
  assert.deepEqual(curveOf({ parts, points: [point(50, 0), point(100, 0)] }), [9_700, 10_000], 'no price at 50 s')
  assert.equal(curveOf({ parts, priceNow: () => undefined }), undefined)
  assert.equal(partsOf([{ ...trade('close', 280, 600), entryPrice: null }], []), null)
})

test('the price at the start of an interval is its open, else the last close before', () => {
  const candles = [{ time: 100, open: 1, close: 2 }, { time: 300, open: 3, close: 4 }]
  assert.deepEqual([99, 100, 200, 300, 400].map((sec) => candlePriceAt(candles, sec)), [undefined, 1, 2, 3, 4])
})
