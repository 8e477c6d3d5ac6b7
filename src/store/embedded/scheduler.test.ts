import { strict as assert } from 'node:assert'
import test from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import type { TurnCaller } from '../../base/turns.ts'
import { IDLE_AFTER_WRITE_MS, LOOKUP_QUEUE_MAX, READ_QUEUE_MAX, WRITE_QUEUE_MAX } from '../bounds.ts'
import { StatementTimeout, StoreUnavailable } from '../store.ts'
import { createScheduler } from './scheduler.ts'

const LIMIT_MS = 5_000

/** An engine whose statements end when the test says so. */
function setUp() {
  const clock = createVirtualClock(0)
  const started: string[] = []
  const running = new Map<string, { end: () => void; fail: (error: Error) => void }>()
  const remaining = new Map<string, number>()
  let cancellations = 0
  let restarting: Promise<void> | undefined
  const scheduler = createScheduler({ clock, restarting: () => restarting, cancel: () => void cancellations++ })
  const work = (name: string) => (remainingMs?: number) =>
    new Promise<string>((resolve, reject) => {
      started.push(name)
      if (remainingMs !== undefined) remaining.set(name, remainingMs)
      running.set(name, { end: () => resolve(name), fail: reject })
    })
  return {
    clock, started, scheduler, remaining,
    cancellations: () => cancellations,
    write: (name: string) => scheduler.write(work(name)),
    read: (name: string) => scheduler.read(work(name), LIMIT_MS),
    lookup: (name: string) => scheduler.lookup(work(name), LIMIT_MS),
    maintenance: (name: string, overdue = false) => scheduler.maintenance(work(name), overdue),
    /** The engine restarts until the returned function is called. */
    restart: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      restarting = promise
      return () => {
        restarting = undefined
        resolve()
      }
    },
    end: async (name: string) => {
      running.get(name)?.end()
      await settled()
    },
    fail: async (name: string, error: Error) => {
      running.get(name)?.fail(error)
      await settled()
    },
  }
}

/** Runs all pending promise callbacks. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('runs one turn at a time: writes first, then overdue maintenance, reads, other maintenance', async () => {
  const { started, write, read, maintenance, end } = setUp()
  const all = [write('w1'), maintenance('m1'), read('r1'), maintenance('m2', true), write('w2'), read('r2')]
  for (const name of ['w1', 'w2', 'm2', 'r1', 'r2', 'm1']) {
    assert.equal(started.at(-1), name)
    await end(name)
  }
  assert.deepEqual(await Promise.all(all), ['w1', 'm1', 'r1', 'm2', 'w2', 'r2'])
})

test('lookups go before everything that is queued, in turns with writes', async () => {
  const { started, write, read, lookup, end } = setUp()
  const all = [write('w1'), write('w2'), read('r1'), lookup('l1'), lookup('l2'), write('w3'), lookup('l3')]
  for (const name of ['w1', 'l1', 'w2', 'l2', 'w3', 'l3', 'r1']) {
    assert.equal(started.at(-1), name)
    await end(name)
  }
  await Promise.all(all)
})

test('refuses a lookup when the queue of lookups is full, and one that waits too long', async () => {
  const { clock, write, lookup, end } = setUp()
  const open = write('w')
  const waiting = Array.from({ length: LOOKUP_QUEUE_MAX }, (_, index) => lookup(`l${index}`))
  await assert.rejects(lookup('one too many'), StatementTimeout)
  clock.advance(LIMIT_MS)
  for (const one of waiting) await assert.rejects(one, StatementTimeout)
  await end('w')
  await open
})

test('a write that arrives during a read goes next, before the queued reads', async () => {
  const { clock, started, write, read, end, cancellations } = setUp()
  const reads = [read('slow'), read('r')]
  const writing = write('w')
  clock.advance(LIMIT_MS - 1)
  await end('slow')
  await end('w')
  await end('r')
  assert.deepEqual(started, ['slow', 'w', 'r'])
  await Promise.all([...reads, writing])
  assert.deepEqual([cancellations(), clock.pendingTimers()], [0, 0])
})

test('a read gets what its time in the queue left of its limit', async () => {
  const { clock, read, write, end, remaining } = setUp()
  const first = write('w')
  const reading = read('r')
  clock.advance(LIMIT_MS - 100)
  await end('w')
  assert.equal(remaining.get('r'), 100)
  clock.advance(LIMIT_MS)
  await end('r')
  assert.deepEqual(await Promise.all([first, reading]), ['w', 'r'], 'the engine enforces the limit of a running read')
})

test('a read that fails does not stop the reads after it', async () => {
  const { read, fail, end } = setUp()
  const failing = assert.rejects(read('slow'), StatementTimeout)
  const next = read('next')
  await fail('slow', new StatementTimeout('too slow'))
  await failing
  await end('next')
  assert.equal(await next, 'next')
})

test('while a transaction is open, reads wait, and time out', async () => {
  const { clock, started, write, read, end } = setUp()
  const open = write('transaction')
  const waiting = read('r')
  clock.advance(LIMIT_MS)
  await assert.rejects(waiting, /waited too long for its turn/)
  assert.deepEqual(started, ['transaction'])
  await end('transaction')
  await open
  assert.deepEqual(started, ['transaction'], 'a read that timed out is not run')
})

test('while the engine restarts, turns stay queued, and reads time out', async () => {
  const { clock, started, write, read, restart, end } = setUp()
  const finishRestart = restart()
  const reads = [read('early'), read('late')]
  const [early, late] = reads
  clock.advance(LIMIT_MS - 1)
  const last = read('last')
  clock.advance(1)
  await assert.rejects(async () => early, StatementTimeout)
  await assert.rejects(async () => late, StatementTimeout)
  const writing = write('w')
  await settled()
  assert.deepEqual(started, [])
  finishRestart()
  await settled()
  await end('w')
  await end('last')
  assert.deepEqual([await writing, await last, started], ['w', 'last', ['w', 'last']])
})

test('refuses a read when the queue of reads is full', async () => {
  const { clock, write, read, end } = setUp()
  const open = write('w')
  const waiting = Array.from({ length: READ_QUEUE_MAX }, (_, index) => read(`r${index}`))
  await assert.rejects(read('one too many'), StatementTimeout)
  clock.advance(LIMIT_MS)
  for (const one of waiting) await assert.rejects(one, StatementTimeout)
  await end('w')
  await open
  const again = read('again')
  await end('again')
  assert.equal(await again, 'again')
})

test('refuses a write when the queue of writes is full', async () => {
  const { write, end } = setUp()
  const first = write('first')
  const waiting = Array.from({ length: WRITE_QUEUE_MAX }, (_, index) => write(`w${index}`))
  await assert.rejects(write('one too many'), StoreUnavailable)
  await end('first')
  for (let index = 0; index < waiting.length; index++) await end(`w${index}`)
  assert.equal((await Promise.all([first, ...waiting])).length, WRITE_QUEUE_MAX + 1)
})

test('closing refuses queued and new turns and waits for the running write', async () => {
  const { clock, scheduler, write, read, end, cancellations } = setUp()
  const writing = write('w')
  const waiting = read('r')
  let closed = false
  const closing = scheduler.close().then(() => (closed = true))
  await assert.rejects(waiting, StoreUnavailable)
  await assert.rejects(write('late'), StoreUnavailable)
  await assert.rejects(read('late'), StoreUnavailable)
  await settled()
  assert.equal(closed, false)
  await end('w')
  await closing
  assert.equal(await writing, 'w')
  assert.deepEqual([cancellations(), clock.pendingTimers()], [0, 0])
})

test('closing cancels a running read and running maintenance', async () => {
  for (const kind of ['read', 'maintenance'] as const) {
    const { fail, cancellations, scheduler, ...start } = setUp()
    const refused = assert.rejects(start[kind]('x'), { name: 'StoreUnavailable', message: 'the store is closed' })
    const closing = scheduler.close()
    assert.equal(cancellations(), 1)
    await fail('x', new StoreUnavailable('killed'))
    await closing
    await refused
  }
})

test('the engine is not idle between two writes of a catch-up', async () => {
  const clock = createVirtualClock(0)
  const scheduler = createScheduler({ clock, restarting: () => undefined, cancel: () => {} })
  assert.equal(scheduler.isIdle(), true)
  await scheduler.write(async () => assert.equal(scheduler.isIdle(), false))
  await scheduler.read(async () => {}, 1_000)
  clock.advance(IDLE_AFTER_WRITE_MS - 1)
  assert.equal(scheduler.isIdle(), false)
  clock.advance(1)
  assert.equal(scheduler.isIdle(), true)
})

test('callers take turns with their reads, small ones with large ones, and the program goes first', async () => {
  const { scheduler, started, write, read, end } = setUp()
  const open = write('w')
  const readFor = (name: string, caller: TurnCaller): Promise<void> => scheduler.read(async () => void started.push(name), LIMIT_MS, caller)
  const flood = { address: '192.0.2.1', owner: 'GFLOOD', isLarge: true }
  const reads = ['f1', 'f2', 'f3'].map((name) => readFor(name, flood))
  reads.push(readFor('page', { address: '192.0.2.2', isLarge: true }), readFor('row', { address: '192.0.2.3' }))
  const own = read('own')
  await end('w')
  await end('own')
  await Promise.all([open, own, ...reads])
  assert.deepEqual(started, ['w', 'own', 'row', 'f1', 'page', 'f2', 'f3'])
})

test('a caller that fills the queue of reads loses one for each other caller', async () => {
  const { scheduler, write, read, end, clock } = setUp()
  const open = write('w')
  const answered: string[] = []
  const refused: string[] = []
  const readFor = (name: string, caller: TurnCaller): Promise<void> =>
    scheduler.read(async () => void answered.push(name), LIMIT_MS, caller).catch((error: unknown) => {
      assert.ok(error instanceof StatementTimeout)
      refused.push(name)
    })
  const all = Array.from({ length: READ_QUEUE_MAX }, (_, index) => readFor(`f${index}`, { address: '192.0.2.1', owner: 'GFLOOD', isLarge: true }))
  for (let client = 0; client < 10; client++) all.push(readFor(`client ${client}`, { address: `198.51.100.${client}` }))
  const own = read('own')
  assert.equal(scheduler.waiting().reads, READ_QUEUE_MAX)
  await end('w')
  await end('own')
  await Promise.all([open, own, ...all])
  assert.deepEqual(refused, Array.from({ length: 11 }, (_, index) => `f${READ_QUEUE_MAX - 1 - index}`))
  assert.equal(answered.length, READ_QUEUE_MAX - 1)
  assert.equal(clock.pendingTimers(), 0)
})
