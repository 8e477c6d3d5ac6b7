import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { ContractKey } from './contracts.ts'
import type { ContractSpec } from './contract-spec.ts'
import { GENERATIONS, listNotUnderstood, recogniseGeneration, requiredSignatures } from './generations.ts'
import type { Generation } from './generations.ts'

type Functions = Readonly<Record<string, readonly string[]>>

function specOf(functions: Functions, errors: Readonly<Record<string, number>> = {}): ContractSpec {
  return {
    functions: Object.entries(functions).map(([name, types]) => ({
      name, inputs: types.map((type, index) => ({ name: `a${index}`, type })), output: 'void',
    })),
    structs: [], unions: [], enums: [{ name: 'Direction', cases: [{ name: 'Long', value: 0 }] }],
    errors: Object.entries(errors).map(([name, value]) => ({ name, value })), events: [],
  }
}

const market2: Functions = { ...requiredSignatures('market', '2.0'), get_pause_state: [] }

// Every row of the probe table that an interface shows.
const ROWS: readonly (readonly [ContractKey, string, Functions, Generation | null, Generation | null])[] = [
  ['market', 'generation 1', requiredSignatures('market', '1'), null, '1'],
  ['market', 'two pause modes and acceptable prices', market2, null, '2.0'],
  ['market', 'admin rotation', { ...market2, set_admin: ['address'] }, null, '2.1'],
  ['market', 'reseed_funding', { ...market2, set_admin: ['address'], reseed_funding: ['vec<u64>'] }, null, '2.2'],
  ['market', 'ids by trader', { ...market2, reseed_funding: ['vec<u64>'], get_trader_position_ids: ['address'] }, null, '2.3'],
  ['market', 'opens with seven arguments', { ...market2, open_position: [...(market2['open_position'] ?? []), 'bool'] }, '2.3', null],
  ['vault', 'three arguments of a reservation', { reserve_for_position: ['symbol', 'i128', 'i128'], deposit: ['address', 'i128'] }, null, '1'],
  ['vault', 'five arguments of a reservation', vault2(2), null, '2.0'],
  ['vault', 'a minimum at deposits', vault2(3), null, '2.1'],
  ['vault', 'a minimum at deposits, expected 2.2', vault2(3), '2.2', '2.2'],
  ['vault', 'a minimum at deposits, expected 1', vault2(3), '1', '2.1'],
  ['vault', 'receive_loss_for', { ...vault2(3), receive_loss_for: ['address', 'i128'] }, null, '2.3'],
  ['oracleShim', 'no twap', { lastprice: ['symbol'] }, null, '1'],
  ['oracleShim', 'twap', { lastprice: ['symbol'], twap: ['symbol', 'u32'] }, '2.3', '2.3'],
  ['router', 'an asset argument', { open_with_price: ['address', 'symbol'] }, null, '1'],
  ['router', 'no asset argument', { open_with_price: ['address', 'i128'] }, null, '2.0'],
  ['vaultFactory', 'no full value', requiredSignatures('vaultFactory', '1'), null, '1'],
  ['vaultFactory', 'a full value', { ...requiredSignatures('vaultFactory', '2.0'), get_full_nav: ['u32'] }, null, '2.0'],
  ['vaultFactory', 'a minimum at deposits', { ...requiredSignatures('vaultFactory', '2.1'), get_full_nav: ['u32'] }, '2.2', '2.2'],
  ['referral', 'trades without volume', { record_trade: ['address', 'i128'] }, null, '1'],
  ['referral', 'trades with volume', { record_trade: ['address', 'i128', 'i128'] }, '2.1', '2.1'],
  ['usdcToken', 'anything', { transfer: [] }, '2.1', null],
]

function vault2(depositArguments: number): Functions {
  return {
    reserve_for_position: ['symbol', 'i128', 'i128', 'i128', 'i128'],
    deposit: ['address', 'i128', 'i128'].slice(0, depositArguments),
  }
}

for (const [key, what, functions, expected, generation] of ROWS) {
  test(`recognises ${key} with ${what} as ${generation ?? 'no generation'}`, () => {
    assert.equal(recogniseGeneration(key, specOf(functions), expected), generation)
  })
}

test('understands exactly what each generation requires', () => {
  for (const key of ['market', 'vault', 'vaultFactory', 'oracleShim', 'referral'] as const) {
    for (const generation of GENERATIONS) {
      const spec = specOf(requiredSignatures(key, generation))
      assert.deepEqual(listNotUnderstood(key, spec, { generation, expected: null, knowsError: () => true }), [], `${key} ${generation}`)
    }
  }
})

test('names changed arguments, missing functions and unknown error codes', () => {
  const { cancel_order: _, ...rest } = requiredSignatures('market', '1')
  const spec = specOf({ ...rest, close_position: ['address', 'u64', 'i128'] }, { Paused: 4, AgentUnauthorized: 94 })
  assert.deepEqual(listNotUnderstood('market', spec, { generation: '1', expected: null, knowsError: (code) => code === 4 }), [
    'close_position(a0: address, a1: u64, a2: i128): expected (address, u64)',
    'function cancel_order is missing',
    'error 94 AgentUnauthorized is unknown',
  ])
})

test('compares an unknown interface with the expected generation', () => {
  assert.deepEqual(listNotUnderstood('oracleShim', specOf({}), { generation: null, expected: '1', knowsError: () => true }), [
    'the interface is of no known generation', 'function lastprice is missing',
  ])
})

test('accepts an integer enum, an option and any value where it sends a plain value', () => {
  const spec = specOf({ ...requiredSignatures('market', '1'), open_position: ['address', 'symbol', 'option<i128>', 'val', 'Direction'] })
  assert.deepEqual(listNotUnderstood('market', spec, { generation: '1', expected: null, knowsError: () => true }), [])
})

test('types that a compiler renames, by number or with their path, change nothing', () => {
  for (const generation of GENERATIONS) {
    for (const name of ['Direction', 'Direction2', '::perps::types::orders::Direction'.padStart(1_024, ':')]) {
      const types = (declared: readonly string[]): string[] => declared.map((type) => (type === 'u32' ? name : `option<${type}>`))
      const functions = Object.entries(requiredSignatures('market', generation)).map(([key, declared]) => [key, types(declared)] as const)
      const pause: Functions = generation === '1' ? {} : { get_pause_state: [] }
      const spec = { ...specOf({ ...Object.fromEntries(functions), ...pause }), enums: [{ name, cases: [{ name: 'Long', value: 0 }] }] }
      assert.equal(recogniseGeneration('market', spec, null), generation === '1' ? '1' : '2.0')
      assert.deepEqual(listNotUnderstood('market', spec, { generation, expected: null, knowsError: () => true }), [])
    }
  }
})

test('shortens lines with long names', () => {
  const name = 'T'.repeat(1_024)
  const spec = specOf({ cancel_order: [name, name] }, { [name]: 9 })
  const lines = listNotUnderstood('market', spec, { generation: '1', expected: null, knowsError: () => false })
  assert.deepEqual(lines.filter((line) => line.length > 501), [])
  assert.ok(lines.some((line) => line.startsWith('cancel_order(a0: TTT') && line.endsWith('…: expected (address, u64)')))
  assert.ok(lines.some((line) => line.startsWith('error 9 TTT') && line.endsWith('…')))
})

test('bounds the lines', () => {
  const errors = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`E${index}`, 1_000 + index]))
  const lines = listNotUnderstood('referral', specOf(requiredSignatures('referral', '1'), errors), {
    generation: '1', expected: null, knowsError: () => false,
  })
  assert.equal(lines.length, 51)
  assert.equal(lines.at(-1), 'and 30 more')
})
