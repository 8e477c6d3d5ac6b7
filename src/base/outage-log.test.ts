import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from './clock.ts'
import { silentLog } from './log.ts'
import { createOutageLog } from './outage-log.ts'

function createLines() {
  const lines: unknown[] = []
  const clock = createVirtualClock(0)
  const log = {
    ...silentLog,
    warn: (fields: object, message: string) => lines.push(['warn', { ...fields }, message]),
    info: (fields: object, message: string) => lines.push(['info', { ...fields }, message]),
  }
  return { lines, clock, outage: createOutageLog({ clock, log, level: 'warn', message: 'failed', endMessage: 'works again' }) }
}

test('logs the first failure, then one line a minute with the count, and the end', () => {
  const { lines, clock, outage } = createLines()
  outage.succeeded()
  for (let second = 0; second <= 120; second += 2) {
    outage.failed('down', () => ({ second }))
    clock.advance(2_000)
  }
  outage.succeeded()
  outage.succeeded()
  assert.deepEqual(lines, [
    ['warn', { second: 0 }, 'failed'],
    ['warn', { second: 60, failures: 31 }, 'failed'],
    ['warn', { second: 120, failures: 61 }, 'failed'],
    ['info', { failures: 61 }, 'works again'],
  ])
  assert.equal(clock.pendingTimers(), 0)
  outage.failed('down', () => ({}))
  assert.equal(lines.length, 5, 'the next outage has its own first line')
})

test('logs each cause once, and bounds their number', () => {
  const { lines, outage } = createLines()
  for (let round = 0; round < 100; round++) outage.failed(`cause ${round % 20}`, () => ({}))
  assert.equal(lines.length, 8)
})
