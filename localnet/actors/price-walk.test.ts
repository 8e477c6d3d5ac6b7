import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { PRICED_SYMBOLS } from '../assets.ts'
import { MARKETS, isVolatile } from './markets.ts'
import { createPriceFeed } from './price-feed.ts'
import { createPriceReplay, parsePriceFile } from './price-file.ts'
import { createPriceWalk } from './price-walk.ts'

const priceOf = (walk: { price(asset: string): bigint }, asset: string): number => Number(walk.price(asset))

test('prices stay within the router\'s bands, and no step reaches the deviation limit', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.integer({ min: 0, max: 100_000 }), { maxLength: 200 }), (seed, pauses) => {
      const walk = createPriceWalk(createSeededRandom(seed))
      for (const seconds of pauses) {
        const before = new Map(PRICED_SYMBOLS.map((asset) => [asset, walk.price(asset)]))
        walk.advance(seconds)
        for (const asset of PRICED_SYMBOLS) {
          const market = MARKETS[asset]
          const price = walk.price(asset)
          assert(market !== undefined && price >= market.lowest && price <= market.highest, `${asset} left its band: ${price}`)
          const moved = Math.abs(Number(price) / Number(before.get(asset)) - 1)
          assert(moved < 0.005, `${asset} moved by ${moved} in one step of ${seconds} s`)
        }
      }
    }),
    { numRuns: 50 },
  )
})

test('a day of prices has the modelled volatility and correlation, and stays near the start', () => {
  const walk = createPriceWalk(createSeededRandom('a day'))
  const minutes: Record<string, number[]> = { BTC: [], ETH: [], ZEC: [] }
  const last = new Map(PRICED_SYMBOLS.map((asset) => [asset, priceOf(walk, asset)]))
  for (let second = 0; second < 86_400; second += 2) {
    walk.advance(2)
    if (second % 60 !== 0) continue
    for (const [asset, returns] of Object.entries(minutes)) {
      const price = priceOf(walk, asset)
      returns.push(Math.log(price / (last.get(asset) ?? price)))
      last.set(asset, price)
    }
  }
  const { BTC = [], ETH = [], ZEC = [] } = minutes
  const yearly = spread(BTC) * Math.sqrt(365 * 24 * 60)
  assert(yearly > 0.3 && yearly < 1, `BTC's yearly volatility is ${yearly}`)
  assert(spread(ZEC) > 1.4 * spread(BTC), 'ZEC is no wilder than BTC')
  assert(correlation(BTC, ETH) > 0.5, `BTC and ETH go together by ${correlation(BTC, ETH)} only`)
  for (const asset of PRICED_SYMBOLS) {
    const share = priceOf(walk, asset) / Number(MARKETS[asset]?.startPrice)
    assert(share > 0.6 && share < 1.6, `${asset} ended the day at ${share} of its start`)
  }
})

test('a volatile market has about one squeeze per day, which liquidates full leverage and mostly reverses; a calm one has none', () => {
  const walk = createPriceWalk(createSeededRandom('squeezes'))
  const days = 5
  const minutes = new Map(PRICED_SYMBOLS.map((asset) => [asset, [] as number[]]))
  for (let minute = 0; minute < days * 1_440; minute++) {
    for (let step = 0; step < 3; step++) walk.advance(20)
    for (const [asset, prices] of minutes) prices.push(Math.log(priceOf(walk, asset)))
  }
  let squeezes = 0
  for (const [asset, prices] of minutes) {
    const market = MARKETS[asset] ?? assert.fail(asset)
    const found = findSqueezes(prices)
    if (!isVolatile(market)) assert.deepEqual(found, [], `${asset} is calm`)
    squeezes += found.length
    for (const { before, after } of found) assert(Math.abs(after - before) < 0.06, `${asset} did not come back: ${after - before}`)
  }
  const wild = Object.values(MARKETS).filter(isVolatile).length
  assert(squeezes > days * wild * 0.5 && squeezes < days * wild * 1.5, `${squeezes} squeezes in ${days} days of ${wild} markets`)
})

/** Moves of 8 % or more within a quarter of an hour in log prices per minute, and the level forty minutes later. */
function findSqueezes(prices: readonly number[]): { readonly before: number; readonly after: number }[] {
  const found: { before: number; after: number }[] = []
  for (let minute = 15; minute < prices.length - 40; minute++) {
    const [now = 0, before = 0, after = 0] = [prices[minute], prices[minute - 15], prices[minute + 40]]
    if (Math.abs(now - before) < 0.08) continue
    found.push({ before, after })
    minute += 60
  }
  return found
}

test('the same seed gives the same walk, another seed another one', () => {
  const walked = (seed: string): string => {
    const walk = createPriceWalk(createSeededRandom(seed))
    for (let step = 0; step < 50; step++) walk.advance(3)
    return PRICED_SYMBOLS.map((asset) => walk.price(asset)).join()
  }
  assert.equal(walked('one'), walked('one'))
  assert.notEqual(walked('one'), walked('two'))
})

test('a walk continues from the prices that are set, within the band', () => {
  const walk = createPriceWalk(createSeededRandom('anchor'))
  walk.setPrices(new Map([['BTC', 500_000_000_000n], ['ETH', 1n], ['SOL', -5n]]))
  assert(Math.abs(priceOf(walk, 'BTC') / 500_000_000_000 - 1) < 1e-9)
  assert.equal(walk.price('ETH'), MARKETS['ETH']?.lowest)
  assert.equal(walk.price('SOL'), MARKETS['SOL']?.lowest)
})

test('a price file is replayed by its offsets, and the walk provides the other prices', () => {
  const lines = parsePriceFile('seconds,asset,price\n# the beginning\n10,BTC,90500.5\n\n0,BTC,90000\n20, ETH ,3000\n')
  const walk = createPriceWalk(createSeededRandom('tape'))
  const tape = createPriceReplay(lines, walk)
  const seen = [tape.price('BTC')]
  tape.advance(9)
  seen.push(tape.price('BTC'))
  assert.equal(tape.price('ETH'), walk.price('ETH'))
  tape.advance(1)
  seen.push(tape.price('BTC'))
  tape.advance(1_000)
  seen.push(tape.price('BTC'), tape.price('ETH'))
  assert.deepEqual(seen, [900_000_000_000n, 900_000_000_000n, 905_005_000_000n, 905_005_000_000n, 30_000_000_000n])
})

test('names an invalid line', () => {
  for (const [text, expected] of [
    ['0,BTC', /line 1/],
    ['0,BTC,1\n0,FOO,2', /line 2.*FOO/],
    ['-1,BTC,1', /line 1.*-1/],
    ['0,BTC,1.12345678', /line 1.*7 decimals/],
    ['0,BTC,0', /line 1: the price must be positive/],
    ['0,BTC,1,2', /line 1/],
  ] as const) {
    assert.throws(() => parsePriceFile(text), expected)
  }
})

test('a held price is constant until it is released, and the walk continues from it', () => {
  const feed = createPriceFeed(createPriceWalk(createSeededRandom('feed')))
  feed.advanceTo(1_000)
  feed.hold('BTC', { price: 600_000_000_000n, ageSec: 61 })
  const kept = feed.state()
  feed.advanceTo(1_100)
  assert.deepEqual(feed.quote('BTC'), { price: 600_000_000_000n, ageSec: 61 })
  feed.release(null)
  assert.equal(feed.quote('BTC').ageSec, 0)
  assert(Math.abs(Number(feed.quote('BTC').price) / 600_000_000_000 - 1) < 1e-9)
  feed.restore(kept)
  assert.equal(feed.quote('BTC').ageSec, 61)
  assert.equal(feed.quote('ETH').price, kept.prices.get('ETH'))
})

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function spread(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)))
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const [middleA, middleB] = [mean(a), mean(b)]
  return mean(a.map((value, index) => (value - middleA) * ((b[index] ?? 0) - middleB))) / (spread(a) * spread(b))
}
