// Rows that arrive with the notification of their commit: the same frames as rows that are read, each published once, whatever happens to notifications.

import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { createIndexFixture } from '../../test/index/fixture.ts'
import { openTestStore } from '../../test/support/database.ts'
import { anyDeployment } from '../../test/support/deployments.ts'
import { until } from '../../test/support/until.ts'
import { fc, fuzzRuns } from '../../test/support/fuzz.ts'
import { createVirtualClock } from '../base/clock.ts'
import type { VirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { INDEX_CHANNEL } from '../projections/state/index-state.ts'
import type { Store } from '../store/store.ts'
import type { Frame } from './frames.ts'
import { createTail } from './tail.ts'
import type { Tail } from './tail.ts'

const store = await openTestStore()
const world = createIndexFixture(store)
after(async () => {
  await world[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

/** Commits one ledger with these events, and returns the payloads of its notifications. */
async function commit(events: number): Promise<readonly string[]> {
  const payloads: string[] = []
  const end = Promise.withResolvers<string>()
  const stops = [await store.listen(INDEX_CHANNEL, (payload) => payloads.push(payload)), await store.listen('end', end.resolve)]
  for (let pick = 0; pick < events; pick++) world.queue(pick % 3 === 2 ? world.exchange.other(pick) : world.exchange.open(pick, pick))
  world.closeLedger()
  await world.catchUp()
  await store.write.query("notify \"end\", 'end'")
  await end.promise
  for (const stop of stops) await stop()
  return payloads
}

interface Follower extends AsyncDisposable {
  readonly tail: Tail
  readonly clock: VirtualClock
  readonly frames: string[]
  reads(): number
  prepare(payload: string): void
  notify(payload: string): void
}

/** A tail that receives only the notifications of the test. */
async function follow(change: Partial<Store> = {}): Promise<Follower> {
  const read = change.read ?? store.read
  const clock = createVirtualClock(0)
  const frames: string[] = []
  const listening = Promise.withResolvers<Pick<Follower, 'prepare' | 'notify'>>()
  let reads = 0
  const tail = createTail({
    store: {
      ...store, ...change,
      read: { query: (sql, params) => (reads++, read.query(sql, params)) },
      listen: async (_, notify, { prepare = () => {} } = {}) => (listening.resolve({ prepare, notify }), async () => {}),
    },
    publish: (published: readonly Frame[]) => void frames.push(...published.map((frame) => frame.bytes().toString('latin1'))),
    onEpoch: () => assert.fail('no epoch change'),
    deployment: anyDeployment(), clock, log: silentLog,
  })
  const stop = new AbortController()
  const running = tail.run(stop.signal)
  const { prepare, notify } = await listening.promise
  await tail.catchUp()
  return {
    tail, clock, frames, prepare, notify, reads: () => reads,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

test('publishes small commits without a read, with the same frames as a read', async () => {
  await commit(3)
  const [{ account } = { account: '' }] = await store.read.query<{ account: string }>('select account from idx.account_events order by seq desc limit 1')
  await using reader = await follow()
  await using notified = await follow()
  await using prepared = await follow()
  for (const { tail } of [reader, notified, prepared]) await tail.watch({ kind: 'account', account })
  const readsBefore = notified.reads()
  for (const events of [1, 0, 5, 2]) {
    for (const payload of await commit(events)) {
      notified.notify(payload)
      prepared.prepare(payload)
      assert.deepEqual(prepared.frames, reader.frames, 'a notification that is prepared publishes nothing')
      prepared.notify(payload)
    }
    await reader.tail.catchUp()
    for (const { frames, tail } of [notified, prepared]) {
      assert.deepEqual(frames, reader.frames)
      assert.deepEqual([tail.position(), tail.head()], [reader.tail.position(), reader.tail.head()])
    }
  }
  assert.equal(notified.frames.filter((frame) => frame.includes('"channel":"events"')).length, 8)
  assert.ok(notified.frames.some((frame) => frame.includes(`account.events.${account}`)), 'personal channels too')
  assert.equal(notified.reads(), readsBefore)
})

/** The positions of the published events. */
function eventSeqs({ frames }: Follower): readonly number[] {
  return frames.filter((frame) => frame.includes('"channel":"events"')).map((frame) => Number(/"seq":(\d+)/.exec(frame)?.[1]))
}

/** The positions of the events in the log after this one. */
async function archivedSeqs(afterSeq: number): Promise<readonly number[]> {
  return (await store.read.query<{ seq: number }>('select seq from idx.events where seq > $1 order by seq', [afterSeq])).map(({ seq }) => seq)
}

for (const finds of ['finds them too', 'does not find them']) {
  test(`publishes rows while the log is read, and once, when the read ${finds}`, async () => {
    let hold: { readonly reached: PromiseWithResolvers<void>; readonly released: PromiseWithResolvers<void> } | undefined
    const pause = async (): Promise<void> => {
      hold?.reached.resolve()
      await hold?.released.promise
    }
    await using notified = await follow({
      read: {
        query: async (statement, params) => {
          if (finds === 'finds them too') await pause()
          const rows = await store.read.query(statement, params)
          if (finds === 'does not find them') await pause()
          return rows
        },
      },
    })
    const from = notified.tail.position()
    hold = { reached: Promise.withResolvers(), released: Promise.withResolvers() }
    const reading = notified.tail.catchUp()
    await hold.reached.promise
    for (const events of [2, 1]) for (const payload of await commit(events)) notified.notify(payload)
    assert.deepEqual(eventSeqs(notified), await archivedSeqs(from), 'they do not wait for the read')
    const readsBefore = notified.reads()
    hold.released.resolve()
    hold = undefined
    await reading
    assert.deepEqual([notified.reads() - readsBefore, eventSeqs(notified)], [0, await archivedSeqs(from)])
    for (const payload of await commit(1)) notified.notify(payload)
    await notified.tail.catchUp()
    assert.deepEqual(eventSeqs(notified), await archivedSeqs(from))
  })
}

test('reads the log when no notification came for a second, because one may have been lost', async () => {
  await using notified = await follow()
  const from = notified.tail.position()
  await until(() => notified.clock.pendingTimers() === 1, 'the wait for a notification')
  notified.clock.advance(900)
  for (const payload of await commit(1)) notified.notify(payload)
  const readsBefore = notified.reads()
  await commit(1)
  notified.clock.advance(900)
  await new Promise((resolve) => void setImmediate(resolve))
  assert.equal(notified.reads(), readsBefore, 'counted from the last rows that were published')
  notified.clock.advance(100)
  await notified.tail.catchUp()
  assert.deepEqual(eventSeqs(notified), await archivedSeqs(from))
})

test('reads what a notification cannot carry', async () => {
  await using notified = await follow()
  const [payload = ''] = await commit(60)
  assert.match(payload, /^\d+$/)
  notified.notify(payload)
  await notified.tail.catchUp()
  assert.equal(notified.frames.filter((frame) => frame.includes('"channel":"events"')).length, 60)
})

test('ignores the rows of a notification when reads go to a replica, which may not have them', async () => {
  await using notified = await follow({ readsLag: true })
  const before = notified.tail.position()
  const payloads = await commit(1)
  for (const payload of payloads) notified.notify(payload)
  assert.deepEqual([notified.frames, notified.tail.position()], [[], before])
  await notified.tail.catchUp()
  assert.ok(notified.frames.length > 0)
})

test('publishes every row once and in order when notifications are lost, repeated, late, rolled back or of another index or version', async () => {
  const fault = fc.constantFrom('none', 'none', 'lost', 'twice', 'late', 'rolled back', 'prepared early', 'other index', 'other version')
  await fc.assert(fc.asyncProperty(fc.array(fc.record({ fault, events: fc.nat(4) }), { minLength: 1, maxLength: 8 }), async (commits) => {
    await using notified = await follow()
    const from = notified.tail.position()
    const late: string[] = []
    for (const each of commits) {
      for (const payload of await commit(each.events)) {
        const foreign = payload.replaceAll(/"headSeq":\d+/g, '"headSeq":1000000')
        if (each.fault === 'other index') notified.notify(foreign.replaceAll('"schema":"idx"', '"schema":"idx_2"'))
        if (each.fault === 'other version') notified.notify(foreign.replace(/"format" : "[^"]*"/, '"format" : "x"'))
        // The next commit then has the same positions and other rows.
        if (each.fault === 'rolled back') notified.prepare(payload.replaceAll('"topic":"', '"topic":"never_committed_'))
        if (each.fault === 'prepared early') for (const other of [payload, ...late]) notified.prepare(other)
        if (['none', 'twice', 'rolled back', 'prepared early'].includes(each.fault)) notified.notify(payload)
        if (each.fault === 'twice') notified.notify(payload)
        if (each.fault === 'late') late.push(payload)
        else for (const lateOne of late.splice(0)) notified.notify(lateOne)
      }
    }
    await notified.tail.catchUp()
    assert.deepEqual(eventSeqs(notified), await archivedSeqs(from))
    assert.ok(!notified.frames.some((frame) => frame.includes('never_committed')))
  }), { numRuns: fuzzRuns(8, 30) })
})
