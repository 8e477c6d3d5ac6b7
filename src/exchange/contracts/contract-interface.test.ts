import assert from 'node:assert/strict'
import { test } from 'node:test'

import { callTargetOf, composeInterfaces, declaredSignature, errorName, UNKNOWN_INTERFACES } from './contract-interface.ts'
import type { RunningCode } from './contract-interface.ts'
import { CONTRACT_KEYS } from './contracts.ts'
import type { ContractAddresses, ContractKey } from './contracts.ts'
import type { ContractSpec } from './contract-spec.ts'
import { requiredSignatures } from './generations.ts'
import type { Generation } from './generations.ts'

const CONTRACTS = Object.fromEntries(CONTRACT_KEYS.map((key) => [key, `C_${key}`])) as ContractAddresses

function specOf(functions: Readonly<Record<string, readonly string[]>>, errors: Readonly<Record<string, number>> = {}): ContractSpec {
  return {
    functions: Object.entries(functions).map(([name, types]) => ({
      name, inputs: types.map((type, index) => ({ name: `a${index}`, type })), output: 'void',
    })),
    structs: [], unions: [], enums: [], events: [],
    errors: Object.entries(errors).map(([name, value]) => ({ name, value })),
  }
}

function running(spec: ContractSpec | null, problem: string | null = null): RunningCode {
  return { wasmHash: 'ab'.repeat(32), sinceLedger: 500, spec, problem }
}

function compose(codes: Readonly<Partial<Record<ContractKey, RunningCode>>>, expected: Generation | null = '1') {
  return composeInterfaces(CONTRACTS, new Map(Object.entries(codes).map(([key, code]) => [`C_${key}`, code])), expected)
}

const market22 = specOf({ ...requiredSignatures('market', '2.2'), get_pause_state: [], set_admin: ['address'], reseed_funding: ['vec<u64>'] })
const vault21 = specOf({ ...requiredSignatures('vault', '2.1'), reserve_for_position: ['symbol', 'i128', 'i128', 'i128', 'i128'] })

test('names the generation of each contract, and since which ledger its code runs', () => {
  const { market, vault, referral } = compose({ market: running(market22), vault: running(vault21) })
  assert.deepEqual([market?.generation, market?.sinceLedger, market?.notUnderstood], ['2.2', 500, []])
  assert.equal(vault?.generation, '2.2', 'the market decides between generations with the same interface')
  assert.equal(referral, null)
})

test('lets the expected generation decide while the market\'s code is unknown', () => {
  assert.equal(compose({ vault: running(vault21) }, '2.2').vault?.generation, '2.2')
  assert.equal(compose({ vault: running(vault21) }, null).vault?.generation, '2.1')
})

test('reports why code has no interface, and nothing about code that was not read yet', () => {
  assert.deepEqual(compose({ market: running(null, 'the code is not a WASM module') }).market?.notUnderstood, ['the code is not a WASM module'])
  assert.deepEqual(compose({ market: running(null) }).market?.notUnderstood, [])
})

test('reports unknown error codes, but not the one that the specification leaves unnamed', () => {
  const spec = specOf(requiredSignatures('market', '1'), { Paused: 4, DepositCapExceeded: 43, AgentUnauthorized: 194 })
  assert.deepEqual(compose({ market: running(spec) }).market?.notUnderstood, ['error 194 AgentUnauthorized is unknown'])
})

test('names an error by the tables first, then by the contract\'s own enum', () => {
  const interfaces = compose({
    market: running(specOf({}, { Stopped: 4, DepositCapExceeded: 43, AgentUnauthorized: 194 })),
    referral: running(specOf({}, { DepositCapExceeded: 43 })),
  })
  const names = (key: ContractKey | undefined, ...codes: readonly number[]): readonly string[] => codes.map((code) => errorName(interfaces, '1', key, code))
  assert.deepEqual(names('market', 4, 43, 194, 195), ['Paused', 'UnknownContractError', 'AgentUnauthorized', 'UnknownContractError'])
  assert.deepEqual(names('referral', 43), ['DepositCapExceeded'])
  assert.deepEqual(names('vault', 194), ['UnknownContractError'])
  assert.deepEqual(names(undefined, 194), ['UnknownContractError'])
})

test('accepts calls with the arguments that the contract declares', () => {
  const declared = compose({ market: running(market22) }).market
  const { generation, accepts } = callTargetOf(declared, '1')
  assert.equal(generation, '2.2')
  assert.equal(accepts?.('close_position', ['address', 'u64', 'i128']), true)
  assert.equal(accepts?.('close_position', ['address', 'u64']), false)
  assert.equal(accepts?.('gone', []), false)
  assert.equal(declaredSignature(declared, 'close_position'), 'close_position(a0: address, a1: u64, a2: i128)')
  assert.equal(declaredSignature(declared, 'gone'), null)
})

test('expects the declared generation while the interface is unknown', () => {
  for (const declared of [UNKNOWN_INTERFACES.market, compose({ market: running(null, 'no section') }).market]) {
    assert.deepEqual(callTargetOf(declared, '2.1'), { generation: '2.1', accepts: null })
    assert.equal(declaredSignature(declared, 'close_position'), null)
  }
})
