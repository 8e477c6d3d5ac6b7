import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { address, bool, symbol, text, u32, type Val, vec } from '../contracts/host.ts'
import { valFromBase64 } from '../scval.ts'
import { contractDataKey } from './keys.ts'
import { ALICE, BOB, CALLER, COUNTER, UNFUNDED, PASSPHRASE, resultOf, startTestChain, type TestChain } from './test-chain.ts'

const alice = address(ALICE.publicKey())

function outcome(testChain: TestChain, contract: string, name: string, args: readonly Val[]): Val | string {
  const simulation = testChain.simulate(testChain.call(contract, name, args))
  const { error } = simulation as { error?: string }
  if (error !== undefined) return error.split('\n')[0] ?? ''
  return valFromBase64((simulation['results'] as { xdr: string }[])[0]?.xdr ?? '')
}

test('a contract that catches the failure of another goes on, without what the other did', () => {
  using testChain = startTestChain()
  const call = testChain.prepare(CALLER, 'careful', [address(COUNTER), symbol('fail'), vec(u32(7))])
  const record = testChain.apply(call)
  assert.equal(record.status, 'SUCCESS')
  const before = contractDataKey(COUNTER, 'persistent', vec(symbol('Before')))
  assert.deepEqual(testChain.chain.entries([before]), [])
  assert.deepEqual(record.contractEventsXdr, [[]], 'nor what it said')
  assert.deepEqual(outcome(testChain, CALLER, 'careful', [address(COUNTER), symbol('fail'), vec(u32(7))]), bool(false))
})

test('a failure that nobody catches takes back what its callers did too', () => {
  using testChain = startTestChain()
  const called = contractDataKey(CALLER, 'persistent', vec(symbol('Called')))
  const call = testChain.prepare(CALLER, 'forward', [address(COUNTER), symbol('fail_when_armed'), vec(u32(7))])
  testChain.apply(testChain.prepare(COUNTER, 'arm', [], { source: BOB }))
  assert.equal(testChain.apply(call).status, 'FAILED')
  assert.deepEqual(testChain.chain.entries([called]), [])
})

test('a contract is not entered while it runs', () => {
  using testChain = startTestChain()
  const again = [address(CALLER), symbol('forward'), vec(address(COUNTER), symbol('clock'), vec())]
  assert.equal(outcome(testChain, CALLER, 'forward', again), 'HostError: Error(Context, InvalidAction)')
})

test('arguments are held to what the contract publishes, in number and in type', () => {
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

test('there is nothing to call where no contract is, and no reserved function to call where one is', () => {
  using testChain = startTestChain()
  const nowhere = 'CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABSC4'
  assert.equal(outcome(testChain, nowhere, 'clock', []), 'HostError: Error(Storage, MissingValue)')
  assert.equal(outcome(testChain, COUNTER, '__check_auth', []), 'HostError: Error(Context, InvalidAction)')
})

test('what stands in an instance is kept with it, and what is temporary apart', () => {
  using testChain = startTestChain()
  testChain.apply(testChain.prepare(COUNTER, 'remember', [text('this')]))
  testChain.apply(testChain.prepare(COUNTER, 'pass', [text('that')]))
  assert.deepEqual(outcome(testChain, COUNTER, 'memory', []), text('this'))
  assert.deepEqual(outcome(testChain, COUNTER, 'passing', []), text('that'))
})

test('a call in the name of an account that is not there is told so when it is applied', () => {
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
