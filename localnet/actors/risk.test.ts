import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { MAINTENANCE_MARGIN_BPS } from './exchange-state.ts'
import type { StoredPosition } from './stored-entries.ts'
import { isCrossLiquidatable, isLiquidatable, positionFunding, positionPnl } from './risk.ts'

const LONG: StoredPosition = {
  id: 1n, trader: 'G', asset: 'BTC', direction: 0, marginMode: 0, collateral: 100n * ONE_E7, size: 1_000n * ONE_E7, leverage: 10,
  entryPrice: 100n * ONE_E7, entryCumulativeFunding: 0n, liquidationPrice: 91n * ONE_E7, openedAtSec: 0,
}
const SHORT: StoredPosition = { ...LONG, direction: 1, liquidationPrice: 109n * ONE_E7 }

test('a 10x position is liquidatable from a nine percent loss', () => {
  assert.equal(isLiquidatable(LONG, 91n * ONE_E7 + 1n, 0n), false)
  assert.equal(isLiquidatable(LONG, 91n * ONE_E7, 0n), true)
  assert.equal(isLiquidatable(SHORT, 109n * ONE_E7 - 1n, 0n), false)
  assert.equal(isLiquidatable(SHORT, 109n * ONE_E7, 0n), true)
})

test('funding alone can make a position liquidatable', () => {
  const cumulative = ONE_E7 / 20n
  assert.equal(positionFunding(LONG, cumulative), 50n * ONE_E7)
  assert.equal(positionFunding(SHORT, cumulative), -50n * ONE_E7)
  assert.equal(isLiquidatable(LONG, 95n * ONE_E7, 0n), false)
  assert.equal(isLiquidatable(LONG, 95n * ONE_E7, cumulative), true)
})

test('a cross position and a price of zero are not liquidatable here', () => {
  assert.equal(isLiquidatable({ ...LONG, marginMode: 1, liquidationPrice: 0n }, ONE_E7, 0n), false)
  assert.equal(isLiquidatable(LONG, 0n, 0n), false)
})

test('PnL truncates toward zero on both sides', () => {
  const odd = { ...LONG, size: 10n, entryPrice: 3n }
  assert.equal(positionPnl(odd, 4n), 3n)
  assert.equal(positionPnl(odd, 2n), -3n)
})

test('a cross account is liquidatable by its total equity against the total maintenance margin', () => {
  const cross = { ...LONG, marginMode: 1, liquidationPrice: 0n }
  const hedge = { ...cross, id: 2n, direction: 1, asset: 'ETH' }
  const prices = (btc: bigint, eth: bigint) => (asset: string) => (asset === 'BTC' ? btc : eth) * ONE_E7
  const account = (pool: bigint) => ({ pool: pool * ONE_E7, positions: [cross, hedge] })
  // Equity is 200 plus PnL; the maintenance margin is 20.
  assert.equal(isCrossLiquidatable(account(0n), prices(82n, 100n), () => 0n, () => MAINTENANCE_MARGIN_BPS), false)
  assert.equal(isCrossLiquidatable(account(0n), prices(81n, 100n), () => 0n, () => MAINTENANCE_MARGIN_BPS), true)
  assert.equal(isCrossLiquidatable(account(0n), prices(81n, 99n), () => 0n, () => MAINTENANCE_MARGIN_BPS), false, 'one leg pays for the other')
  assert.equal(isCrossLiquidatable(account(10n), prices(81n, 100n), () => 0n, () => MAINTENANCE_MARGIN_BPS), false, 'so does the pool')
})

test('in a cross account funding counts, a price of zero means no PnL, and a missing price makes it no candidate', () => {
  const account = { pool: 0n, positions: [{ ...LONG, marginMode: 1 }] }
  assert.equal(isCrossLiquidatable(account, () => 95n * ONE_E7, () => 0n, () => MAINTENANCE_MARGIN_BPS), false)
  assert.equal(isCrossLiquidatable(account, () => 95n * ONE_E7, () => ONE_E7 / 20n, () => MAINTENANCE_MARGIN_BPS), true)
  assert.equal(isCrossLiquidatable(account, () => 0n, () => 0n, () => MAINTENANCE_MARGIN_BPS), false)
  assert.equal(isCrossLiquidatable(account, () => undefined, () => ONE_E7, () => MAINTENANCE_MARGIN_BPS), false)
})
