import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from './clock.ts'
import { createTtlCache } from './ttl-cache.ts'

function counting() {
  let computed = 0
  return { compute: async () => ({ run: ++computed }), runs: () => computed }
}

test('shares one computation, caches it for the TTL, then computes again', async () => {
  const clock = createVirtualClock(0)
  const cache = createTtlCache<{ run: number }>({ clock, ttlMs: 5_000, maxEntries: 2 })
  const { compute, runs } = counting()
  const both = await Promise.all([cache.get('a', compute), cache.get('a', compute)])
  assert.deepEqual(both, [{ run: 1 }, { run: 1 }])
  clock.advance(4_999)
  assert.ok(!(cache.get('a', compute) instanceof Promise), 'a cached value is returned synchronously')
  clock.advance(1)
  assert.deepEqual(await cache.get('a', compute), { run: 2 })
  assert.equal(runs(), 2)
})

test('a failure rejects all waiting callers and is not cached', async () => {
  const cache = createTtlCache<object>({ clock: createVirtualClock(0), ttlMs: 5_000, maxEntries: 2 })
  const failing = async (): Promise<object> => {
    throw new Error('away')
  }
  const calls = [1, 2].map(async () => cache.get('a', failing))
  const results = await Promise.allSettled(calls)
  assert.deepEqual(results.map(({ status }) => status), ['rejected', 'rejected'])
  assert.deepEqual(await cache.get('a', async () => ({ fine: true })), { fine: true })
})

test('evicts the oldest entry when the cache is full', async () => {
  const cache = createTtlCache<{ run: number }>({ clock: createVirtualClock(0), ttlMs: 5_000, maxEntries: 2 })
  const { compute } = counting()
  for (const key of ['a', 'b', 'c']) await cache.get(key, compute)
  assert.ok(cache.get('a', compute) instanceof Promise)
  assert.ok(!(cache.get('c', compute) instanceof Promise))
})

test('a deleted value is computed again', async () => {
  const cache = createTtlCache<{ run: number }>({ clock: createVirtualClock(0), ttlMs: 5_000, maxEntries: 2 })
  const { compute } = counting()
  await cache.get('a', compute)
  cache.delete('a')
  assert.deepEqual(await cache.get('a', compute), { run: 2 })
})
