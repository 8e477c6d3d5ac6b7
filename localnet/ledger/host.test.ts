import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { address, bool, symbol, text, u32, type Val, vec } from '../contracts/host.ts'
import { valFromBase64 } from '../scval.ts'
import { contractDataKey } from './keys.ts'
import { ALICE, BOB, CALLER, COUNTER, NOBODY, PASSPHRASE, resultOf, startTestChain, type TestChain } from './test-chain.ts'

const alice = address(ALICE.publicKey())

function outcome(world: TestChain, contract: string, name: string, args: readonly Val[]): Val | string {
  const simulation = world.simulate(world.call(contract, name, args))
  const { error } = simulation as { error?: string }
  if (error !== undefined) return error.split('\n')[0] ?? ''
  return valFromBase64((simulation['results'] as { xdr: string }[])[0]?.xdr ?? '')
}

test('a contract that catches the failure of another goes on, without what the other did', () => {
  using world = startTestChain()
  const call = world.ready(CALLER, 'careful', [address(COUNTER), symbol('fail'), vec(u32(7))])
  const record = world.apply(call)
  assert.equal(record.status, 'SUCCESS')
  const before = contractDataKey(COUNTER, 'persistent', vec(symbol('Before')))
  assert.deepEqual(world.chain.entries([before]), [])
  assert.deepEqual(record.contractEventsXdr, [[]], 'nor what it said')
  assert.deepEqual(outcome(world, CALLER, 'careful', [address(COUNTER), symbol('fail'), vec(u32(7))]), bool(false))
})

test('a failure that nobody catches takes back what its callers did too', () => {
  using world = startTestChain()
  const called = contractDataKey(CALLER, 'persistent', vec(symbol('Called')))
  const call = world.ready(CALLER, 'forward', [address(COUNTER), symbol('fail_when_armed'), vec(u32(7))])
  world.apply(world.ready(COUNTER, 'arm', [], { source: BOB }))
  assert.equal(world.apply(call).status, 'FAILED')
  assert.deepEqual(world.chain.entries([called]), [])
})

test('a contract is not entered while it runs', () => {
  using world = startTestChain()
  const again = [address(CALLER), symbol('forward'), vec(address(COUNTER), symbol('clock'), vec())]
  assert.equal(outcome(world, CALLER, 'forward', again), 'HostError: Error(Context, InvalidAction)')
})

test('arguments are held to what the contract publishes, in number and in type', () => {
  using world = startTestChain()
  for (const args of [[], [alice, alice]]) {
    assert.equal(outcome(world, COUNTER, 'increment', args), 'HostError: Error(WasmVm, UnexpectedSize)')
  }
  assert.equal(outcome(world, COUNTER, 'increment', [u32(1)]), 'HostError: Error(WasmVm, InvalidAction)')
  const pair: Val = { type: 'map', value: [[symbol('amount'), { type: 'i128', value: 1n }], [symbol('name'), symbol('x')]] }
  const key: Val = { type: 'bytes', value: new Uint8Array(4) }
  assert.deepEqual(outcome(world, COUNTER, 'typed', [pair, vec(u32(1)), { type: 'void' }, key]), { type: 'void' })
  assert.notDeepEqual(outcome(world, COUNTER, 'typed', [pair, vec(text('one')), { type: 'void' }, key]), { type: 'void' })
  assert.notDeepEqual(outcome(world, COUNTER, 'typed', [pair, vec(), { type: 'void' }, { type: 'bytes', value: new Uint8Array(5) }]), { type: 'void' })
})

test('there is nothing to call where no contract is, and no reserved function to call where one is', () => {
  using world = startTestChain()
  const nowhere = 'CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABSC4'
  assert.equal(outcome(world, nowhere, 'clock', []), 'HostError: Error(Storage, MissingValue)')
  assert.equal(outcome(world, COUNTER, '__check_auth', []), 'HostError: Error(Context, InvalidAction)')
})

test('what stands in an instance is kept with it, and what is temporary apart', () => {
  using world = startTestChain()
  world.apply(world.ready(COUNTER, 'remember', [text('this')]))
  world.apply(world.ready(COUNTER, 'pass', [text('that')]))
  assert.deepEqual(outcome(world, COUNTER, 'memory', []), text('this'))
  assert.deepEqual(outcome(world, COUNTER, 'passing', []), text('that'))
})

test('a call in the name of an account that is not there is told so when it is applied', () => {
  using world = startTestChain()
  const call = Operation.invokeContractFunction({ contract: COUNTER, function: 'clock', args: [], source: NOBODY.publicKey() })
  const plain = world.build(call)
  const sorobanData = String(world.simulate(plain)['transactionData'])
  const transaction = TransactionBuilder.cloneFrom(plain, { fee: '100', networkPassphrase: PASSPHRASE }).setSorobanData(sorobanData).build()
  transaction.sign(ALICE, NOBODY)
  const { result } = resultOf(world.apply(transaction))
  assert(result.type === 'txFailed')
  assert.deepEqual(result.results.map(({ type }) => type), ['opNoAccount'])
})
