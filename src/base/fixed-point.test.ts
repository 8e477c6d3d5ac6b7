import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { formatDecimal, I128_MAX, I128_MIN, isI128Text, parseDecimal, toFloat } from './fixed-point.ts'

const i128 = fc.bigInt({ min: I128_MIN, max: I128_MAX })

test('property: formatting and parsing returns the same amount', () => {
  fc.assert(fc.property(i128, (amount) => parseDecimal(formatDecimal(amount)) === amount))
})

test('an amount has 128 bits, one of them its sign', () => {
  assert.deepEqual([I128_MIN, I128_MAX], [-(1n << 127n), (1n << 127n) - 1n])
})

test('converts known amounts', () => {
  assert.equal(formatDecimal(125_000_000n), '12.5')
  assert.equal(formatDecimal(-1n), '-0.0000001')
  assert.equal(parseDecimal('10'), 100_000_000n)
  assert.equal(toFloat(15_000_000n), 1.5)
})

test('parseDecimal rejects anything but a decimal with at most seven decimals', () => {
  for (const text of ['', '.5', '1.', '1e3', '0.12345678', ' 1', '1,0', '--1']) assert.throws(() => parseDecimal(text), RangeError, text)
})

test('isI128Text is exact at the limits of i128', () => {
  assert.ok(isI128Text(I128_MAX.toString()) && isI128Text(I128_MIN.toString()))
  for (const text of [(I128_MAX + 1n).toString(), (I128_MIN - 1n).toString(), '', '-', '1.0', '1e3', ' 1', '9'.repeat(60)]) {
    assert.ok(!isI128Text(text), text)
  }
})
