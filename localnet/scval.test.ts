import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { fc } from '../test/support/fuzz.ts'
import { anyVal } from './ledger/test-values.ts'
import { toBase64 } from './ledger/xdr-writer.ts'
import { encodeVal, fromScVal, toScVal, valFromBase64, valToBase64 } from './scval.ts'

test('every value round-trips and encodes to the SDK\'s bytes', () => {
  fc.assert(
    fc.property(anyVal, (val) => {
      assert.equal(toScVal(val).toXdr('base64'), toBase64(encodeVal(val)))
      assert.deepEqual(fromScVal(toScVal(val)), val)
      assert.deepEqual(valFromBase64(valToBase64(val)), val)
    }),
  )
})

test('encodes amounts of any size and sign as the SDK does', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }), (value) => {
      assert.equal(valToBase64({ type: 'i128', value }), nativeToScVal(value, { type: 'i128' }).toXdr('base64'))
    }),
  )
})

test('keeps strings of any bytes', () => {
  const scVal = xdr.ScVal.scvString(Buffer.from([0xff, 0x00, 0x61]))
  const val = fromScVal(scVal)
  assert.deepEqual(val, { type: 'string', value: '\\xff\\x00a' })
  assert.equal(valToBase64(val), scVal.toXdr('base64'))
})

test('rejects unsupported values, also inside other values', () => {
  const unsupported = [nativeToScVal(5n, { type: 'u128' }), xdr.ScVal.scvI32(-1), xdr.ScVal.scvDuration(5n)]
  for (const scVal of unsupported) {
    assert.equal(fromScVal(scVal), undefined)
    assert.equal(fromScVal(xdr.ScVal.scvVec([xdr.ScVal.scvVoid(), scVal])), undefined)
    assert.throws(() => valFromBase64(scVal.toXdr('base64')), RangeError)
  }
})
