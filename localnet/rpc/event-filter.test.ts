import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nativeToScVal, StrKey } from '@stellar/stellar-sdk'
import type { EventRecord } from '../history.ts'
import { contractIdsOf, matchesFilters, parseEventFilters } from './event-filter.ts'
import { RpcError } from './rpc-error.ts'

const CONTRACTS = [1, 2, 3, 4, 5, 6].map((byte) => StrKey.encodeContract(new Uint8Array(32).fill(byte)))
const [CONTRACT = '', OTHER = ''] = CONTRACTS
const topic = (name: string): string => nativeToScVal(name, { type: 'symbol' }).toXdr('base64')
const [A, B, C] = [topic('a'), topic('b'), topic('c')]

const EVENT: EventRecord = {
  id: '', ledger: 1, closeTimeSec: 0, transactionIndex: 1, operationIndex: 0, txHash: '', successful: true, value: '',
  type: 'contract', contractId: CONTRACT, topics: [A, B],
}

function wants(filters: unknown, event: Partial<EventRecord> = {}): boolean {
  return matchesFilters(parseEventFilters({ filters }), { ...EVENT, ...event })
}

function refusal(filters: unknown): string {
  try {
    parseEventFilters({ filters })
  } catch (error) {
    assert.ok(error instanceof RpcError && error.code === -32602, String(error))
    return error.message
  }
  return assert.fail('accepted')
}

test('no filter, an empty filter and a null filter match everything', () => {
  const emptyLists = [{ type: '', contractIds: [], topics: [] }]
  for (const filters of [undefined, null, [], [{}], [null], emptyLists, [{ type: null, contractIds: null, topics: null }]]) {
    assert.ok(wants(filters), JSON.stringify(filters))
    assert.ok(wants(filters, { contractId: '', topics: [], type: 'system' }))
  }
})

test('a pattern without ** matches exactly that many topics', () => {
  assert.ok(wants([{ topics: [[A, B]] }]))
  assert.ok(wants([{ topics: [['*', B]] }]))
  assert.ok(wants([{ topics: [['*', '*']] }]))
  assert.ok(!wants([{ topics: [[A]] }]))
  assert.ok(!wants([{ topics: [['*']] }]))
  assert.ok(!wants([{ topics: [[A, B, '*']] }]))
  assert.ok(!wants([{ topics: [[B, A]] }]))
})

test('a pattern with ** matches a prefix of the topics', () => {
  assert.ok(wants([{ topics: [[A, '**']] }]))
  assert.ok(wants([{ topics: [[A, B, '**']] }]))
  assert.ok(wants([{ topics: [['**']] }], { topics: [] }))
  assert.ok(wants([{ topics: [['*', '**']] }], { topics: [A, B, C, A, B, C] }))
  assert.ok(!wants([{ topics: [[B, '**']] }]))
  assert.ok(!wants([{ topics: [[A, B, C, '**']] }]))
  assert.ok(!wants([{ topics: [['*', '**']] }], { topics: [] }))
})

test('lists are OR-ed, fields of a filter AND-ed, filters OR-ed', () => {
  assert.ok(wants([{ topics: [[C], [A, B]] }]))
  assert.ok(wants([{ contractIds: [OTHER, CONTRACT] }]))
  assert.ok(wants([{ type: 'system,contract' }]))
  assert.ok(!wants([{ type: 'system' }]))
  assert.ok(!wants([{ contractIds: [CONTRACT], topics: [[C]] }]))
  assert.ok(!wants([{ contractIds: [OTHER], topics: [[A, B]] }]))
  assert.ok(wants([{ contractIds: [OTHER], topics: [[A, B]] }, { type: 'contract' }]))
})

test('a filter by contract does not hide events that only another filter matches', () => {
  assert.ok(wants([{ contractIds: [OTHER] }, { topics: [[A, B]] }]))
  assert.equal(contractIdsOf(parseEventFilters({ filters: [{ contractIds: [OTHER] }, { topics: [[A, B]] }] })), null)
  const both = parseEventFilters({ filters: [{ contractIds: [OTHER] }, { contractIds: [CONTRACT, OTHER] }] })
  assert.deepEqual(contractIdsOf(both), [OTHER, CONTRACT])
  assert.equal(contractIdsOf([]), null)
})

test('filters with contracts do not match events without a contract', () => {
  assert.ok(!wants([{ contractIds: [CONTRACT] }], { contractId: '' }))
})

test('errors have the node\'s messages', () => {
  const six = Array.from({ length: 6 }, () => ({}))
  assert.equal(refusal(six), 'maximum 5 filters per request')
  assert.equal(refusal([{}, { contractIds: CONTRACTS }]), 'filter 2 invalid: maximum 5 contract IDs per filter')
  assert.equal(refusal([{ contractIds: [CONTRACT, 'CAB'] }]), 'filter 1 invalid: contract ID 2 invalid')
  assert.equal(refusal([{ topics: Array.from({ length: 6 }, () => [A]) }]), 'filter 1 invalid: maximum 5 topics per filter')
  assert.equal(refusal([{ topics: [[A], []] }]), 'filter 1 invalid: topic 2 invalid: topic must have at least 1 segment')
  assert.equal(refusal([{ topics: [[A, A, A, A, A]] }]), 'filter 1 invalid: topic 1 invalid: topic cannot have more than 4 segments')
  assert.equal(refusal([{ topics: [[A, A, A, A, A, '**']] }]), 'filter 1 invalid: topic 1 invalid: topic cannot have more than 4 segments')
  assert.equal(
    refusal([{ topics: [['**', A]] }]),
    "filter 1 invalid: topic 1 invalid: segment 1 invalid: wildcard '**' is only allowed as the last segment",
  )
  assert.equal(refusal([{ type: 'diagnostic' }]), "filter 1 invalid: filter type invalid: if set, type must be either 'system' or 'contract'")
})

test('accepts the largest filters', () => {
  const topics = Array.from({ length: 5 }, () => ['*', '*', '*', A, '**'])
  const full = { type: 'contract,system', contractIds: CONTRACTS.slice(0, 5), topics }
  assert.equal(parseEventFilters({ filters: Array.from({ length: 5 }, () => full) }).length, 5)
})

test('rejects wrong JSON types and invalid ScVals as invalid parameters', () => {
  const wrongFields = [{ type: 1 }, { contractIds: 'C' }, { contractIds: [1] }, { topics: 'x' }, { topics: ['x'] }]
  for (const filters of ['x', {}, [1], [[]], ...wrongFields.map((field) => [field])]) {
    assert.match(refusal(filters), /^invalid parameters: /, JSON.stringify(filters))
  }
  for (const segment of [null, 1, '', 'AAAA', 'not base64', `${A}AAAA`]) {
    assert.match(refusal([{ topics: [[segment]] }]), /^invalid parameters: topics\[0\]\[0\] must be/, String(segment))
  }
})
