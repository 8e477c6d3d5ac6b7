import { strict as assert } from 'node:assert'
import test from 'node:test'
import { Address, nativeToScVal, StrKey, xdr } from '@stellar/stellar-sdk'
import { fc } from '../../test/support/fuzz.ts'
import { readPlainScVal } from './plain-scval.ts'
import { fromScVal, MalformedScVal } from './scval.ts'
import type { ScValue } from './scval.ts'

const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
const text = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).filter((code) => code !== 0x5c).map((code) => String.fromCharCode(code)), maxLength: 32 })
const plain = fc.oneof(
  fc.constant(xdr.ScVal.scvVoid()),
  fc.boolean().map((value) => xdr.ScVal.scvBool(value)),
  fc.integer({ min: 0, max: 0xffffffff }).map((value) => xdr.ScVal.scvU32(value)),
  fc.bigInt(0n, 2n ** 64n - 1n).map((value) => nativeToScVal(value, { type: 'u64' })),
  fc.bigInt(-(2n ** 127n), 2n ** 127n - 1n).map((value) => nativeToScVal(value, { type: 'i128' })),
  text.map((value) => nativeToScVal(value, { type: 'symbol' })),
  text.map((value) => nativeToScVal(value, { type: 'string' })),
  key.map((bytes) => new Address(StrKey.encodeEd25519PublicKey(bytes)).toScVal()),
  key.map((bytes) => new Address(StrKey.encodeContract(bytes)).toScVal()),
)
const value = fc.oneof(plain, fc.array(plain, { maxLength: 8 }).map((items) => xdr.ScVal.scvVec(items)))

/** As the SDK reads it; undefined when it refuses. */
function readBySdk(base64: string): ScValue | undefined {
  try {
    return fromScVal(xdr.ScVal.fromXdr(base64, 'base64'))
  } catch (error) {
    assert.ok(error instanceof Error || error instanceof MalformedScVal)
    return undefined
  }
}

test('reads the values of the exchange as the SDK does', () => {
  fc.assert(fc.property(value, (scVal) => {
    const base64 = scVal.toXdr('base64')
    assert.deepEqual(readPlainScVal(base64), fromScVal(scVal))
  }))
})

test('returns nothing that the SDK would refuse or read otherwise, for any bytes', () => {
  const changed = fc.tuple(value, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.integer({ min: -8, max: 8 })).map(([scVal, at, byte, longer]) => {
    const bytes = Buffer.from(scVal.toXdr('base64'), 'base64')
    bytes[at % bytes.length] = byte
    return longer < 0 ? bytes.subarray(0, bytes.length + longer) : Buffer.concat([bytes, Buffer.alloc(longer)])
  })
  fc.assert(fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes))), (bytes) => {
    const base64 = bytes.toString('base64')
    const read = readPlainScVal(base64)
    if (read !== undefined) assert.deepEqual(read, readBySdk(base64))
  }))
})

test('leaves text that is not base64, other types and escaped bytes to the SDK', () => {
  const i64 = nativeToScVal(1n, { type: 'i64' }).toXdr('base64')
  const bytes = xdr.ScVal.scvString(Buffer.from([0xff, 0x5c])).toXdr('base64')
  const voidValue = xdr.ScVal.scvVoid().toXdr('base64')
  for (const text64 of [i64, bytes, `${voidValue}\n`, voidValue.slice(0, -1), '', '????']) assert.equal(readPlainScVal(text64), undefined, text64)
})
