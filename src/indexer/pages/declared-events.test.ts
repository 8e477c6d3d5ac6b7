import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SpecEvent, SpecStruct } from '../../exchange/contracts/contract-spec.ts'
import { typeArguments } from '../../exchange/contracts/contract-spec.ts'
import type { ScValue } from '../../chain/codec/scval.ts'
import { readDeclaredPayload } from './declared-events.ts'

const symbol = (value: string): ScValue => ({ type: 'symbol', value })
const map = (fields: Readonly<Record<string, ScValue>>): ScValue =>
  ({ type: 'map', value: Object.entries(fields).map(([name, value]) => [symbol(name), value]) })
const vec = (...value: ScValue[]): ScValue => ({ type: 'vec', value })
const u32 = (value: number): ScValue => ({ type: 'u32', value })
const i128 = (value: bigint): ScValue => ({ type: 'i128', value })
const VOID: ScValue = { type: 'void' }

function event(params: Readonly<Record<string, string>>, format: SpecEvent['dataFormat'] = 'map'): SpecEvent {
  const declared = Object.entries(params).map(([name, type]) => ({ name, type, location: 'data' as const }))
  return { name: 'Noted', prefixTopics: ['noted'], dataFormat: format, params: declared }
}

function payloadOf(declared: SpecEvent, data: ScValue, structs: readonly SpecStruct[] = []): object | undefined {
  const payload = readDeclaredPayload({ events: [declared], structs }, { topic: 'noted', topics: [symbol('noted')], data })
  if (payload === undefined) return undefined
  const { topic, ...fields } = payload
  assert.equal(topic, 'noted')
  return fields
}

test('an absent field equals void: null for an optional one, another event for a required one', () => {
  const declared = event({ position_id: 'u32', reduce_only: 'option<u32>', note: 'option<Note>' })
  const expected = { positionId: 7, reduceOnly: null, note: null }
  assert.deepEqual(payloadOf(declared, map({ position_id: u32(7) })), expected)
  assert.deepEqual(payloadOf(declared, map({ position_id: u32(7), reduce_only: VOID, note: VOID })), expected)
  assert.deepEqual(payloadOf(event({ a: 'option<u32>' }), map({})), { a: null })
  for (const without of [map({ reduce_only: u32(1) }), map({ position_id: VOID })]) assert.equal(payloadOf(declared, without), undefined)
  assert.equal(payloadOf(event({ terms: 'Terms' }), map({})), undefined, 'a declared type is never void')
})

test('an optional field that is present has its declared type', () => {
  const declared = event({ bound: 'option<u32>' })
  assert.deepEqual(payloadOf(declared, map({ bound: u32(3) })), { bound: 3 })
  assert.equal(payloadOf(declared, map({ bound: i128(3n) })), undefined)
})

test('undeclared fields are ignored', () => {
  assert.deepEqual(payloadOf(event({ a: 'u32' }), map({ a: u32(1), b: u32(2), c: { type: 'other', xdrType: 'scvBytes' } })), { a: 1 })
  assert.deepEqual(payloadOf(event({}), map({ b: u32(2) })), {})
})

const TERMS: SpecStruct = { name: '::exchange::orders::Terms2', fields: [{ name: 'size', type: 'i128' }, { name: 'max_fee', type: 'option<u32>' }] }
const PAIR: SpecStruct = { name: 'Pair', fields: [{ name: '0', type: 'u32' }, { name: '1', type: 'option<::exchange::orders::Terms2>' }] }

test('the same holds in structs inside of options, lists, maps, tuples and other structs', () => {
  const structs = [TERMS, PAIR]
  const sparse = map({ size: i128(5n), later: u32(9) })
  const expected = { size: '5', maxFee: null }
  for (const [type, data, json] of [
    [TERMS.name, sparse, expected],
    [`option<${TERMS.name}>`, sparse, expected],
    [`vec<${TERMS.name}>`, vec(sparse, sparse), [expected, expected]],
    [`map<symbol,${TERMS.name}>`, map({ first_one: sparse }), { firstOne: expected }],
    [`tuple<u32,map<symbol,u32>,${TERMS.name}>`, vec(u32(1), map({}), sparse), [1, {}, expected]],
    ['Pair', vec(u32(1), sparse), [1, expected]],
    ['Pair', vec(u32(1), VOID), [1, null]],
  ] as const) {
    assert.deepEqual(payloadOf(event({ terms: type }), map({ terms: data }), structs), { terms: json }, type)
  }
  assert.equal(payloadOf(event({ terms: TERMS.name }), map({ terms: map({ max_fee: u32(1) }) }), structs), undefined, 'a required field of a struct is missing')
  assert.equal(payloadOf(event({ list: `vec<${TERMS.name}>` }), map({ list: vec(sparse, map({})) }), structs), undefined)
  assert.equal(payloadOf(event({ list: 'vec<u32>' }), map({ list: vec(i128(1n)) }), structs), undefined)
})

test('lists and single values keep their places', () => {
  assert.deepEqual(payloadOf(event({ a: 'u32', b: 'option<u32>' }, 'vec'), vec(u32(1), VOID)), { a: 1, b: null })
  assert.equal(payloadOf(event({ a: 'u32', b: 'option<u32>' }, 'vec'), vec(u32(1))), undefined)
  assert.deepEqual(payloadOf(event({ a: 'option<u32>' }, 'single'), VOID), { a: null })
  assert.deepEqual(payloadOf(event({}, 'vec'), VOID), {})
  assert.equal(payloadOf(event({ a: 'u32' }), vec(u32(1))), undefined)
})

test('splits the arguments of types', () => {
  assert.deepEqual(typeArguments('tuple', 'tuple<u32,map<symbol,vec<u64>>,A>'), ['u32', 'map<symbol,vec<u64>>', 'A'])
  assert.deepEqual(typeArguments('map', 'map<tuple<u32,u64>,option<A>>'), ['tuple<u32,u64>', 'option<A>'])
  assert.equal(typeArguments('option', 'vec<u32>'), undefined)
  assert.equal(typeArguments('option', 'optional'), undefined)
})
