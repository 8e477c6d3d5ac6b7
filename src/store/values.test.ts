import { strict as assert } from 'node:assert'
import test from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { DECODERS, decodeArray, encodeParam } from './values.ts'

const text = fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', ',', ' ', 'N', 'U', 'L', 'é', '\n', "'") })

test('an array of texts round-trips, special characters included', () => {
  fc.assert(fc.property(fc.array(fc.option(text)), (texts) => {
    assert.deepEqual(decodeArray(String(encodeParam(texts))), texts)
  }))
})

test('an array of exact integers round-trips', () => {
  fc.assert(fc.property(fc.array(fc.option(fc.bigInt())), (integers) => {
    assert.deepEqual(decodeArray(String(encodeParam(integers))).map((element) => (element === null ? null : BigInt(element))), integers)
  }))
})

test('bytes round-trip', () => {
  const decode = DECODERS[17]
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assert.deepEqual(decode?.(`\\x${Buffer.from(bytes).toString('hex')}`), bytes)
  }))
})

test('encodes single values in the text form of PostgreSQL', () => {
  assert.deepEqual([1n << 127n, true, 1.5, -0, Number.NaN, 'x', null].map(encodeParam), [
    '170141183460469231731687303715884105728', 'true', '1.5', '0', 'NaN', 'x', null,
  ])
})
