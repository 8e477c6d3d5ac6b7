import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Asset, Operation, scValToNative, SorobanDataBuilder, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { address, i128, symbol, u32, vec } from '../contracts/host.ts'
import type { TransactionRecord } from '../history.ts'
import { contractAddress } from './addresses.ts'
import { ALICE, BOB, CALLER, COUNTER, NATIVE_CONTRACT, PASSPHRASE, startTestChain, type TestChain } from './test-chain.ts'

/** In the network's order (soroban-rpc, "Meta, now"). */
const METRICS = [
  'read_entry', 'write_entry', 'ledger_read_byte', 'ledger_write_byte', 'read_key_byte', 'write_key_byte', 'read_data_byte', 'write_data_byte',
  'read_code_byte', 'write_code_byte', 'emit_event', 'emit_event_byte', 'cpu_insn', 'mem_byte', 'invoke_time_nsecs', 'max_rw_key_byte',
  'max_rw_data_byte', 'max_rw_code_byte', 'max_emit_event_byte',
]

interface Said {
  readonly type: string
  /** COUNTER, CALLER or nobody. */
  readonly contract: string
  readonly topics: readonly unknown[]
  readonly data: unknown
  readonly inSuccess: boolean
}

const NAMES = new Map([[COUNTER, 'counter'], [CALLER, 'caller'], [NATIVE_CONTRACT, 'native'], [ALICE.publicKey(), 'alice']])
const named = (text: string): string => NAMES.get(text) ?? text

function native(value: xdr.ScVal): unknown {
  if (value.type === 'scvError') return value.error.type === 'sceContract' ? `Error(Contract, #${value.error.contractCode})` : errorName(value.error)
  if (value.type === 'scvBytes') return named(contractAddress(value.bytes.value))
  if (value.type === 'scvVec') return (value.vec ?? []).map(native)
  const plain: unknown = scValToNative(value)
  return typeof plain === 'string' ? named(plain) : plain
}

const errorName = (error: xdr.ScError): string => `${error.type} ${'code' in error ? error.code.name : ''}`

function diagnosticsOf(record: TransactionRecord): readonly Said[] {
  return record.diagnosticEventsXdr.map((text) => {
    const { event, inSuccessfulContractCall } = xdr.DiagnosticEvent.fromXdr(text, 'base64')
    const { topics, data } = event.body.v0
    return {
      type: event.type.name,
      contract: event.contractId === null ? '' : named(contractAddress(event.contractId.value)),
      topics: topics.map(native),
      data: native(data),
      inSuccess: inSuccessfulContractCall,
    }
  })
}

/** Who speaks, of what, with which data; the metrics apart, which are held to their names. */
function story(record: TransactionRecord): readonly (readonly unknown[])[] {
  const all = diagnosticsOf(record)
  const metrics = all.slice(-METRICS.length)
  assert.deepEqual(metrics.map(({ topics }) => topics), METRICS.map((name) => ['core_metrics', name]))
  assert(metrics.every(({ contract, data }) => contract === '' && typeof data === 'bigint'))
  return all.slice(0, -METRICS.length).map(({ contract, topics, data }) => [contract, ...topics, data])
}

/** Calls that succeed when they are simulated and fail when they are applied. */
function failing(testChain: TestChain, contract: string, name: string, args: Parameters<TestChain['call']>[2]): TransactionRecord {
  const call = testChain.prepare(contract, name, args)
  testChain.apply(testChain.prepare(COUNTER, 'arm', [], { source: BOB }))
  return testChain.apply(call)
}

const failed = 'host_fn_failed'
const seven = 'Error(Contract, #7)'

test('a call that ends well: the call, what it emitted, its return; then the metrics', () => {
  using testChain = startTestChain()
  const record = testChain.apply(testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())]))
  assert.deepEqual(story(record), [
    ['', 'fn_call', 'counter', 'increment', 'alice', ],
    ['counter', 'counted', 'alice', [1]],
    ['counter', 'fn_return', 'increment', 1],
  ])
  const events = diagnosticsOf(record)
  assert.equal(events.length, 22)
  assert(events.every(({ inSuccess }) => inSuccess))
  assert.deepEqual(events.filter(({ type }) => type === 'contract').map(({ topics }) => topics[0]), ['counted'])
})

test("a contract's own error: call, event, error by the contract, verdict by nobody, metrics", () => {
  using testChain = startTestChain()
  const record = failing(testChain, COUNTER, 'fail_when_armed', [u32(7)])
  assert.deepEqual(story(record), [
    ['', 'fn_call', 'counter', 'fail_when_armed', 7],
    ['counter', 'before', null],
    ['counter', 'error', seven, 'escalating Ok(ScErrorType::Contract) frame-exit to Err'],
    ['', failed, seven, null],
  ])
  assert(diagnosticsOf(record).every(({ inSuccess }) => !inSuccess))
})

test('an error that passes through a caller is first told by whom it comes from, then by the caller', () => {
  using testChain = startTestChain()
  const record = failing(testChain, CALLER, 'forward', [address(COUNTER), symbol('fail_when_armed'), vec(u32(7))])
  const told = story(record)
  assert.deepEqual(told.map(([contract, topic]) => [contract, topic]), [
    ['', 'fn_call'], ['caller', 'fn_call'], ['counter', 'before'], ['counter', 'error'], ['caller', 'error'], ['caller', 'error'], ['caller', 'log'],
    ['', failed],
  ])
  assert.deepEqual(told[4], ['caller', 'error', seven, ['contract call failed', 'fail_when_armed', [7]]])
  assert.deepEqual(told[5], ['caller', 'error', seven, 'escalating error to VM trap from failed host function call: call'])
  const verdict = told.find(([, topic]) => topic === failed)?.[2]
  const [origin] = told.filter(([, topic, error]) => topic === 'error' && error === verdict)
  assert.deepEqual([origin?.[0], origin?.[2]], ['counter', seven], 'number and contract are found as on a real network')
})

test("the asset contract's errors are told with its own number and words", () => {
  using testChain = startTestChain()
  const transfer = testChain.prepare(NATIVE_CONTRACT, 'transfer', [address(ALICE.publicKey()), address(BOB.publicKey()), i128(50_000_000_000n)])
  const drained = Operation.payment({ source: ALICE.publicKey(), destination: BOB.publicKey(), asset: Asset.native(), amount: '9000' })
  testChain.apply(testChain.signed(drained, { source: BOB, signers: [BOB, ALICE] }))
  assert.deepEqual(story(testChain.apply(transfer)).slice(1), [
    ['native', 'error', 'Error(Contract, #10)', 'balance is not sufficient to spend'],
    ['', failed, 'Error(Contract, #10)', null],
  ])
})

test('a call outside of its footprint traps with what it tried to reach', () => {
  using testChain = startTestChain()
  const call = testChain.call(COUNTER, 'increment', [address(ALICE.publicKey())])
  const sorobanData = new SorobanDataBuilder().setResources(50_000_000, 0, 0).setResourceFee(1_000_000).build()
  const transaction = TransactionBuilder.cloneFrom(call, { fee: '100', networkPassphrase: PASSPHRASE, sorobanData }).build()
  transaction.sign(ALICE)
  const told = story(testChain.apply(transaction))
  assert.deepEqual(told.at(-1), ['', failed, 'sceStorage scecExceededLimit', null])
  assert.deepEqual(told.filter(([, topic]) => topic === 'error').map(([, , error]) => error), ['sceStorage scecExceededLimit'])
})

test('an authorisation that is missing ends as Auth, InvalidAction, though the contract would go on', () => {
  using testChain = startTestChain()
  const call = testChain.prepare(CALLER, 'ignore_auth_failure', [address(ALICE.publicKey())])
  const envelope = call.toEnvelope()
  assert(envelope.type === 'envelopeTypeTx')
  const [operation] = envelope.v1.tx.operations
  assert(operation?.body.type === 'invokeHostFunction')
  const body = xdr.OperationBody.invokeHostFunction(new xdr.InvokeHostFunctionOp({ hostFunction: operation.body.invokeHostFunctionOp.hostFunction, auth: [] }))
  const bare = testChain.build(new xdr.Operation({ sourceAccount: null, body }))
  assert(envelope.v1.tx.ext.type === 'sorobanData')
  const sorobanData = envelope.v1.tx.ext.sorobanData
  const transaction = TransactionBuilder.cloneFrom(bare, { fee: '100', networkPassphrase: PASSPHRASE, sorobanData }).build()
  transaction.sign(ALICE)
  const told = story(testChain.apply(transaction))
  assert.deepEqual(told.at(-1), ['', failed, 'sceAuth scecInvalidAction', null])
})
