import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, fuzzRuns } from '../../test/support/fuzz.ts'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { plain } from '../test-network.ts'
import type { OrderStrategy } from './strategies.ts'
import { strategyOf } from './strategies.ts'
import { REDUCE_ONLY } from './stored-entries.ts'
import type { StoredPosition } from './stored-entries.ts'
import { drawEntry, drawExits, entryCall, exitCall } from './order-calls.ts'
import type { EntryTerms, Exit, TraderCall } from './order-calls.ts'

const ALL_EXITS: readonly Exit[] = ['stop_loss', 'take_profit', 'trailing_stop', 'reduce_only']
const STRATEGIES = Array.from({ length: 12 }, (_, index) => strategyOf(index).orders)
const PRICE = 100n * ONE_E7
const TERMS: EntryTerms = { asset: 'BTC', direction: 0, collateral: 100n * ONE_E7, leverage: 5, price: PRICE }
const POSITION: StoredPosition = {
  id: 7n, trader: 'G', asset: 'BTC', direction: 0, marginMode: 0, collateral: 99n * ONE_E7, size: 500n * ONE_E7, leverage: 5, entryPrice: PRICE,
  entryCumulativeFunding: 0n, liquidationPrice: 81n * ONE_E7, openedAtSec: 0,
}

type LimitArgs = [asset: string, direction: number, collateral: bigint, leverage: number, trigger: bigint, isAbove: boolean, tolerance: number, force: number]
const argsOf = (call: TraderCall): readonly unknown[] => call.args.map(plain)
const strategies = fc.constantFrom(...STRATEGIES)
const directions = fc.constantFrom<0 | 1>(0, 1)
/** From the lowest market price to the highest. */
const prices = fc.bigInt({ min: 100_000n, max: 10n ** 13n })

test('a limit order waits at a better price, except for marketable immediate-or-cancel orders; post-only occurs', () => {
  const seen = new Set<string>()
  fc.assert(fc.property(strategies, directions, prices, fc.string(), (strategy, direction, price, seed) => {
    const call = entryCall('limit', { ...TERMS, direction, price }, strategy, createSeededRandom(seed))
    const [asset, way, collateral, leverage, trigger, isAbove, tolerance, timeInForce] = argsOf(call) as LimitArgs
    assert.deepEqual([call.functionName, asset, way, collateral, leverage], ['place_limit_order', 'BTC', direction, TERMS.collateral, 5])
    assert.equal(isAbove, direction === 1)
    const isThere = isAbove ? price >= trigger : price <= trigger
    if (timeInForce !== 1) assert(!isThere, 'it would be filled at once')
    assert(tolerance > 0 && tolerance <= 10_000)
    seen.add(`${timeInForce} ${isThere}`)
  }), { numRuns: fuzzRuns(400) })
  assert.deepEqual([...seen].sort(), ['0 false', '1 false', '1 true', '2 false'])
})

test('a stop-limit order waits for a breakout, with its limit between the market and its stop', () => {
  fc.assert(fc.property(strategies, directions, prices, fc.string(), (strategy, direction, price, seed) => {
    const call = entryCall('stop_limit', { ...TERMS, direction, price }, strategy, createSeededRandom(seed))
    const [, , , , trigger, limit, isAbove] = argsOf(call) as [string, number, bigint, number, bigint, bigint, boolean]
    assert.equal(call.functionName, 'place_stop_limit_order')
    assert.equal(isAbove, direction === 0)
    if (isAbove) assert(price <= limit && limit < trigger, `${price} ${limit} ${trigger}`)
    else assert(price >= limit && limit > trigger, `${price} ${limit} ${trigger}`)
  }), { numRuns: fuzzRuns(400) })
})

test('the market accepts the closing orders of a position at every price', () => {
  fc.assert(fc.property(strategies, directions, prices, fc.integer({ min: -900, max: 900 }), fc.string(), (strategy, direction, entryPrice, movedBps, seed) => {
    const price = (entryPrice * BigInt(10_000 + movedBps)) / 10_000n
    const position = { ...POSITION, direction, entryPrice }
    const random = createSeededRandom(seed)
    const call = (exit: Exit) => argsOf(exitCall(exit, position, price, strategy, random))
    const isBeyond = (trigger: bigint, better: boolean): boolean => (better === (direction === 0) ? trigger > entryPrice : trigger < entryPrice)
    const [, stop] = call('stop_loss') as [bigint, bigint]
    assert(stop > 0n && isBeyond(stop, false), 'the stop-loss is on the wrong side')
    const [, target, , limit] = call('take_profit') as [bigint, bigint, number, bigint]
    assert(isBeyond(target, true), 'the take-profit is on the wrong side')
    const [low, high] = entryPrice < target ? [entryPrice, target] : [target, entryPrice]
    assert(limit === 0n || (limit >= low && limit <= high))
    const [, percentBps] = call('trailing_stop') as [bigint, number]
    assert(percentBps >= 1 && percentBps <= 5_000)
  }), { numRuns: fuzzRuns(400) })
})

test('a reduce-only order has the opposite direction and the size of the position', () => {
  const call = exitCall('reduce_only', POSITION, PRICE, STRATEGIES[0] ?? assert.fail('there are strategies'), createSeededRandom('x'))
  const [asset, direction, collateral, leverage, trigger, isAbove, , timeInForce] = argsOf(call) as LimitArgs
  assert.deepEqual([asset, direction, isAbove, timeInForce], ['BTC', 1, true, REDUCE_ONLY])
  assert(collateral * BigInt(leverage) >= POSITION.size && trigger > PRICE)
})

test('a share of one means always, a share of zero never', () => {
  const all = (share: number): OrderStrategy => ({
    cross: 0, limit: 0, stopLimit: 0, stopLoss: share, takeProfit: share, trailingStop: share, reduceOnly: share,
    distanceBps: { min: 5, max: 5 }, maxWaitSec: { min: 1, max: 1 },
  })
  const random = createSeededRandom('shares')
  for (let draw = 0; draw < 50; draw++) {
    assert.deepEqual([drawExits(all(1), random), drawExits(all(0), random)], [ALL_EXITS, []])
    assert.deepEqual(
      [drawEntry(all(0), random), drawEntry({ ...all(0), cross: 1 }, random), drawEntry({ ...all(0), limit: 1 }, random)], ['market', 'cross', 'limit'],
    )
    assert.equal(drawEntry({ ...all(0), stopLimit: 1 }, random), 'stop_limit')
  }
})
