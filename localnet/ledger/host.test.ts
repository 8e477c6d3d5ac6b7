import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { address, bool, symbol, text, u32, type Val, vec } from '../contracts/shared/host.ts'
import { valFromBase64 } from '../scval.ts'
import { contractDataKey } from './keys.ts'
import { ALICE, BOB, CALLER, COUNTER, PASSPHRASE, resultOf, startTestChain, type TestChain, UNFUNDED } from './test-chain.ts'

const alice = address(ALICE.publicKey())

function outcome(testChain: TestChain, contract: string, name: string, args: readonly Val[]): Val | string {
  const simulation = testChain.simulate(testChain.call(contract, name, args))
  const { error } = simulation as { error?: string }
  if (error !== undefined) return error.split('\n')[0] ?? ''
  return valFromBase64((simulation['results'] as { xdr: string }[])[0]?.xdr ?? '')
}

test('a contract that catches a failed call continues without the effects of that call', () => {
  using testChain = startTestChain()
  const call = testChain.prepare(CALLER, 'try_call', [address(COUNTER), symbol('fail'), vec(u32(7))])
  const record = testChain.apply(call)
  assert.equal(record.status, 'SUCCESS')
  const before = contractDataKey(COUNTER, 'persistent', vec(symbol('Before')))
  assert.deepEqual(testChain.chain.entries([before]), [])
  assert.deepEqual(record.contractEventsXdr, [[]], 'its events are not emitted')
  assert.deepEqual(outcome(testChain, CALLER, 'try_call', [address(COUNTER), symbol('fail'), vec(u32(7))]), bool(false))
})

test('an uncaught failure rolls back the callers too', () => {
  using testChain = startTestChain()
  const called = contractDataKey(CALLER, 'persistent', vec(symbol('Called')))
  const call = testChain.prepare(CALLER, 'forward', [address(COUNTER), symbol('fail_when_armed'), vec(u32(7))])
  testChain.apply(testChain.prepare(COUNTER, 'arm', [], { source: BOB }))
  assert.equal(testChain.apply(call).status, 'FAILED')
  assert.deepEqual(testChain.chain.entries([called]), [])
})

test('rejects re-entry into a running contract', () => {
  using testChain = startTestChain()
  const again = [address(CALLER), symbol('forward'), vec(address(COUNTER), symbol('clock'), vec())]
  assert.equal(outcome(testChain, CALLER, 'forward', again), 'HostError: Error(Context, InvalidAction)')
})

test("checks the number and types of arguments against the contract's interface", () => {
  using testChain = startTestChain()
  for (const args of [[], [alice, alice]]) {
    assert.equal(outcome(testChain, COUNTER, 'increment', args), 'HostError: Error(WasmVm, UnexpectedSize)')
  }
  assert.equal(outcome(testChain, COUNTER, 'increment', [u32(1)]), 'HostError: Error(WasmVm, InvalidAction)')
  const pair: Val = { type: 'map', value: [[symbol('amount'), { type: 'i128', value: 1n }], [symbol('name'), symbol('x')]] }
  const key: Val = { type: 'bytes', value: new Uint8Array(4) }
  assert.deepEqual(outcome(testChain, COUNTER, 'typed', [pair, vec(u32(1)), { type: 'void' }, key]), { type: 'void' })
  assert.notDeepEqual(outcome(testChain, COUNTER, 'typed', [pair, vec(text('one')), { type: 'void' }, key]), { type: 'void' })
  assert.notDeepEqual(outcome(testChain, COUNTER, 'typed', [pair, vec(), { type: 'void' }, { type: 'bytes', value: new Uint8Array(5) }]), { type: 'void' })
})

test('rejects calls of missing contracts and of reserved functions', () => {
  using testChain = startTestChain()
  const nowhere = 'CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABSC4'
  assert.equal(outcome(testChain, nowhere, 'clock', []), 'HostError: Error(Storage, MissingValue)')
  assert.equal(outcome(testChain, COUNTER, '__check_auth', []), 'HostError: Error(Context, InvalidAction)')
})

test('stores instance values and temporary entries separately', () => {
  using testChain = startTestChain()
  testChain.apply(testChain.prepare(COUNTER, 'set_instance_value', [text('this')]))
  testChain.apply(testChain.prepare(COUNTER, 'set_temporary', [text('that')]))
  assert.deepEqual(outcome(testChain, COUNTER, 'instance_value', []), text('this'))
  assert.deepEqual(outcome(testChain, COUNTER, 'temporary', []), text('that'))
})

test('a call whose operation source does not exist fails with opNoAccount', () => {
  using testChain = startTestChain()
  const call = Operation.invokeContractFunction({ contract: COUNTER, function: 'clock', args: [], source: UNFUNDED.publicKey() })
  const plain = testChain.build(call)
  const sorobanData = String(testChain.simulate(plain)['transactionData'])
  const transaction = TransactionBuilder.cloneFrom(plain, { fee: '100', networkPassphrase: PASSPHRASE }).setSorobanData(sorobanData).build()
  transaction.sign(ALICE, UNFUNDED)
  const { result } = resultOf(testChain.apply(transaction))
  assert(result.type === 'txFailed')
  assert.deepEqual(result.results.map(({ type }) => type), ['opNoAccount'])
})
