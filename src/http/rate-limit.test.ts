import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { createVirtualClock } from '../base/clock.ts'
import { createRateLimiter } from './rate-limit.ts'
import type { Bucket, Outcome, RateLimiter, SharedCounts } from './rate-limit.ts'

const MINUTE_MS = 60_000
const LIMIT = 3

function bucketOf(key: string, table = 'callers', limit = LIMIT): Bucket {
  return { table, key, limit }
}

/** Requests left, or -1 if the request was rejected. */
function left(taken: Outcome | Promise<Outcome>): number {
  assert.ok(!(taken instanceof Promise))
  return taken.allowed ? taken.remaining : -1
}

test('counts down, rejects above the limit, and resets with the wall-clock minute', () => {
  const clock = createVirtualClock(MINUTE_MS * 100 + 59_000)
  const limiter = createRateLimiter({ clock })
  const take = (): number => left(limiter.take([bucketOf('a')]))
  assert.deepEqual([1, 2, 3, 4, 5].map(take), [2, 1, 0, -1, -1])
  assert.equal(limiter.resetSec(), 1)
  clock.advance(999)
  assert.equal(take(), -1)
  assert.equal(limiter.resetSec(), 1)
  clock.advance(1)
  assert.equal(take(), 2)
  assert.equal(limiter.resetSec(), 60)
})

test('counts callers and tables separately', () => {
  const limiter = createRateLimiter({ clock: createVirtualClock(0) })
  for (let call = 0; call < 4; call++) void limiter.take([bucketOf('a')])
  assert.equal(left(limiter.take([bucketOf('a')])), -1)
  assert.equal(left(limiter.take([bucketOf('b')])), 2)
  assert.equal(left(limiter.take([bucketOf('a', 'keys')])), 2)
})

test('counts a request in all its buckets or in none, and reports the one with the fewest requests left', async () => {
  const limiter = createRateLimiter({ clock: createVirtualClock(0) })
  const shared = bucketOf('home', 'addresses', 5)
  const outcomes = ['a', 'a', 'b', 'b', 'c'].map((key) => limiter.take([bucketOf(key), shared]) as Outcome)
  assert.deepEqual(outcomes.map(({ bucket, remaining }) => [bucket.key, remaining]), [['a', 2], ['a', 1], ['b', 2], ['b', 1], ['home', 0]])
  const rejected = limiter.take([bucketOf('d'), shared]) as Outcome
  assert.deepEqual([rejected.allowed, rejected.bucket.key, rejected.remaining], [false, 'home', 0])
  assert.deepEqual(await limiter.remaining([bucketOf('a'), bucketOf('b'), bucketOf('d'), shared]), [1, 1, 3, 0])
})

test('an amount counts as that many requests, and the last one may exceed the limit', () => {
  const limiter = createRateLimiter({ clock: createVirtualClock(0) })
  const take = (amount: number): number => left(limiter.take([bucketOf('a', 'documents', 10)], amount))
  assert.deepEqual([take(4), take(5), take(20), take(1)], [6, 1, 0, -1])
})

test('a full table forgets the callers that were counted longest ago, and a flood takes nothing from a new one', () => {
  const limiter = createRateLimiter({ clock: createVirtualClock(0), maxCallers: 10 })
  const take = (caller: string): number => left(limiter.take([bucketOf(caller)]))
  assert.deepEqual([take('first'), take('first')], [2, 1])
  for (let caller = 0; caller < 50; caller++) {
    assert.deepEqual(Array.from({ length: LIMIT + 2 }, () => take(`late ${caller}`)), [2, 1, 0, -1, -1])
    if (caller === 3) assert.equal(take('first'), 0)
  }
  assert.equal(take('first'), 2)
})

test('never allows a caller more than its limit in one aligned minute', () => {
  const step = fc.record({ caller: fc.constantFrom('a', 'b', 'c'), waitMs: fc.integer({ min: 0, max: 25_000 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.constantFrom(6, 100), (steps, maxCallers) => {
      const clock = createVirtualClock(1_783_339_200_123)
      const limiter = createRateLimiter({ clock, maxCallers })
      const passed = new Map<string, number>()
      for (const { caller, waitMs } of steps) {
        clock.advance(waitMs)
        const key = `${caller} ${Math.floor(clock.nowMs() / MINUTE_MS)}`
        const before = passed.get(key) ?? 0
        const remaining = left(limiter.take([bucketOf(caller)]))
        assert.equal(remaining, before < LIMIT ? LIMIT - before - 1 : -1)
        if (remaining !== -1) passed.set(key, before + 1)
      }
    }),
  )
})

/** Shared counts in memory. `state.down` makes them unavailable. */
function createFakeShared() {
  const counts = new Map<string, number>()
  const state = { down: false, calls: 0 }
  const shared: SharedCounts = {
    get available() {
      return !state.down
    },
    async take(window, buckets, amount) {
      state.calls++
      if (state.down) return undefined
      const names = buckets.map(({ table, key }) => `${window} ${table} ${key}`)
      const allowed = buckets.every(({ limit }, index) => (counts.get(names[index] ?? '') ?? 0) < limit)
      if (allowed) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + amount)
      return await Promise.resolve({ allowed, used: names.map((name) => counts.get(name) ?? 0) })
    },
  }
  return { shared, state }
}

/** Two instances, and the requests left after one of them counts a request of a caller. */
function createInstances(shared: SharedCounts) {
  const clock = createVirtualClock(0)
  const [one, two] = [createRateLimiter({ clock, shared }), createRateLimiter({ clock, shared })]
  const take = async (limiter: RateLimiter, key: string): Promise<number> => left(await limiter.take([bucketOf(key)]))
  return { clock, takeOne: (key: string) => take(one, key), takeTwo: (key: string) => take(two, key), one, two }
}

test('instances with shared counts enforce one common limit', async () => {
  const { shared, state } = createFakeShared()
  const { clock, takeOne, takeTwo, two } = createInstances(shared)
  assert.equal(await takeOne('a'), 2)
  assert.equal(await takeTwo('a'), 1)
  assert.equal(await takeOne('a'), 0)
  assert.equal(await takeTwo('a'), -1)
  const { calls } = state
  assert.equal(await takeTwo('a'), -1)
  assert.equal(state.calls, calls, 'rejects a caller known to be over its limit without a call to the shared store')
  assert.deepEqual(await two.remaining([bucketOf('a'), bucketOf('b')]), [0, 3])
  clock.advance(MINUTE_MS)
  assert.equal(await takeTwo('a'), 2)
})

test('falls back to local counts while the shared store is down, and returns to it afterwards', async () => {
  const { shared, state } = createFakeShared()
  const { takeOne, takeTwo } = createInstances(shared)
  await takeTwo('k')
  await takeOne('k')
  state.down = true
  assert.equal(await takeOne('k'), 0, 'requests already counted in the shared store still count')
  state.down = false
  assert.equal(await takeTwo('k'), 0)
})
