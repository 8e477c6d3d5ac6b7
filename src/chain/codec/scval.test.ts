import { strict as assert } from 'node:assert'
import test from 'node:test'
import { Address, nativeToScVal, StrKey, xdr } from '@stellar/stellar-sdk'
import { fc } from '../../../test/support/fuzz.ts'
import { textOfBytes } from '../../base/text.ts'
import { NewerThanKnown } from './newer-than-known.ts'
import { BASE64_MAX_LENGTH, decodeScVal, MalformedScVal } from './scval.ts'
import type { ScValue } from './scval.ts'

const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
const text = fc.uint8Array({ maxLength: 32 })
const balanceId = (bytes: Uint8Array) => StrKey.encodeClaimableBalance(Uint8Array.of(0, ...bytes))
const muxedAccount = fc.tuple(key, fc.bigInt(0n, 2n ** 64n - 1n)).map(([ed25519, id]) =>
  xdr.ScVal.scvAddress(xdr.ScAddress.scAddressTypeMuxedAccount(new xdr.MuxedEd25519Account({ id, ed25519 }))))
const leaf = fc.oneof(
  fc.constant(xdr.ScVal.scvVoid()),
  fc.boolean().map((value) => xdr.ScVal.scvBool(value)),
  fc.integer({ min: 0, max: 0xffffffff }).map((value) => xdr.ScVal.scvU32(value)),
  fc.bigInt(0n, 2n ** 64n - 1n).map((value) => nativeToScVal(value, { type: 'u64' })),
  fc.bigInt(-(2n ** 127n), 2n ** 127n - 1n).map((value) => nativeToScVal(value, { type: 'i128' })),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((value) => nativeToScVal(value, { type: 'i64' })),
  text.map((value) => xdr.ScVal.scvSymbol(value)),
  text.map((value) => xdr.ScVal.scvString(value)),
  text.map((value) => xdr.ScVal.scvBytes(value)),
  text.map((value) => xdr.ScVal.scvExecutableTag(value)),
  key.map((bytes) => new Address(StrKey.encodeEd25519PublicKey(bytes)).toScVal()),
  key.map((bytes) => new Address(StrKey.encodeContract(bytes)).toScVal()),
  key.map((bytes) => new Address(StrKey.encodeLiquidityPool(bytes)).toScVal()),
  key.map((bytes) => new Address(balanceId(bytes)).toScVal()),
  muxedAccount,
  fc.constantFrom(
    xdr.ScVal.scvVec(null), xdr.ScVal.scvMap(null), xdr.ScVal.scvLedgerKeyContractInstance(), xdr.ScVal.scvError(xdr.ScError.sceContract(7)),
    xdr.ScVal.scvLedgerKeyNonce(new xdr.ScNonceKey({ nonce: -5n })),
    xdr.ScVal.scvContractInstance(new xdr.ScContractInstance({ executable: xdr.ContractExecutable.contractExecutableStellarAsset(), storage: null })),
  ),
)
const value = fc.letrec<{ value: xdr.ScVal }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }).map((items) => xdr.ScVal.scvVec(items)),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 }).map((entries) =>
      xdr.ScVal.scvMap(entries.map(([from, to]) => new xdr.ScMapEntry({ key: from, val: to })))),
  ),
})).value

/** As the SDK reads it. */
function fromSdk(sdk: xdr.ScVal): ScValue {
  switch (sdk.type) {
    case 'scvVoid': return { type: 'void' }
    case 'scvBool': return { type: 'bool', value: sdk.b }
    case 'scvU32': return { type: 'u32', value: sdk.u32 }
    case 'scvU64': return { type: 'u64', value: sdk.u64 }
    case 'scvI128': return { type: 'i128', value: (sdk.i128.hi << 64n) + sdk.i128.lo }
    case 'scvSymbol': return { type: 'symbol', value: textOfBytes(sdk.sym.bytes) }
    case 'scvString': return { type: 'string', value: textOfBytes(sdk.str.bytes) }
    case 'scvAddress': return { type: 'address', value: Address.fromScVal(sdk).toString() }
    case 'scvVec': return { type: 'vec', value: (sdk.vec ?? []).map(fromSdk) }
    case 'scvMap': return { type: 'map', value: (sdk.map ?? []).map((entry) => [fromSdk(entry.key), fromSdk(entry.val)] as const) }
    default: return { type: 'other', xdrType: sdk.type }
  }
}

/** Undefined when the SDK refuses it. */
function readBySdk(base64: string): ScValue | undefined {
  try {
    return fromSdk(xdr.ScVal.fromXdr(base64, 'base64'))
  } catch {
    return undefined
  }
}

/** Undefined when it is malformed, a text when it is newer. */
function read(base64: string): ScValue | string | undefined {
  try {
    return decodeScVal(base64)
  } catch (error) {
    if (error instanceof NewerThanKnown) return error.what
    assert.ok(error instanceof MalformedScVal, String(error))
    return undefined
  }
}

test('property: reads every kind of value as the SDK does', () => {
  fc.assert(fc.property(value, (sdk) => assert.deepEqual(decodeScVal(sdk.toXdr('base64')), fromSdk(sdk))))
})

test('property: accepts what the SDK accepts, refuses the rest with its own errors, for any bytes', () => {
  const changed = fc.tuple(value, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.integer({ min: -8, max: 8 })).map(([sdk, at, byte, longer]) => {
    const bytes = Buffer.from(sdk.toXdr())
    bytes[at % bytes.length] = byte
    return longer < 0 ? bytes.subarray(0, bytes.length + longer) : Buffer.concat([bytes, Buffer.alloc(longer)])
  })
  let newer = 0
  fc.assert(fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes))), (bytes) => {
    const base64 = bytes.toString('base64')
    const ours = read(base64)
    if (typeof ours === 'string' || JSON.stringify(ours, (_key, each: unknown) => String(each)).includes('W')) newer++
    else assert.deepEqual(ours, readBySdk(base64))
  }), { numRuns: 2_000 })
  assert.ok(newer < 200, 'almost all are compared')
})

/** The muxed contract address of contract id 0xab27…, id 2^53 + 1: type, id, contract. */
const CONTRACT_ID = 'ab27b729d9cc4cb1c00960700446924159e9298d0f952aee3d55408b8e0b1b71'
const MUXED_CONTRACT = Buffer.from(`00000012000000050020000000000001${CONTRACT_ID}`, 'hex')
const W_ADDRESS = 'WCVSPNZJ3HGEZMOABFQHABCGSJAVT2JJRUHZKKXOHVKUBC4OBMNXCABAAAAAAAAAAGQOA'

test('reads a muxed contract address as W…, also inside lists and maps', () => {
  assert.deepEqual(decodeScVal(MUXED_CONTRACT.toString('base64')), { type: 'address', value: W_ADDRESS })
  const inVec = Buffer.concat([Buffer.from('000000100000000100000002', 'hex'), MUXED_CONTRACT, MUXED_CONTRACT]).toString('base64')
  assert.deepEqual(decodeScVal(inVec), { type: 'vec', value: [{ type: 'address', value: W_ADDRESS }, { type: 'address', value: W_ADDRESS }] })
  const inMap = Buffer.concat([Buffer.from('000000110000000100000001', 'hex'), MUXED_CONTRACT, Buffer.from('00000001', 'hex')]).toString('base64')
  assert.deepEqual(decodeScVal(inMap), { type: 'map', value: [[{ type: 'address', value: W_ADDRESS }, { type: 'void' }]] })
  for (const cut of [1, 8, 39, 40]) assert.equal(read(MUXED_CONTRACT.subarray(0, -cut).toString('base64')), undefined)
})

test('reads an instance whose storage holds a muxed contract address', () => {
  const instance = Buffer.concat([Buffer.from('0000001300000001', 'hex'), Buffer.from('0000000100000001', 'hex'), MUXED_CONTRACT, MUXED_CONTRACT])
  assert.deepEqual(decodeScVal(instance.toString('base64')), { type: 'other', xdrType: 'scvContractInstance' })
})

const NEWER: readonly (readonly [hex: string, what: string])[] = [
  ['0000001200000006', 'address type 6'], ['00000017', 'value type 23'], ['0000001300000003', 'executable type 3'],
  ['00000010000000010000000100000018', 'value type 24'],
]

test('names what is newer than the gateway, and takes numbers far above the known ones for damage', () => {
  for (const [hex, what] of NEWER) {
    const base64 = Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(40)]).toString('base64')
    assert.throws(() => decodeScVal(base64), (error) => error instanceof NewerThanKnown && error.what === what, what)
  }
  for (const hex of ['00000012000000ff', '12345678', 'ffffffff']) {
    assert.equal(read(Buffer.from(`${hex}${'00'.repeat(40)}`, 'hex').toString('base64')), undefined, hex)
  }
})

test('rejects what is not base64, deeper nesting than a network allows, and values longer than an entry', () => {
  const voidValue = xdr.ScVal.scvVoid().toXdr('base64')
  for (const wrong of [`${voidValue}\n`, voidValue.slice(0, -1), '', '????', 'A'.repeat(BASE64_MAX_LENGTH + 4)]) assert.equal(read(wrong), undefined)
  const list = Buffer.from('000000100000000100000001', 'hex')
  const nested = (depth: number) => Buffer.concat([...Array.from({ length: depth }, () => list), Buffer.from('00000001', 'hex')])
  assert.ok(read(nested(16).toString('base64')))
  assert.match(JSON.stringify(read(nested(17).toString('base64'))), /nested too deeply/, 'a contract may emit it')
  assert.ok(read(nested(200).toString('base64')), 'the network allows 500 levels of XDR, of which each list takes four')
  assert.equal(read(nested(200).subarray(0, -1).toString('base64')), undefined)
  assert.equal(read(nested(5_000).toString('base64')), undefined)
  const hugeList = Buffer.from('0000001000000001ffffffff00000001', 'hex').toString('base64')
  assert.equal(read(hugeList), undefined)
})
