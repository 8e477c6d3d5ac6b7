import { strict as assert } from 'node:assert'
import test from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import { INTERRUPT_REPEAT_MS, READ_QUEUE_MAX, WRITER_PATIENCE_MS, WRITE_QUEUE_MAX } from '../bounds.ts'
import { StatementTimeout, StoreUnavailable } from '../store.ts'
import { Interrupted, createScheduler } from './scheduler.ts'

const LIMIT_MS = 5_000

/** An engine of which the test says when a statement ends, and how. */
function setUp() {
  const clock = createVirtualClock(0)
  const started: string[] = []
  const running = new Map<string, { end: () => void; fail: (error: Error) => void }>()
  let interrupts = 0
  const scheduler = createScheduler({ clock, interrupt: () => void interrupts++ })
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      started.push(name)
      running.set(name, { end: () => resolve(name), fail: reject })
    })
  return {
    clock, started, scheduler,
    interrupts: () => interrupts,
    write: (name: string) => scheduler.write(work(name)),
    read: (name: string) => scheduler.read(work(name), LIMIT_MS),
    chore: (name: string, overdue = false) => scheduler.maintenance(work(name), overdue),
    end: async (name: string) => {
      running.get(name)?.end()
      await settled()
    },
    /** What the engine does with a statement that was interrupted. */
    cancel: async (name: string) => {
      running.get(name)?.fail(new StatementTimeout('interrupted'))
      await settled()
    },
  }
}

/** Lets every promise that can go on go on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('one at a time: writers first, then overdue chores, then reads, then chores', async () => {
  const { started, write, read, chore, end } = setUp()
  const all = [write('w1'), chore('c1'), read('r1'), chore('c2', true), write('w2'), read('r2')]
  for (const name of ['w1', 'w2', 'c2', 'r1', 'r2', 'c1']) {
    assert.equal(started.at(-1), name)
    await end(name)
  }
  assert.deepEqual(await Promise.all(all), ['w1', 'c1', 'r1', 'c2', 'w2', 'r2'])
})

test('a writer waits for a read no longer than its patience; the read makes room and comes again', async () => {
  const { clock, started, write, read, end, cancel, interrupts } = setUp()
  const slow = read('slow')
  const writing = write('w')
  clock.advance(WRITER_PATIENCE_MS - 1)
  assert.equal(interrupts(), 0)
  clock.advance(1)
  assert.equal(interrupts(), 1)
  clock.advance(INTERRUPT_REPEAT_MS * 3)
  assert.equal(interrupts(), 4, 'repeated until it is heard')
  await cancel('slow')
  assert.deepEqual(started, ['slow', 'w'])
  clock.advance(INTERRUPT_REPEAT_MS * 3)
  assert.equal(interrupts(), 4, 'the writer itself is never interrupted')
  await end('w')
  await end('slow')
  assert.deepEqual([await writing, await slow, started], ['w', 'slow', ['slow', 'w', 'slow']])
  assert.equal(clock.pendingTimers(), 0)
})

test('a read that runs too long is interrupted, and its caller waits no longer', async () => {
  const { clock, read, cancel, interrupts } = setUp()
  const slow = read('slow')
  const next = read('next')
  clock.advance(LIMIT_MS)
  await assert.rejects(slow, /ran into its time limit/)
  await assert.rejects(next, /waited too long for its turn/)
  assert.equal(interrupts(), 1)
  await cancel('slow')
  assert.equal(clock.pendingTimers(), 0)
})

test('while a transaction is open, reads wait, but not for ever', async () => {
  const { clock, started, write, read, end } = setUp()
  const open = write('transaction')
  const waiting = read('r')
  clock.advance(LIMIT_MS)
  await assert.rejects(waiting, StatementTimeout)
  assert.deepEqual(started, ['transaction'])
  await end('transaction')
  await open
  assert.deepEqual(started, ['transaction'], 'a read that nobody waits for is not run')
})

test('the queue of reads is bounded', async () => {
  const { clock, write, read, end, cancel } = setUp()
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
  await cancel('nothing')
})

test('the queue of writes is bounded', async () => {
  const { write, end } = setUp()
  const first = write('first')
  const waiting = Array.from({ length: WRITE_QUEUE_MAX }, (_, index) => write(`w${index}`))
  await assert.rejects(write('one too many'), StoreUnavailable)
  await end('first')
  for (let index = 0; index < waiting.length; index++) await end(`w${index}`)
  assert.equal((await Promise.all([first, ...waiting])).length, WRITE_QUEUE_MAX + 1)
})

test('a chore makes room for a writer and is told so', async () => {
  const { clock, chore, write, cancel, end } = setUp()
  const vacuum = chore('vacuum')
  const writing = write('w')
  clock.advance(WRITER_PATIENCE_MS)
  const told = assert.rejects(vacuum, Interrupted)
  await cancel('vacuum')
  await told
  await end('w')
  assert.equal(await writing, 'w')
})

test('closing refuses what waits, interrupts a read and waits for a writer', async () => {
  const { clock, scheduler, write, read, end, interrupts } = setUp()
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
  assert.deepEqual([interrupts(), clock.pendingTimers()], [0, 0])
})

test('closing interrupts a read that runs', async () => {
  const { scheduler, read, cancel, interrupts } = setUp()
  const reading = read('r')
  const refused = assert.rejects(reading, StoreUnavailable)
  const closing = scheduler.close()
  assert.equal(interrupts(), 1)
  await cancel('r')
  await closing
  await refused
})
