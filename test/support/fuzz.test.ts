import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { fc, limitShrinking } from './fuzz.ts'

/** Checks a property that fails for all numbers from 1,000 and takes ten seconds per case. Returns the number that it reports, and how many cases ran. */
async function checkSlowly(limitMs: number, isAsync: boolean): Promise<{ readonly reported: number | undefined; readonly cases: number }> {
  const clock = createVirtualClock(0)
  let cases = 0
  const isSmall = (value: number): boolean => {
    cases++
    clock.advance(10_000)
    return value < 1_000
  }
  const anyNumber = fc.integer({ min: 0, max: 1_000_000_000 })
  const property = isAsync ? fc.asyncProperty(anyNumber, async (value) => isSmall(value)) : fc.property(anyNumber, isSmall)
  const { failed, counterexample } = await fc.check<[number]>(property, { seed: 1, plugins: [limitShrinking(clock, limitMs)] })
  assert.ok(failed)
  return { reported: counterexample?.[0], cases }
}

for (const isAsync of [true, false]) {
  test(`a failure of slow cases is reported before a time limit, ${isAsync ? 'asynchronous' : 'synchronous'}`, async () => {
    const whole = await checkSlowly(Infinity, isAsync)
    assert.equal(whole.reported, 1_000, 'without a limit, the smallest failure is found')
    assert.ok(whole.cases > 10)
    const limited = await checkSlowly(40_000, isAsync)
    assert.ok(limited.cases <= 10, `${limited.cases} cases`)
    assert.ok((limited.reported ?? 0) >= 1_000, 'the failure is reported, smaller or not')
  })
}
