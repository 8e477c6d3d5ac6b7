import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { deleveragingCalls } from './deleveraging.ts'
import type { Deleveraging, MarketOverview } from './exchange-state.ts'
import type { StoredPosition } from './stored-entries.ts'

const P = ONE_E7

const LONG: StoredPosition = {
  id: 1n, trader: 'G', asset: 'BTC', direction: 0, marginMode: 0, collateral: 100n * P, size: 1_000n * P, leverage: 10, entryPrice: 100n * P,
  entryCumulativeFunding: 0n, liquidationPrice: 92n * P, openedAtSec: 0,
}

function callsAt(price: bigint, deleveraging: Deleveraging | null, positions: readonly StoredPosition[]): readonly string[] {
  const overview: MarketOverview = {
    positionIds: [], orderIds: [], crossTraders: [], cumulativeFundingOf: () => 0n, maintenanceBpsOf: () => 200n, fundingDueSec: null,
    lastGoodPrices: new Map(), oraclePrices: new Map([['BTC', { price: price * P, timestampSec: 0 }]]), deleveraging,
  }
  return deleveragingCalls({ overview, positions }).map(({ name, functionName }) => `${functionName} ${name}`)
}

const OFF = (coverage: bigint): Deleveraging => ({ activeAssets: new Set(), coverage: coverage * P })
const ON = (coverage: bigint): Deleveraging => ({ activeAssets: new Set(['BTC']), coverage: coverage * P })

test('checks an asset whose profits exceed the trigger ratio of the coverage', () => {
  // A profit of 100: the flag is set below a coverage of 125.
  assert.deepEqual(callsAt(110n, OFF(125n), [LONG]), [])
  assert.deepEqual(callsAt(110n, OFF(124n), [LONG]), ['check_adl_trigger BTC'])
  assert.deepEqual(callsAt(90n, OFF(0n), [LONG]), [], 'no side is in profit')
})

test('closes the profitable position with the highest score while the flag is set', () => {
  const better = { ...LONG, id: 2n, entryPrice: 90n * P }
  const loser = { ...LONG, id: 3n, direction: 1 }
  assert.deepEqual(callsAt(110n, ON(10n), [LONG, better, loser]), ['adl_close 2'])
})

test('clears the flag from the clear ratio on', () => {
  assert.deepEqual(callsAt(110n, ON(149n), [LONG]), ['adl_close 1'])
  assert.deepEqual(callsAt(110n, ON(150n), [LONG]), ['check_adl_trigger BTC'])
  assert.deepEqual(callsAt(110n, ON(0n), []), ['check_adl_trigger BTC'], 'nothing is open')
})

test('does nothing in generation 1', () => {
  assert.deepEqual(callsAt(110n, null, [LONG]), [])
})
