import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { createVirtualClock } from '../base/clock.ts'
import { createRateLimiter } from './rate-limit.ts'
import type { SharedCounts } from './rate-limit.ts'

const MINUTE_MS = 60_000
const LIMITS = { public: 3, standard: 5, market_maker: 7 }

test('counts down, rejects above the limit, and resets with the wall-clock minute', () => {
  const clock = createVirtualClock(MINUTE_MS * 100 + 59_000)
  const limiter = createRateLimiter({ clock, limits: LIMITS })
  assert.deepEqual([1, 2, 3, 4, 5].map(() => limiter.take('public', 'a')), [2, 1, 0, -1, -1])
  assert.equal(limiter.retryAfterSec(), 1)
  clock.advance(999)
  assert.equal(limiter.take('public', 'a'), -1)
  assert.equal(limiter.retryAfterSec(), 1)
  clock.advance(1)
  assert.equal(limiter.take('public', 'a'), 2)
  assert.equal(limiter.retryAfterSec(), 60)
})

test('counts callers and tiers separately', () => {
  const limiter = createRateLimiter({ clock: createVirtualClock(0), limits: LIMITS })
  for (let call = 0; call < 4; call++) void limiter.take('public', 'a')
  assert.equal(limiter.take('public', 'a'), -1)
  assert.equal(limiter.take('public', 'b'), 2)
  assert.equal(limiter.take('standard', 'a'), 4)
})

test('bounds the number of tracked callers without granting extra requests', () => {
  const clock = createVirtualClock(0)
  const limiter = createRateLimiter({ clock, limits: LIMITS, maxCallers: 10 })
  for (let caller = 0; caller < 10; caller++) void limiter.take('public', `early ${caller}`)
  const late = Array.from({ length: 50 }, (_, caller) => limiter.take('public', `late ${caller}`))
  assert.equal(late.filter((remaining) => remaining !== -1).length, LIMITS.public)
  assert.ok(limiter.size() <= 11)
  assert.equal(limiter.take('public', 'early 3'), 1, 'an already tracked caller keeps its own count')
  clock.advance(MINUTE_MS)
  assert.equal(limiter.take('public', 'late 7'), 2)
  assert.equal(limiter.size(), 1)
})

test('never allows a caller more than its limit in one aligned minute', () => {
  const step = fc.record({ caller: fc.constantFrom('a', 'b', 'c'), waitMs: fc.integer({ min: 0, max: 25_000 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const clock = createVirtualClock(1_783_339_200_123)
      const limiter = createRateLimiter({ clock, limits: LIMITS })
      const passed = new Map<string, number>()
      for (const { caller, waitMs } of steps) {
        clock.advance(waitMs)
        const key = `${caller} ${Math.floor(clock.nowMs() / MINUTE_MS)}`
        const before = passed.get(key) ?? 0
        const remaining = limiter.take('public', caller)
        assert.equal(remaining, before < LIMITS.public ? LIMITS.public - before - 1 : -1)
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
    async add(window, tier, bucket) {
      state.calls++
      if (state.down) return undefined
      const key = `${window} ${tier} ${bucket}`
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return await Promise.resolve(count)
    },
  }
  return { shared, state }
}

test('instances with shared counts enforce one common limit', async () => {
  const clock = createVirtualClock(0)
  const { shared, state } = createFakeShared()
  const [one, two] = [createRateLimiter({ clock, limits: LIMITS, shared }), createRateLimiter({ clock, limits: LIMITS, shared })]
  assert.equal(await one.take('public', 'a'), 2)
  assert.equal(await two.take('public', 'a'), 1)
  assert.equal(await one.take('public', 'a'), 0)
  assert.equal(await two.take('public', 'a'), -1)
  const { calls } = state
  assert.equal(await two.take('public', 'a'), -1)
  assert.equal(state.calls, calls, 'rejects a caller known to be over its limit without a call to the shared store')
  clock.advance(MINUTE_MS)
  assert.equal(await two.take('public', 'a'), 2)
})

test('falls back to local counts while the shared store is down, and returns to it afterwards', async () => {
  const clock = createVirtualClock(0)
  const { shared, state } = createFakeShared()
  const [one, two] = [createRateLimiter({ clock, limits: LIMITS, shared }), createRateLimiter({ clock, limits: LIMITS, shared })]
  await two.take('standard', 'k')
  await one.take('standard', 'k')
  state.down = true
  assert.equal(await one.take('standard', 'k'), LIMITS.standard - 3, 'requests already counted in the shared store still count')
  state.down = false
  assert.equal(await two.take('standard', 'k'), LIMITS.standard - 3)
})
