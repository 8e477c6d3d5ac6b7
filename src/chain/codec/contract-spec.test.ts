import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'

import { customSection, functionEntry, wasmOf } from './test-wasm.ts'
import { parseContractSpec, SPEC_ENTRIES_MAX, UnreadableContractSpec, WASM_MAX_BYTES } from './contract-spec.ts'

const type = xdr.ScSpecTypeDef

test('reads functions, types, errors and events of a module', () => {
  const entries = [
    functionEntry('close_position', [['trader', type.scSpecTypeAddress()], ['position_id', type.scSpecTypeU64()]], [type.scSpecTypeI128()]),
    functionEntry('upgrade', [['new_wasm_hash', type.scSpecTypeBytesN(new xdr.ScSpecTypeBytesN({ n: 32 }))]], []),
    functionEntry('views', [['asset', type.scSpecTypeUdt(new xdr.ScSpecTypeUdt({ name: 'Direction' }))]], [
      type.scSpecTypeOption(new xdr.ScSpecTypeOption({
        valueType: type.scSpecTypeTuple(new xdr.ScSpecTypeTuple({ valueTypes: [
          type.scSpecTypeVec(new xdr.ScSpecTypeVec({ elementType: type.scSpecTypeU64() })),
          type.scSpecTypeMap(new xdr.ScSpecTypeMap({ keyType: type.scSpecTypeSymbol(), valueType: type.scSpecTypeI128() })),
          type.scSpecTypeResult(new xdr.ScSpecTypeResult({ okType: type.scSpecTypeVoid(), errorType: type.scSpecTypeError() })),
        ] })),
      })),
    ]),
    xdr.ScSpecEntry.scSpecEntryUdtStructV0(new xdr.ScSpecUdtStructV0({
      doc: 'A position.', lib: 'common', name: 'Position', fields: [new xdr.ScSpecUdtStructFieldV0({ doc: 'd', name: 'size', type: type.scSpecTypeI128() })],
    })),
    xdr.ScSpecEntry.scSpecEntryUdtUnionV0(new xdr.ScSpecUdtUnionV0({ doc: '', lib: '', name: 'Key', cases: [
      xdr.ScSpecUdtUnionCaseV0.scSpecUdtUnionCaseVoidV0(new xdr.ScSpecUdtUnionCaseVoidV0({ doc: '', name: 'Config' })),
      xdr.ScSpecUdtUnionCaseV0.scSpecUdtUnionCaseTupleV0(new xdr.ScSpecUdtUnionCaseTupleV0({ doc: '', name: 'Order', type: [type.scSpecTypeU64()] })),
    ] })),
    xdr.ScSpecEntry.scSpecEntryUdtEnumV0(new xdr.ScSpecUdtEnumV0({
      doc: '', lib: '', name: 'Direction', cases: [new xdr.ScSpecUdtEnumCaseV0({ doc: '', name: 'Long', value: 0 })],
    })),
    xdr.ScSpecEntry.scSpecEntryUdtErrorEnumV0(new xdr.ScSpecUdtErrorEnumV0({
      doc: '', lib: '', name: 'Error', cases: [new xdr.ScSpecUdtErrorEnumCaseV0({ doc: 'why', name: 'AgentUnauthorized', value: 94 })],
    })),
    xdr.ScSpecEntry.scSpecEntryEventV0(new xdr.ScSpecEventV0({
      doc: '', lib: '', name: 'Halted', prefixTopics: ['halted'], dataFormat: xdr.ScSpecEventDataFormat.scSpecEventDataFormatVec, params: [
        new xdr.ScSpecEventParamV0({ doc: '', name: 'asset', type: type.scSpecTypeSymbol(), location: eventLocation('TopicList') }),
        new xdr.ScSpecEventParamV0({ doc: '', name: 'on', type: type.scSpecTypeBool(), location: eventLocation('Data') }),
      ],
    })),
  ]
  const spec = parseContractSpec(wasmOf(entries))
  assert.deepEqual(spec, {
    functions: [
      { name: 'close_position', inputs: [{ name: 'trader', type: 'address' }, { name: 'position_id', type: 'u64' }], output: 'i128' },
      { name: 'upgrade', inputs: [{ name: 'new_wasm_hash', type: 'bytesN<32>' }], output: 'void' },
      {
        name: 'views', inputs: [{ name: 'asset', type: 'Direction' }],
        output: 'option<tuple<vec<u64>,map<symbol,i128>,result<void,error>>>',
      },
    ],
    structs: [{ name: 'Position', fields: [{ name: 'size', type: 'i128' }] }],
    unions: [{ name: 'Key', cases: [{ name: 'Config', types: [] }, { name: 'Order', types: ['u64'] }] }],
    enums: [{ name: 'Direction', cases: [{ name: 'Long', value: 0 }] }],
    errors: [{ name: 'AgentUnauthorized', value: 94 }],
    events: [{
      name: 'Halted', prefixTopics: ['halted'], dataFormat: 'vec',
      params: [{ name: 'asset', type: 'symbol', location: 'topic' }, { name: 'on', type: 'bool', location: 'data' }],
    }],
  })
  assert.deepEqual(JSON.parse(JSON.stringify(spec)), spec)
})

test('reads several spec sections as one, and ignores all other sections', () => {
  const first = functionEntry('a', [], [])
  const second = functionEntry('b', [], [])
  const wasm = Buffer.concat([
    wasmOf([first]), customSection('contractmetav0', Buffer.from('noise')), Buffer.from([1, 1, 0]), customSection('contractspecv0', second.toXdr()),
  ])
  assert.deepEqual(parseContractSpec(wasm).functions.map(({ name }) => name), ['a', 'b'])
})

test('reads code of exactly the size that the network allows', () => {
  const own = wasmOf([functionEntry('a', [], [])])
  // The section has a byte for its kind, three for its length and one for that of its name.
  const noise = customSection('n', Buffer.alloc(WASM_MAX_BYTES - own.length - 6))
  const largest = Buffer.concat([own, noise])
  assert.equal(largest.length, WASM_MAX_BYTES)
  assert.deepEqual(parseContractSpec(largest).functions.map(({ name }) => name), ['a'])
  assert.throws(() => parseContractSpec(Buffer.concat([largest, Buffer.alloc(1)])), /larger than the network allows/)
})

const spec = wasmOf([functionEntry('a', [['value', type.scSpecTypeU32()]], [])])

for (const [what, wasm, message] of [
  ['nothing', Buffer.alloc(0), /not a WASM module/],
  ['text', Buffer.from('not a module at all'), /not a WASM module/],
  ['no spec section', wasmOf([]).subarray(0, 8), /no section contractspecv0/],
  ['a truncated section', spec.subarray(0, spec.length - 3), /truncated/],
  ['a truncated length', Buffer.concat([spec, Buffer.from([0, 0x80])]), /length/],
  ['a length without end', Buffer.concat([spec, Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])]), /length/],
  ['a length of more than 32 bits', Buffer.concat([spec, Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 0x7f])]), /length/],
  ['a section name that is longer than its section', Buffer.concat([spec, Buffer.from([0, 2, 9, 65])]), /name of a section/],
  ['truncated XDR', moduleWith(functionEntry('a', [], []).toXdr().subarray(0, 10)), /truncated/],
  ['a list of four billion items', moduleWith(words(0, 0, 1, 0x61000000, 0xffffffff)), /truncated/],
  ['an unknown kind of entry', moduleWith(words(99, 0, 0)), /unknown kind 99/],
  ['an unknown type', moduleWith(words(0, 0, 1, 0x61000000, 0, 1, 999)), /unknown code 999/],
  ['a type nested without end', moduleWith(words(0, 0, 1, 0x61000000, 0, 1, ...Array.from({ length: 40 }, () => 1000))), /nested/],
  ['100,000 entries', moduleWith(Buffer.concat(Array.from({ length: 100_000 }, () => functionEntry('a', [], []).toXdr()))), /larger than/],
  ['too many entries', moduleWith(Buffer.concat(Array.from({ length: SPEC_ENTRIES_MAX + 1 }, () => functionEntry('a', [], []).toXdr()))), /more than/],
] as const) {
  test(`reports ${what} as unreadable`, () => {
    assert.throws(() => parseContractSpec(wasm), (error) => error instanceof UnreadableContractSpec && message.test(error.message))
  })
}

test('replaces control characters in names, so that the database can store them', () => {
  const bytes = functionEntry('abcd', [], []).toXdr()
  bytes[bytes.indexOf(0x62)] = 0
  assert.deepEqual(parseContractSpec(moduleWith(bytes)).functions.map(({ name }) => name), ['a?cd'])
})

/** The XDR of a struct without fields. The SDK limits names to 60 bytes. */
function structOf(name: string): Buffer {
  const text = Buffer.concat([words(name.length), Buffer.from(name), Buffer.alloc((4 - (name.length % 4)) % 4)])
  return Buffer.concat([words(1, 0, 0), text, words(0)])
}

test('reads names of up to 1,024 bytes whole, so that no two of them become equal', () => {
  const path = '::exchange::orders'.padEnd(1_023, ':')
  const names = [`${path}A`, `${path}B`, 'State2']
  const module = moduleWith(Buffer.concat(names.map(structOf)))
  assert.deepEqual(parseContractSpec(module).structs.map(({ name }) => name), names)
  assert.throws(() => parseContractSpec(moduleWith(structOf(`${path}AB`))), (error) => {
    return error instanceof UnreadableContractSpec && error.message === 'the interface has a name of more than 1024 bytes'
  })
})

test('no name can be taken for a parametrised type', () => {
  assert.deepEqual(parseContractSpec(moduleWith(structOf('option<a,b>'))).structs.map(({ name }) => name), ['option?a?b?'])
})

test('fails on every truncation of a module without anything but UnreadableContractSpec', () => {
  for (let length = 0; length < spec.length; length += 1) {
    assert.throws(() => parseContractSpec(spec.subarray(0, length)), UnreadableContractSpec, `length ${length}`)
  }
})

function moduleWith(section: Uint8Array): Uint8Array {
  return Buffer.concat([wasmOf([]).subarray(0, 8), customSection('contractspecv0', section)])
}

function words(...values: readonly number[]): Uint8Array {
  return Buffer.concat(values.map((value) => Buffer.from(value.toString(16).padStart(8, '0'), 'hex')))
}

function eventLocation(name: 'Data' | 'TopicList'): xdr.ScSpecEventParamLocationV0 {
  return xdr.ScSpecEventParamLocationV0.fromValue(name === 'Data' ? 0 : 1)
}
