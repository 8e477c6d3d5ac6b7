import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../src/base/clock.ts'
import { createPacer } from './pacer.ts'

function setUp() {
  const clock = createVirtualClock(1_000_000)
  const beats: number[] = []
  const pacer = createPacer({ clock, everyMs: 1_000, onTick: () => beats.push(clock.nowMs() - 1_000_000) })
  return { clock, beats, pacer }
}

test('ticks keep to the clock', () => {
  const { clock, beats, pacer } = setUp()
  pacer.start()
  pacer.start()
  clock.advance(3_500)
  assert.deepEqual(beats, [1_000, 2_000, 3_000])
})

test('a stopped pacer has no timer, and continues when started', () => {
  const { clock, beats, pacer } = setUp()
  pacer.start()
  clock.advance(1_200)
  pacer.stop()
  assert.equal(pacer.running, false)
  assert.equal(clock.pendingTimers(), 0)
  clock.advance(5_000)
  pacer.start()
  clock.advance(1_000)
  assert.deepEqual(beats, [1_000, 7_200])
})

test('a late tick happens once, and the next one a full interval later', () => {
  let nowMs = 0
  const timers: { delayMs: number; callback: () => void }[] = []
  const clock = {
    nowMs: () => nowMs,
    elapsedMs: () => nowMs,
    setTimer(delayMs: number, callback: () => void) {
      timers.push({ delayMs, callback })
      return { cancel: () => {} }
    },
    sleep: () => Promise.resolve(),
  }
  const delays: number[] = []
  function fire(lateMs: number): void {
    const timer = timers.shift()
    assert(timer !== undefined && timers.length === 0, 'one timer at a time')
    nowMs += timer.delayMs + lateMs
    timer.callback()
    delays.push(timers[0]?.delayMs ?? 0)
  }
  let beats = 0
  createPacer({ clock, everyMs: 1_000, onTick: () => beats++ }).start()
  fire(0)
  fire(300)
  fire(4_700)
  assert.equal(beats, 3)
  // On time; 300 ms late, so the next is 300 ms sooner; almost five intervals late, so a full interval follows.
  assert.deepEqual(delays, [1_000, 700, 1_000])
})
