import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from './clock.ts'
import { createRefreshedValue } from './refreshed-value.ts'

const LIMITS = { freshMs: 3_000, staleMs: 5_000, servedMs: 30_000, waitMs: 1_000 }

function build() {
  const clock = createVirtualClock(0)
  // Not at the clock's zero, where a time and an age are the same.
  clock.advance(60_000)
  const pending: PromiseWithResolvers<number | null>[] = []
  const value = createRefreshedValue<number>({
    clock, ...LIMITS,
    read() {
      const reading = Promise.withResolvers<number | null>()
      pending.push(reading)
      return reading.promise
    },
  })
  const get = async (key = 'a'): Promise<number | null> => (await value.get(key))?.value ?? null
  return { clock, pending, get }
}

test('reads once for concurrent requests, and serves the value without a read while it is fresh', async () => {
  const { clock, pending, get } = build()
  const both = [get(), get()]
  pending[0]?.resolve(1)
  assert.deepEqual(await Promise.all(both), [1, 1])
  clock.advance(2_999)
  assert.deepEqual([await get(), pending.length], [1, 1])
})

test('renews a value in the background, and waits for the read only once it is stale', async () => {
  const { clock, pending, get } = build()
  const first = get()
  pending[0]?.resolve(1)
  await first
  clock.advance(3_000)
  assert.deepEqual([await get(), pending.length], [1, 2], 'served while it is read')
  pending[1]?.resolve(2)
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(6_000)
  const waiting = get()
  pending[2]?.resolve(3)
  assert.equal(await waiting, 3)
})

test('no request waits longer than the limit in total for a read that hangs, and none after a failure', async () => {
  const { clock, pending, get } = build()
  const waiting = get()
  clock.advance(1_000)
  assert.equal(await waiting, null)
  assert.equal(await get(), null, 'the read has had its time')
  pending[0]?.resolve(null)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([await get(), pending.length], [null, 1], 'a failed read is not repeated at once')
  clock.advance(3_000)
  assert.deepEqual([await get(), pending.length], [null, 2], 'requests do not wait while reads fail')
  pending[1]?.resolve(7)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(await get(), 7)
})

test('serves the last value for a limited time while reads fail, and never for another key', async () => {
  const { clock, pending, get } = build()
  const first = get()
  pending[0]?.resolve(1)
  await first
  clock.advance(10_000)
  const failing = get()
  pending[1]?.resolve(null)
  assert.equal(await failing, 1)
  clock.advance(20_000)
  assert.equal(await get(), null)
  const other = get('b')
  pending.at(-1)?.resolve(9)
  assert.equal(await other, 9)
})
