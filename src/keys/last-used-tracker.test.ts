import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createLastUsedTracker, MAX_TRACKED_KEYS, FLUSH_INTERVAL_MS } from './last-used-tracker.ts'

const START_MS = 1_000_000

interface Written {
  readonly group: ReadonlyMap<string, number>
  readonly done: PromiseWithResolvers<void>
}

function build() {
  const clock = createVirtualClock(START_MS)
  const written: Written[] = []
  const warnings: string[] = []
  const uses = createLastUsedTracker({
    clock,
    log: { ...silentLog, warn: (_fields, message) => warnings.push(message) },
    write(group) {
      const done = Promise.withResolvers<void>()
      written.push({ group, done })
      return done.promise
    },
  })
  const groups = () => written.map(({ group }) => Object.fromEntries(group))
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
  const settle = async (index: number, error?: Error): Promise<void> => {
    await turn()
    if (error === undefined) written[index]?.done.resolve()
    else written[index]?.done.reject(error)
    await turn()
  }
  return { clock, uses, groups, settle, warnings }
}

test('many uses within a second are one write, of the last time of each key', () => {
  const { clock, uses, groups } = build()
  for (let count = 0; count < 100; count++) {
    uses.record('a')
    if (count === 3) uses.record('b')
    clock.advance(9)
  }
  assert.deepEqual(groups(), [])
  assert.equal(uses.lastAtMs('a'), START_MS + 99 * 9)
  clock.advance(FLUSH_INTERVAL_MS - 900)
  assert.deepEqual(groups(), [{ a: START_MS + 99 * 9, b: START_MS + 27 }])
})

test('nothing is written while nothing is used', async () => {
  const { clock, uses, groups, settle } = build()
  uses.record('a')
  clock.advance(FLUSH_INTERVAL_MS)
  await settle(0)
  clock.advance(100 * FLUSH_INTERVAL_MS)
  assert.equal(groups().length, 1)
  assert.equal(clock.pendingTimers(), 0)
  assert.equal(uses.lastAtMs('a'), START_MS, 'and the time is still known')
})

test('there is one write at a time, and uses during it come with the next', async () => {
  const { clock, uses, groups, settle } = build()
  uses.record('a')
  clock.advance(FLUSH_INTERVAL_MS)
  clock.advance(5)
  uses.record('a')
  clock.advance(10 * FLUSH_INTERVAL_MS)
  assert.equal(groups().length, 1)
  await settle(0)
  clock.advance(FLUSH_INTERVAL_MS)
  assert.deepEqual(groups()[1], { a: START_MS + FLUSH_INTERVAL_MS + 5 })
})

test('a failed write is tried again with what came since, and told once', async () => {
  const { clock, uses, groups, settle, warnings } = build()
  uses.record('a')
  clock.advance(FLUSH_INTERVAL_MS)
  uses.record('b')
  await settle(0, new Error('away'))
  clock.advance(FLUSH_INTERVAL_MS)
  await settle(1, new Error('away'))
  clock.advance(FLUSH_INTERVAL_MS)
  assert.deepEqual(groups()[2], { a: START_MS, b: START_MS + FLUSH_INTERVAL_MS })
  assert.equal(warnings.length, 1)
})

test('the end writes what is left, and does not wait for a write that hangs', async () => {
  const calm = build()
  calm.uses.record('a')
  const ending = calm.uses[Symbol.asyncDispose]()
  await calm.settle(0)
  await ending
  assert.deepEqual(calm.groups(), [{ a: START_MS }])
  assert.equal(calm.clock.pendingTimers(), 0)

  const hanging = build()
  hanging.uses.record('a')
  hanging.clock.advance(FLUSH_INTERVAL_MS)
  hanging.uses.record('b')
  const cut = hanging.uses[Symbol.asyncDispose]()
  hanging.clock.advance(60_000)
  await cut
  assert.equal(hanging.groups().length, 1)
  assert.equal(hanging.clock.pendingTimers(), 0)
})

test('the number of keys that are kept is bounded', () => {
  const { uses, clock, groups } = build()
  for (let count = 0; count <= MAX_TRACKED_KEYS; count++) uses.record(`key ${count}`)
  assert.equal(uses.lastAtMs('key 0'), undefined)
  assert.equal(uses.lastAtMs('key 1'), START_MS)
  clock.advance(FLUSH_INTERVAL_MS)
  assert.equal(Object.keys(groups()[0] ?? {}).length, MAX_TRACKED_KEYS)
})
