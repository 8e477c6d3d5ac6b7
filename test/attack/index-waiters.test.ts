// X-Min-Ledger: no client can take every permit to wait for the index, not even with many keys.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { INDEX_WAITERS_MAX, INDEX_WAITERS_PER_CALLER_MAX } from '../../src/limits.ts'
import { createIndexWaiter } from '../../src/projections/state/index-waiter.ts'
import type { IndexWaiterOptions } from '../../src/projections/state/index-waiter.ts'

test('one address with many keys that takes every permit gives way to others', async () => {
  const store = { read: { query: () => Promise.resolve([]) }, listen: () => Promise.resolve(() => Promise.resolve()) } as unknown as IndexWaiterOptions['store']
  await using waiter = createIndexWaiter({ store, clock: createVirtualClock(0) })
  const { signal } = new AbortController()
  const answered = new Map<string, number>()
  function wait(address: string, key: string): void {
    void waiter.waitForLedger(1_000, { address, key }, signal).then(() => answered.set(address, (answered.get(address) ?? 0) + 1))
  }
  const keys = INDEX_WAITERS_MAX / INDEX_WAITERS_PER_CALLER_MAX
  for (let index = 0; index < INDEX_WAITERS_MAX; index++) wait('192.0.2.66', `nk_${index % keys}`)
  for (let client = 0; client < 50; client++) wait(`198.51.100.${client}`, `nk_honest_${client}`)
  await new Promise((resolve) => void setImmediate(resolve))
  assert.deepEqual([...answered], [['192.0.2.66', 50]], 'everyone else waits')
  assert.equal(waiter.waiterCount(), INDEX_WAITERS_MAX)
})
