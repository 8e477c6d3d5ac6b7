import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from './clock.ts'
import { createLedgerClock, isSkewed, presentSec } from './ledger-clock.ts'
import { silentLog } from './log.ts'

const START_SEC = 1_800_000_000

/** A ledger clock on a machine that is this far ahead. `pass` lets ledgers close every five seconds, at a pace of close times. */
function createBench(aheadSec: number) {
  const clock = createVirtualClock((START_SEC + aheadSec) * 1_000)
  const lines: string[] = []
  const log = { ...silentLog, error: () => void lines.push('wrong'), info: () => void lines.push('right') }
  const ledgerClock = createLedgerClock({ clock, log })
  let ledger = 100
  let closeSec = START_SEC
  return {
    clock, lines, ledgerClock,
    pass(seconds: number, pace = 1): void {
      for (let passed = 0; passed < seconds; passed += 5) {
        clock.advance(5_000)
        closeSec += 5 * pace
        ledger += 1
        ledgerClock.observe({ ledger, closeSec })
      }
    },
    jump: (seconds: number): void => void (closeSec += seconds),
    closeSec: () => closeSec,
  }
}

test('a clock that is ahead or behind is reported once after a minute, and once when it is right again', () => {
  for (const aheadSec of [3_600, -120]) {
    const { clock, lines, ledgerClock, pass, closeSec } = createBench(aheadSec)
    pass(60)
    assert.deepEqual([ledgerClock.skewSec(), lines], [null, []], 'not believed before')
    pass(30)
    assert.deepEqual([ledgerClock.skewSec(), isSkewed(ledgerClock), presentSec(clock, ledgerClock), lines], [aheadSec, true, closeSec(), ['wrong']])
    clock.step(-aheadSec * 1_000)
    pass(30)
    assert.deepEqual([ledgerClock.skewSec(), isSkewed(ledgerClock), lines], [0, false, ['wrong', 'right']])
  }
})

test('a node that catches up, a network that halts and ledgers that are seen late are no reason to doubt the clock', () => {
  const catchingUp = createBench(3_600)
  catchingUp.pass(300, 3)
  assert.equal(catchingUp.ledgerClock.skewSec(), null)
  const { clock, ledgerClock, pass, jump, lines } = createBench(0)
  pass(90)
  clock.advance(3_600_000)
  assert.deepEqual([ledgerClock.skewSec(), presentSec(clock, ledgerClock)], [0, START_SEC + 90 + 3_600], 'the time runs on while no ledger closes')
  jump(3_600)
  pass(90)
  jump(-8)
  pass(5)
  jump(8)
  pass(90)
  assert.deepEqual([ledgerClock.skewSec(), lines], [0, []])
})

test('the time follows ledgers, forgets a chain that was replaced, and ignores earlier ledgers', () => {
  const { clock, ledgerClock, pass, closeSec } = createBench(3_600)
  assert.equal(ledgerClock.nowMs(), null)
  pass(5)
  assert.equal(ledgerClock.nowMs(), closeSec() * 1_000)
  ledgerClock.observe({ ledger: 1, closeSec: START_SEC - 1_000 })
  clock.advance(2_000)
  assert.equal(ledgerClock.nowMs(), closeSec() * 1_000 + 2_000)
  clock.advance(60_000)
  ledgerClock.observe({ ledger: 2, closeSec: START_SEC + 10_000 })
  assert.equal(ledgerClock.nowMs(), (START_SEC + 10_000) * 1_000)
})
