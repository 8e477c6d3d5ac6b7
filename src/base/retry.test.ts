import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from './clock.ts'
import { backoff, retry } from './retry.ts'

const pauseMs = { min: 100, max: 1_000 }

/** Work that fails a number of times, and the times of its attempts. */
function failing(clock: { elapsedMs(): number }, failures: number) {
  const attemptsMs: number[] = []
  const work = async (): Promise<string> => {
    attemptsMs.push(clock.elapsedMs())
    if (attemptsMs.length <= failures) throw new Error(`failure ${attemptsMs.length}`)
    return 'done'
  }
  return { attemptsMs, work }
}

async function advance(clock: { advance(byMs: number): void }, byMs: number): Promise<void> {
  for (let ms = 0; ms < byMs; ms += 50) {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    clock.advance(50)
  }
}

test('a pause doubles up to its maximum, after any number of failures', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 10_000].map((failures) => backoff(pauseMs, failures)), [100, 200, 400, 800, 1_000, 1_000])
})

test('repeats work with growing pauses, and leaves no timer', async () => {
  const clock = createVirtualClock(0)
  const { attemptsMs, work } = failing(clock, 3)
  const done = retry({ clock, pauseMs, signal: new AbortController().signal }, work)
  await advance(clock, 1_000)
  assert.equal(await done, 'done')
  assert.deepEqual([attemptsMs, clock.pendingTimers()], [[0, 100, 300, 700], 0])
})

test('waits before the first attempt after an earlier failure', async () => {
  const clock = createVirtualClock(0)
  const { attemptsMs, work } = failing(clock, 1)
  const done = retry({ clock, pauseMs, signal: new AbortController().signal, failures: 1 }, work)
  await advance(clock, 500)
  assert.equal(await done, 'done')
  assert.deepEqual(attemptsMs, [100, 300])
})

test('rejects with an error that is not retried, and with the reason of its signal', async () => {
  const clock = createVirtualClock(0)
  const signal = new AbortController().signal
  await assert.rejects(retry({ clock, pauseMs, signal, mayRetry: (_, failures) => failures < 1 }, failing(clock, 9).work), /failure 1/)
  const stop = new AbortController()
  const { attemptsMs, work } = failing(clock, 9)
  const stopped = retry({ clock, pauseMs, signal: stop.signal }, work)
  await advance(clock, 100)
  stop.abort(new Error('stopping'))
  await assert.rejects(stopped, /stopping/)
  assert.deepEqual([attemptsMs.length, clock.pendingTimers()], [2, 0])
})
