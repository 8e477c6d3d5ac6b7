import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from './clock.ts'
import { createFailureLog, FAILURE_CODES_MAX } from './failure-log.ts'
import type { Log } from './log.ts'
import { silentLog } from './log.ts'

const MINUTE_MS = 60_000

function createLines(individually = 0) {
  const lines: Record<string, unknown>[] = []
  const log: Log = { ...silentLog, info: (fields, message) => lines.push({ ...fields, message }) }
  const clock = createVirtualClock(10 * MINUTE_MS + 20_000)
  return { lines, clock, failures: createFailureLog({ clock, log, level: 'info', message: 'failed', individually }) }
}

test('logs each code once a minute, with its count and its first example', () => {
  const { lines, clock, failures } = createLines()
  for (let id = 1; id <= 500; id++) failures.record(id % 100 === 0 ? 'rare' : 'often', () => ({ id }))
  assert.deepEqual(lines, [])
  clock.advance(40_000)
  assert.deepEqual(lines, [{ code: 'often', count: 495, id: 1, message: 'failed' }, { code: 'rare', count: 5, id: 100, message: 'failed' }])
  clock.advance(10 * MINUTE_MS)
  assert.equal(lines.length, 2, 'nothing is logged for a minute without failures')
  failures.record('often', () => ({ id: 501 }))
  clock.advance(MINUTE_MS)
  assert.deepEqual(lines.slice(2), [{ code: 'often', count: 1, id: 501, message: 'failed' }])
})

test('gives the first failures of a code lines of their own and counts all of them', () => {
  const { lines, clock, failures } = createLines(2)
  for (let id = 1; id <= 5; id++) failures.record('a', () => ({ id }))
  failures.record('b', () => ({ id: 6 }))
  assert.deepEqual(lines.map(({ code, id }) => [code, id]), [['a', 1], ['a', 2], ['b', 6]])
  clock.advance(MINUTE_MS)
  assert.deepEqual(lines.slice(3), [{ code: 'a', count: 5, id: 1, message: 'failed' }])
})

test('bounds the table of codes and loses no count', () => {
  const { lines, failures } = createLines()
  for (let code = 0; code < 10_000; code++) failures.record(`code ${code}`, () => ({}))
  failures[Symbol.dispose]()
  assert.equal(lines.length, FAILURE_CODES_MAX + 1)
  assert.equal(lines.reduce((sum, { count }) => sum + Number(count), 0), 10_000)
})

test('logs what was counted when it is disposed, and leaves no timer', () => {
  const { lines, clock, failures } = createLines()
  failures.record('a', () => ({}))
  failures[Symbol.dispose]()
  assert.deepEqual([lines.length, clock.pendingTimers()], [1, 0])
})
