// What the relay learns from earlier transactions and from the node, and for how long.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import { createLedgerClock } from '../../base/ledger-clock.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { HEADROOM_PERCENT } from '../../exchange/contracts/resource-headroom.ts'
import { createLearnedHeadroom } from './learned-footprints.ts'
import { createBoundsTime, LEDGER_TIME_TIMEOUT_MS, LEDGER_TIME_TTL_MS } from './ledger-time.ts'
import { createNextIds, NEXT_IDS_MIN } from './next-ids.ts'

test('covers more ids the faster a counter grew in the last minute, up to 24', () => {
  const clock = createVirtualClock(0)
  const ids = createNextIds(clock)
  assert.equal(ids.count(), NEXT_IDS_MIN)
  ids.observe('orders', 100n)
  assert.equal(ids.count(), 8)
  clock.advance(30_000)
  ids.observe('orders', 103n)
  assert.equal(ids.count(), 11, '3 ids in 30 s')
  clock.advance(15_000)
  assert.equal(ids.count(), 10, '3 ids in 45 s')
  ids.observe('positions', 7n)
  ids.observe('positions', 16n)
  assert.equal(ids.count(), 24, 'never more, also within one second')
  clock.advance(15_000)
  assert.equal(ids.count(), 24, '9 ids in 15 s')
  clock.advance(15_000)
  assert.equal(ids.count(), 17, '9 ids in 30 s; the first order is more than a minute ago')
  clock.advance(45_001)
  assert.equal(ids.count(), 8)
})

test('forgets the rate of a counter that begins again', () => {
  const clock = createVirtualClock(0)
  const ids = createNextIds(clock)
  ids.observe('orders', 100n)
  clock.advance(30_000)
  ids.observe('orders', 103n)
  ids.observe('orders', 103n)
  assert.equal(ids.count(), 11, 'the same id again changes nothing')
  ids.observe('orders', 1n)
  assert.equal(ids.count(), 8)
  clock.advance(60_000)
  ids.observe('orders', 4n)
  assert.equal(ids.count(), 10, 'the window includes its beginning')
})

test('keeps the samples and the counters bounded', () => {
  const clock = createVirtualClock(0)
  const ids = createNextIds(clock)
  for (let id = 0n; id <= 64n; id++) {
    clock.advance(900)
    ids.observe('orders', id === 0n ? 0n : 1_000n)
    if (id === 63n) assert.equal(ids.count(), 24)
  }
  assert.equal(ids.count(), 8, 'the first sample is gone')
  clock.advance(10_000)
  for (let counter = 0; counter < 15; counter++) ids.observe(`full ${counter}`, 1n)
  ids.observe('full 1', 3n)
  assert.equal(ids.count(), 24)
  ids.observe('one more', 1n)
  assert.equal(ids.count(), 8)
})

test('doubles the headroom of a function for a day, up to 100 %', () => {
  const clock = createVirtualClock(0)
  const headroom = createLearnedHeadroom(clock)
  assert.equal(headroom.percentOf('open'), HEADROOM_PERCENT)
  headroom.raise('open')
  assert.deepEqual([headroom.percentOf('open'), headroom.percentOf('close')], [2 * HEADROOM_PERCENT, HEADROOM_PERCENT])
  for (let times = 0; times < 5; times++) headroom.raise('open')
  assert.equal(headroom.percentOf('open'), 100)
  clock.advance(24 * 3_600_000 - 1)
  assert.equal(headroom.percentOf('open'), 100)
  clock.advance(1)
  assert.equal(headroom.percentOf('open'), HEADROOM_PERCENT)
})

test('remembers the headroom of 64 functions, and raising one again keeps it', () => {
  const headroom = createLearnedHeadroom(createVirtualClock(0))
  for (let index = 0; index < 64; index++) headroom.raise(`function ${index}`)
  headroom.raise('function 9')
  assert.ok(headroom.percentOf('function 0') > HEADROOM_PERCENT, 'raising one again replaces none')
  headroom.raise('function 0')
  headroom.raise('one more')
  assert.deepEqual([headroom.percentOf('function 1'), headroom.percentOf('function 2') > HEADROOM_PERCENT], [HEADROOM_PERCENT, true])
  assert.ok(headroom.percentOf('function 0') > HEADROOM_PERCENT)
})

test('the time is the later one of this machine and of the last ledger, read once a second', async () => {
  const clock = createVirtualClock(1_000_000)
  let reads = 0
  let answer: () => Promise<{ latestLedger: number; latestLedgerCloseSec: number | null }> = () =>
    Promise.resolve({ latestLedger: 7, latestLedgerCloseSec: 1_005 })
  const rpc = { getHealth: (): Promise<unknown> => (reads += 1, answer()) } as unknown as Rpc
  const time = createBoundsTime({ rpc, clock, ledgerClock: createLedgerClock({ clock }) })
  assert.deepEqual(await Promise.all([time.nowSec(), time.nowSec()]), [1_005, 1_005])
  clock.advance(LEDGER_TIME_TTL_MS - 1)
  assert.deepEqual([await time.nowSec(), reads], [1_005, 1])
  clock.advance(9_001)
  assert.deepEqual([await time.nowSec(), reads], [1_015, 2], 'the time runs on from a ledger that was seen')
  clock.advance(LEDGER_TIME_TTL_MS)
  answer = () => Promise.resolve({ latestLedger: 8, latestLedgerCloseSec: null })
  assert.deepEqual([await time.nowSec(), reads], [1_016, 3])
  clock.advance(LEDGER_TIME_TTL_MS)
  answer = () => Promise.reject(new RpcFailure({ method: 'getHealth', kind: 'unreachable', retryable: true, detail: 'down' }))
  assert.equal(await time.nowSec(), 1_017)
  assert.equal(clock.pendingTimers(), 0)
})

test('a node that does not respond delays the time by two seconds at most', async () => {
  const clock = createVirtualClock(1_000_000)
  const rpc = {
    getHealth: ({ signal }: { signal: AbortSignal }): Promise<unknown> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  } as unknown as Rpc
  const now = createBoundsTime({ rpc, clock, ledgerClock: createLedgerClock({ clock }) }).nowSec()
  clock.advance(LEDGER_TIME_TIMEOUT_MS)
  assert.equal(await now, 1_002)
})
