import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from './clock.ts'
import { waitAtMost, withDeadline } from './deadline.ts'

const timeoutError = (): Error => new Error('too late')

test('returns the result and leaves no timer', async () => {
  const clock = createVirtualClock(0)
  assert.equal(await withDeadline(clock, { limitMs: 10, timeoutError }, async () => 7), 7)
  assert.equal(clock.pendingTimers(), 0)
})

test('rejects at the limit, even when the work ignores its signal', async () => {
  const clock = createVirtualClock(0)
  let seen: AbortSignal | undefined
  const running = withDeadline(clock, { limitMs: 10, timeoutError }, (signal) => {
    seen = signal
    return new Promise(() => {})
  })
  clock.advance(10)
  await assert.rejects(running, /too late/)
  assert.equal(seen?.aborted, true)
})

test('aborts the work when the outer signal aborts', async () => {
  const outer = new AbortController()
  const running = withDeadline(createVirtualClock(0), { limitMs: 10, timeoutError, signal: outer.signal }, (signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))))
  outer.abort(new Error('enough'))
  await assert.rejects(running, /enough/)
})

test('waits for work up to a limit, and leaves no timer', async () => {
  const clock = createVirtualClock(0)
  assert.equal(await waitAtMost(clock, 10, Promise.resolve(7)), 7)
  assert.equal(clock.pendingTimers(), 0)
  const late = waitAtMost(clock, 10, new Promise(() => {}))
  clock.advance(10)
  assert.equal(await late, undefined)
  await assert.rejects(waitAtMost(clock, 10, Promise.reject(new Error('broken'))), /broken/)
  const outer = new AbortController()
  const aborted = waitAtMost(clock, 10, new Promise(() => {}), outer.signal)
  outer.abort()
  assert.equal(await aborted, undefined)
  assert.equal(clock.pendingTimers(), 0)
})
