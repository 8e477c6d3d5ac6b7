import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { createSeededRandom, createSystemRandom } from './random.ts'

function draw(seed: string, count: number): number[] {
  const random = createSeededRandom(seed)
  return Array.from({ length: count }, () => random.float())
}

test('equal seeds give equal draws, different seeds different ones', () => {
  assert.deepEqual(draw('a', 50), draw('a', 50))
  assert.notDeepEqual(draw('a', 50), draw('b', 50))
})

test('a fork does not depend on the draws of its parent', () => {
  const fresh = createSeededRandom('a').fork('prices')
  const parent = createSeededRandom('a')
  parent.bytes(100)
  assert.equal(parent.fork('prices').float(), fresh.float())
  assert.notEqual(createSeededRandom('a').fork('traders').float(), createSeededRandom('a').fork('prices').float())
})

test('draws stay in range and are evenly spread', () => {
  for (const random of [createSeededRandom('spread'), createSystemRandom()]) {
    const buckets = Array.from({ length: 10 }, () => 0)
    for (let count = 0; count < 10_000; count++) {
      const value = random.integer(10)
      assert.ok(Number.isInteger(value) && value >= 0 && value < 10)
      buckets[value] = (buckets[value] ?? 0) + 1
    }
    for (const count of buckets) assert.ok(count > 700 && count < 1_300, `about a tenth of the draws per bucket: ${buckets.join(' ')}`)
  }
})

test('property: bytes returns the requested length', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 200 }), fc.string(), (length, seed) => createSeededRandom(seed).bytes(length).length === length))
})
