import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from './clock.ts'
import { createTtlCache } from './ttl-cache.ts'

function counting() {
  let computed = 0
  return { compute: async () => ({ run: ++computed }), runs: () => computed }
}

test('computes once for all who ask meanwhile, keeps for its time, then computes anew', async () => {
  const clock = createVirtualClock(0)
  const memo = createTtlCache<{ run: number }>({ clock, ttlMs: 5_000, maxEntries: 2 })
  const { compute, runs } = counting()
  const both = await Promise.all([memo.get('a', compute), memo.get('a', compute)])
  assert.deepEqual(both, [{ run: 1 }, { run: 1 }])
  clock.advance(4_999)
  assert.ok(!(memo.get('a', compute) instanceof Promise), 'a kept value is there at once')
  clock.advance(1)
  assert.deepEqual(await memo.get('a', compute), { run: 2 })
  assert.equal(runs(), 2)
})

test('a failure is told to all who waited and is not kept', async () => {
  const memo = createTtlCache<object>({ clock: createVirtualClock(0), ttlMs: 5_000, maxEntries: 2 })
  const failing = async (): Promise<object> => {
    throw new Error('away')
  }
  const asked = [1, 2].map(async () => memo.get('a', failing))
  const results = await Promise.allSettled(asked)
  assert.deepEqual(results.map(({ status }) => status), ['rejected', 'rejected'])
  assert.deepEqual(await memo.get('a', async () => ({ fine: true })), { fine: true })
})

test('keeps no more than its bound, the newest', async () => {
  const memo = createTtlCache<{ run: number }>({ clock: createVirtualClock(0), ttlMs: 5_000, maxEntries: 2 })
  const { compute } = counting()
  for (const key of ['a', 'b', 'c']) await memo.get(key, compute)
  assert.ok(memo.get('a', compute) instanceof Promise)
  assert.ok(!(memo.get('c', compute) instanceof Promise))
})

test('what is forgotten is computed anew', async () => {
  const memo = createTtlCache<{ run: number }>({ clock: createVirtualClock(0), ttlMs: 5_000, maxEntries: 2 })
  const { compute } = counting()
  await memo.get('a', compute)
  memo.delete('a')
  assert.deepEqual(await memo.get('a', compute), { run: 2 })
})
