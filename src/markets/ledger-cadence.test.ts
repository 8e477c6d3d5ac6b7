import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import type { VirtualClock } from '../base/clock.ts'
import { CADENCE_MAX_MS, CADENCE_MIN_MS, createLedgerCadence } from './ledger-cadence.ts'
import type { LedgerCadence } from './ledger-cadence.ts'

function start(): { clock: VirtualClock; cadence: LedgerCadence; delayAfter: (ms: number) => number } {
  const clock = createVirtualClock(1_000_000)
  const cadence = createLedgerCadence(clock)
  return {
    clock, cadence,
    delayAfter(ms) {
      clock.advance(ms)
      return cadence.delayMs()
    },
  }
}

test('reads rarely until a ledger is due, often around that time, and less often when it is late', () => {
  const { cadence, delayAfter } = start()
  assert.equal(cadence.delayMs(), CADENCE_MAX_MS, 'no ledger was seen')
  cadence.observe(100)
  // Ledgers of public networks close every 5 s.
  assert.equal(delayAfter(0), 2_000)
  assert.equal(delayAfter(2_900), 1_900, 'until 200 ms before it is due')
  assert.equal(delayAfter(1_499), 401)
  assert.equal(delayAfter(200), 201)
  assert.equal(delayAfter(1), CADENCE_MIN_MS)
  assert.equal(delayAfter(5_599), CADENCE_MIN_MS)
  assert.equal(delayAfter(1), 1_000, 'two intervals and 200 ms')
})

test('estimates the interval from the ledgers that it sees', () => {
  const { cadence, delayAfter } = start()
  cadence.observe(100)
  delayAfter(3_000)
  cadence.observe(102)
  assert.equal(delayAfter(0), 1_300, 'two ledgers in 3 s')
  delayAfter(2_000)
  cadence.observe(103)
  assert.equal(delayAfter(0), 1_400, 'a fifth of the difference')
  delayAfter(1_000)
  cadence.observe(103)
  assert.equal(delayAfter(0), 400, 'the same ledger again changes nothing')
  cadence.observe(102)
  assert.equal(delayAfter(0), 400, 'nor does an earlier one')
})

test('bounds the interval that one observation can suggest', () => {
  const short = start()
  short.cadence.observe(100)
  short.cadence.observe(200)
  assert.equal(short.delayAfter(599), CADENCE_MIN_MS, 'an interval of 200 ms')
  assert.equal(short.delayAfter(1), 1_000)
  const long = start()
  long.cadence.observe(100)
  long.delayAfter(60_000)
  long.cadence.observe(101)
  assert.equal(long.delayAfter(9_000), 800, 'an interval of 10 s')
})

test('follows a chain whose ledgers begin again after ten seconds without a new one', () => {
  const { cadence, delayAfter } = start()
  cadence.observe(100)
  delayAfter(5_000)
  cadence.observe(101)
  delayAfter(10_000)
  cadence.observe(3)
  assert.equal(delayAfter(0), CADENCE_MIN_MS, 'not yet')
  delayAfter(1)
  cadence.observe(3)
  assert.equal(delayAfter(4_000), 800)
  delayAfter(1_000)
  cadence.observe(4)
  assert.equal(delayAfter(4_000), 800)
})
