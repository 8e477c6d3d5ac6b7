import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock, createVirtualClock, nowSec } from './clock.ts'

test('a virtual clock fires timers at their times and in order', () => {
  const clock = createVirtualClock(1_000)
  const fired: [string, number][] = []
  clock.setTimer(300, () => fired.push(['late', clock.nowMs()]))
  clock.setTimer(100, () => fired.push(['early', clock.nowMs()]))
  clock.setTimer(100, () => fired.push(['early, set second', clock.nowMs()]))
  clock.advance(99)
  assert.deepEqual(fired, [])
  clock.advance(901)
  assert.deepEqual(fired, [['early', 1_100], ['early, set second', 1_100], ['late', 1_300]])
  assert.equal(nowSec(clock), 2)
})

test('a timer set by another timer fires in the same advance when it is due', () => {
  const clock = createVirtualClock(0)
  const fired: number[] = []
  clock.setTimer(10, () => clock.setTimer(10, () => fired.push(clock.nowMs())))
  clock.advance(25)
  assert.deepEqual(fired, [20])
})

test('a cancelled timer never fires and is not pending', () => {
  const clock = createVirtualClock(0)
  const timer = clock.setTimer(10, () => assert.fail('fired'))
  timer.cancel()
  clock.advance(100)
  assert.equal(clock.pendingTimers(), 0)
})

test('an aborted sleep ends at once and leaves no timer', async () => {
  const clock = createVirtualClock(0)
  const stop = new AbortController()
  const sleep = clock.sleep(60_000, stop.signal)
  assert.equal(clock.pendingTimers(), 1)
  stop.abort()
  await sleep
  assert.equal(clock.pendingTimers(), 0)
  await clock.sleep(60_000, stop.signal)
})

test('a time that is already over needs no delay, and the log gets no warning of a negative one', async () => {
  const warnings: Error[] = []
  const record = (warning: Error): void => void warnings.push(warning)
  process.on('warning', record)
  await createSystemClock().sleep(-0.001)
  await new Promise((resolve) => setImmediate(resolve))
  process.removeListener('warning', record)
  assert.deepEqual(warnings, [])
})
