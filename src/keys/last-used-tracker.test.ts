import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createLastUsedTracker, MAX_TRACKED_KEYS, FLUSH_INTERVAL_MS } from './last-used-tracker.ts'

const START_MS = 1_000_000

interface Write {
  readonly group: ReadonlyMap<string, number>
  readonly done: PromiseWithResolvers<void>
}

function build() {
  const clock = createVirtualClock(START_MS)
  const writes: Write[] = []
  const warnings: string[] = []
  const tracker = createLastUsedTracker({
    clock,
    log: { ...silentLog, warn: (_fields, message) => warnings.push(message) },
    write(group) {
      const done = Promise.withResolvers<void>()
      writes.push({ group, done })
      return done.promise
    },
  })
  const groups = () => writes.map(({ group }) => Object.fromEntries(group))
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
  const settle = async (index: number, error?: Error): Promise<void> => {
    await turn()
    if (error === undefined) writes[index]?.done.resolve()
    else writes[index]?.done.reject(error)
    await turn()
  }
  return { clock, tracker, groups, settle, warnings }
}

test('stores many uses within a second in one write with the last time of each key', () => {
  const { clock, tracker, groups } = build()
  for (let count = 0; count < 100; count++) {
    tracker.record('a')
    if (count === 3) tracker.record('b')
    clock.advance(9)
  }
  assert.deepEqual(groups(), [])
  assert.equal(tracker.lastAtMs('a'), START_MS + 99 * 9)
  clock.advance(FLUSH_INTERVAL_MS - 900)
  assert.deepEqual(groups(), [{ a: START_MS + 99 * 9, b: START_MS + 27 }])
})

test('writes nothing without new uses', async () => {
  const { clock, tracker, groups, settle } = build()
  tracker.record('a')
  clock.advance(FLUSH_INTERVAL_MS)
  await settle(0)
  clock.advance(100 * FLUSH_INTERVAL_MS)
  assert.equal(groups().length, 1)
  assert.equal(clock.pendingTimers(), 0)
  assert.equal(tracker.lastAtMs('a'), START_MS, 'the time stays in memory')
})

test('writes do not overlap, and uses during a write are in the next one', async () => {
  const { clock, tracker, groups, settle } = build()
  tracker.record('a')
  clock.advance(FLUSH_INTERVAL_MS)
  clock.advance(5)
  tracker.record('a')
  clock.advance(10 * FLUSH_INTERVAL_MS)
  assert.equal(groups().length, 1)
  await settle(0)
  clock.advance(FLUSH_INTERVAL_MS)
  assert.deepEqual(groups()[1], { a: START_MS + FLUSH_INTERVAL_MS + 5 })
})

test('retries a failed write with the uses since then, and logs it once', async () => {
  const { clock, tracker, groups, settle, warnings } = build()
  tracker.record('a')
  clock.advance(FLUSH_INTERVAL_MS)
  tracker.record('b')
  await settle(0, new Error('away'))
  clock.advance(FLUSH_INTERVAL_MS)
  await settle(1, new Error('away'))
  clock.advance(FLUSH_INTERVAL_MS)
  assert.deepEqual(groups()[2], { a: START_MS, b: START_MS + FLUSH_INTERVAL_MS })
  assert.equal(warnings.length, 1)
})

test('flushes at shutdown, and does not wait for a write that hangs', async () => {
  const calm = build()
  calm.tracker.record('a')
  const closing = calm.tracker[Symbol.asyncDispose]()
  await calm.settle(0)
  await closing
  assert.deepEqual(calm.groups(), [{ a: START_MS }])
  assert.equal(calm.clock.pendingTimers(), 0)

  const hanging = build()
  hanging.tracker.record('a')
  hanging.clock.advance(FLUSH_INTERVAL_MS)
  hanging.tracker.record('b')
  const closingHanging = hanging.tracker[Symbol.asyncDispose]()
  hanging.clock.advance(60_000)
  await closingHanging
  assert.equal(hanging.groups().length, 1)
  assert.equal(hanging.clock.pendingTimers(), 0)
})

test('limits the number of tracked keys', () => {
  const { tracker, clock, groups } = build()
  for (let count = 0; count <= MAX_TRACKED_KEYS; count++) tracker.record(`key ${count}`)
  assert.equal(tracker.lastAtMs('key 0'), undefined)
  assert.equal(tracker.lastAtMs('key 1'), START_MS)
  clock.advance(FLUSH_INTERVAL_MS)
  assert.equal(Object.keys(groups()[0] ?? {}).length, MAX_TRACKED_KEYS)
})
