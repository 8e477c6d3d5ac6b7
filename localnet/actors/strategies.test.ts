import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { DEFAULT_MARKET_CONFIG } from '../contracts/shared/market/defaults.ts'
import { drawCollateral, drawInteger, strategyOf } from './strategies.ts'

const TWELVE = Array.from({ length: 12 }, (_, index) => strategyOf(index))
const strategyNamed = (name: string) => TWELVE.find((strategy) => strategy.name === name) ?? assert.fail(`no strategy is called ${name}`)

test('twelve traders use all strategies, and the thirteenth repeats the first', () => {
  const names = new Set(TWELVE.map((strategy) => strategy.name))
  assert.deepEqual([...names].sort(), ['gambler', 'holder', 'mean reverter', 'scalper', 'sleeper', 'trend follower'])
  assert.equal(strategyOf(12), strategyOf(0))
})

test('drawn leverage and collateral are within the market\'s limits', () => {
  const { max_leverage, min_collateral, max_position_size } = DEFAULT_MARKET_CONFIG
  fc.assert(
    fc.property(fc.constantFrom(...TWELVE), fc.string(), (strategy, seed) => {
      const random = createSeededRandom(seed)
      const collateral = drawCollateral(strategy.collateralUsdc, random)
      const leverage = drawInteger(strategy.leverage, random)
      assert(collateral >= min_collateral && collateral * BigInt(leverage) <= max_position_size, `${collateral} at ${leverage}x`)
      assert(leverage >= 1 && leverage <= max_leverage)
      assert.equal(collateral % (ONE_E7 / 100n), 0n, 'no fractions of a cent')
    }),
  )
})

test('draws cover a range with both bounds, and small collateral is more frequent', () => {
  const random = createSeededRandom('draws')
  const drawn = Array.from({ length: 2_000 }, () => drawInteger({ min: 3, max: 6 }, random))
  assert.deepEqual(new Set(drawn), new Set([3, 4, 5, 6]))
  const range = { min: 100, max: 1_500 }
  const amounts = Array.from({ length: 2_000 }, () => drawCollateral(range, random))
  assert(amounts.every((amount) => amount >= 100n * ONE_E7 && amount <= 1_500n * ONE_E7))
  const small = amounts.filter((amount) => amount < 800n * ONE_E7).length
  assert(small > 1_400, `${small} of 2000 are in the smaller half`)
})

test('strategies follow or fade a price change, and ignore a tiny one', () => {
  const ways = (name: string, change: number): Set<number | null> => {
    const random = createSeededRandom(name)
    return new Set(Array.from({ length: 100 }, () => strategyNamed(name).direction(change, random)))
  }
  assert.deepEqual([ways('trend follower', 0.01), ways('trend follower', -0.01)], [new Set([0]), new Set([1])])
  assert.deepEqual([ways('mean reverter', 0.01), ways('mean reverter', -0.01)], [new Set([1]), new Set([0])])
  for (const name of ['trend follower', 'mean reverter', 'scalper']) assert.equal(ways(name, 0.0001).size, 2)
  assert.equal(ways('gambler', 0.01).size, 2)
})

test('gamblers use full leverage without a stop-loss', () => {
  const gambler = strategyNamed('gambler')
  assert.deepEqual(gambler.leverage, { min: 10, max: 10 })
  assert.equal(gambler.stopLoss, null)
  assert(gambler.holdSec.min >= 86_400)
  assert(gambler.volatileOnly, 'it is squeezed where squeezes happen')
})

test('scalpers close their first position within seconds', () => {
  const quick = TWELVE.filter((strategy) => strategy.firstHoldSec.max <= 6)
  assert(quick.length >= 4, `${quick.length} of twelve`)
})
