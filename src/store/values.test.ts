import { strict as assert } from 'node:assert'
import test from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { DECODERS, decodeArray, encodeParam } from './values.ts'

const text = fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', ',', ' ', 'N', 'U', 'L', 'é', '\n', "'") })

test('an array of texts survives the way there and back, whatever stands in them', () => {
  fc.assert(fc.property(fc.array(fc.option(text)), (texts) => {
    assert.deepEqual(decodeArray(String(encodeParam(texts))), texts)
  }))
})

test('an array of exact integers survives the way there and back', () => {
  fc.assert(fc.property(fc.array(fc.option(fc.bigInt())), (integers) => {
    assert.deepEqual(decodeArray(String(encodeParam(integers))).map((element) => (element === null ? null : BigInt(element))), integers)
  }))
})

test('bytes survive the way there and back', () => {
  const decode = DECODERS[17]
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assert.deepEqual(decode?.(`\\x${Buffer.from(bytes).toString('hex')}`), bytes)
  }))
})

test('single values in the text form of PostgreSQL', () => {
  assert.deepEqual([1n << 127n, true, 1.5, -0, Number.NaN, 'x', null].map(encodeParam), [
    '170141183460469231731687303715884105728', 'true', '1.5', '0', 'NaN', 'x', null,
  ])
})
