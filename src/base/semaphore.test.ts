import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSemaphore, TooManyWaiting } from './semaphore.ts'

test('grants permits in order of arrival', async () => {
  const semaphore = createSemaphore(1)
  const order: string[] = []
  const release = await semaphore.acquire()
  const waiting = ['a', 'b'].map((name) => semaphore.run(async () => void order.push(name)))
  assert.deepEqual([order, semaphore.waiting()], [[], 2])
  release()
  await Promise.all(waiting)
  assert.deepEqual(order, ['a', 'b'])
})

test('a single permit runs work one after the other, and a failure does not block the rest', async () => {
  const semaphore = createSemaphore(1)
  const log: string[] = []
  const work = (name: string, fails = false): Promise<string> => semaphore.run(async () => {
    log.push(`${name} begins`)
    await Promise.resolve()
    log.push(`${name} ends`)
    if (fails) throw new Error(name)
    return name
  })
  const [first, second, third] = [work('first'), work('second', true), work('third')]
  await assert.rejects(second, /second/)
  assert.deepEqual([await first, await third], ['first', 'third'])
  assert.deepEqual(log, ['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends'])
})

test('releasing a permit twice frees only one', async () => {
  const semaphore = createSemaphore(1)
  const release = await semaphore.acquire()
  release()
  release()
  await semaphore.acquire()
  void semaphore.acquire()
  assert.equal(semaphore.waiting(), 1)
})

test('an aborted caller leaves the queue and rejects with the reason of its signal', async () => {
  const semaphore = createSemaphore(1)
  const release = await semaphore.acquire()
  const abort = new AbortController()
  const waiting = semaphore.acquire(abort.signal)
  abort.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
  assert.equal(semaphore.waiting(), 0)
  release()
  await semaphore.acquire()
})

test('rejects when the queue is full', async () => {
  const semaphore = createSemaphore(1, 1)
  await semaphore.acquire()
  void semaphore.acquire()
  await assert.rejects(semaphore.acquire(), TooManyWaiting)
})

test('callers take turns: one with many tasks does not delay the others', async () => {
  const semaphore = createSemaphore(1)
  const release = await semaphore.acquire()
  const order: string[] = []
  const run = (name: string, caller?: string): Promise<void> => semaphore.run(async () => void order.push(name), caller)
  const runs = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => run(name, name[0]))
  runs.push(run('own'))
  release()
  await Promise.all(runs)
  assert.deepEqual(order, ['own', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('a full queue makes room for a caller with fewer waiting tasks', async () => {
  const semaphore = createSemaphore(1, 4)
  const release = await semaphore.acquire()
  const order: string[] = []
  const run = (name: string): Promise<void> => semaphore.run(async () => void order.push(name), name[0])
  const [a1, a2, a3, a4] = [run('a1'), run('a2'), run('a3'), run('a4')]
  const b1 = run('b1')
  await assert.rejects(a4, TooManyWaiting)
  const b2 = run('b2')
  await assert.rejects(a3, TooManyWaiting)
  await assert.rejects(run('b3'), TooManyWaiting, 'no more than its share')
  await assert.rejects(run('a5'), TooManyWaiting)
  assert.equal(semaphore.waiting(), 4)
  release()
  await Promise.all([a1, a2, b1, b2])
  assert.deepEqual(order, ['a1', 'b1', 'a2', 'b2'])
})

test('large tasks leave permits for small ones', async () => {
  const semaphore = createSemaphore(3, 10, 2)
  const large = { address: 'a', isLarge: true }
  const releases = [await semaphore.acquire(undefined, large), await semaphore.acquire(undefined, large)]
  const order: string[] = []
  const waiting = semaphore.run(async () => void order.push('large'), large)
  assert.equal(semaphore.tryAcquire(large), undefined)
  await semaphore.run(async () => void order.push('small'), 'b')
  const small = semaphore.tryAcquire('b')
  assert.ok(small !== undefined)
  small()
  assert.deepEqual([order, semaphore.waiting()], [['small'], 1])
  releases[0]?.()
  await waiting
  assert.deepEqual(order, ['small', 'large'])
})
