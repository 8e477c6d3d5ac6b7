import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Asset, Operation, scValToNative, SorobanDataBuilder, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { address, i128, symbol, u32, vec } from '../contracts/shared/host.ts'
import type { TransactionRecord } from '../history.ts'
import { contractAddress } from './addresses.ts'
import { ALICE, BOB, CALLER, COUNTER, NATIVE_CONTRACT, PASSPHRASE, startTestChain, type TestChain } from './test-chain.ts'

/** In the network's order (soroban-rpc, "Meta, now"). */
const METRICS = [
  'read_entry', 'write_entry', 'ledger_read_byte', 'ledger_write_byte', 'read_key_byte', 'write_key_byte', 'read_data_byte', 'write_data_byte',
  'read_code_byte', 'write_code_byte', 'emit_event', 'emit_event_byte', 'cpu_insn', 'mem_byte', 'invoke_time_nsecs', 'max_rw_key_byte',
  'max_rw_data_byte', 'max_rw_code_byte', 'max_emit_event_byte',
]

interface DecodedEvent {
  readonly type: string
  /** The name of a contract; empty for the host. */
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

function diagnosticsOf(record: TransactionRecord): readonly DecodedEvent[] {
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

/** [contract, ...topics, data] of each event before the metrics. Checks the names of the metrics. */
function eventsBeforeMetrics(record: TransactionRecord): readonly (readonly unknown[])[] {
  const all = diagnosticsOf(record)
  const metrics = all.slice(-METRICS.length)
  assert.deepEqual(metrics.map(({ topics }) => topics), METRICS.map((name) => ['core_metrics', name]))
  assert(metrics.every(({ contract, data }) => contract === '' && typeof data === 'bigint'))
  return all.slice(0, -METRICS.length).map(({ contract, topics, data }) => [contract, ...topics, data])
}

/** Applies a call that succeeds in simulation and fails when it is applied. */
function failing(testChain: TestChain, contract: string, name: string, args: Parameters<TestChain['call']>[2]): TransactionRecord {
  const call = testChain.prepare(contract, name, args)
  testChain.apply(testChain.prepare(COUNTER, 'arm', [], { source: BOB }))
  return testChain.apply(call)
}

const failed = 'host_fn_failed'
const seven = 'Error(Contract, #7)'

test('a successful call: fn_call, its events, fn_return, then the metrics', () => {
  using testChain = startTestChain()
  const record = testChain.apply(testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())]))
  assert.deepEqual(eventsBeforeMetrics(record), [
    ['', 'fn_call', 'counter', 'increment', 'alice', ],
    ['counter', 'counted', 'alice', [1]],
    ['counter', 'fn_return', 'increment', 1],
  ])
  const events = diagnosticsOf(record)
  assert.equal(events.length, 22)
  assert(events.every(({ inSuccess }) => inSuccess))
  assert.deepEqual(events.filter(({ type }) => type === 'contract').map(({ topics }) => topics[0]), ['counted'])
})

test('a contract error: fn_call, events, error from the contract, host_fn_failed, metrics', () => {
  using testChain = startTestChain()
  const record = failing(testChain, COUNTER, 'fail_when_armed', [u32(7)])
  assert.deepEqual(eventsBeforeMetrics(record), [
    ['', 'fn_call', 'counter', 'fail_when_armed', 7],
    ['counter', 'before', null],
    ['counter', 'error', seven, 'escalating Ok(ScErrorType::Contract) frame-exit to Err'],
    ['', failed, seven, null],
  ])
  assert(diagnosticsOf(record).every(({ inSuccess }) => !inSuccess))
})

test('an error that passes through a caller is reported by its origin first, then by the caller', () => {
  using testChain = startTestChain()
  const record = failing(testChain, CALLER, 'forward', [address(COUNTER), symbol('fail_when_armed'), vec(u32(7))])
  const events = eventsBeforeMetrics(record)
  assert.deepEqual(events.map(([contract, topic]) => [contract, topic]), [
    ['', 'fn_call'], ['caller', 'fn_call'], ['counter', 'before'], ['counter', 'error'], ['caller', 'error'], ['caller', 'error'], ['caller', 'log'],
    ['', failed],
  ])
  assert.deepEqual(events[4], ['caller', 'error', seven, ['contract call failed', 'fail_when_armed', [7]]])
  assert.deepEqual(events[5], ['caller', 'error', seven, 'escalating error to VM trap from failed host function call: call'])
  const failure = events.find(([, topic]) => topic === failed)?.[2]
  const [origin] = events.filter(([, topic, error]) => topic === 'error' && error === failure)
  assert.deepEqual([origin?.[0], origin?.[2]], ['counter', seven], 'the error code and its contract are found as on a real network')
})

test('reports asset contract errors with their code and message', () => {
  using testChain = startTestChain()
  const transfer = testChain.prepare(NATIVE_CONTRACT, 'transfer', [address(ALICE.publicKey()), address(BOB.publicKey()), i128(50_000_000_000n)])
  const drained = Operation.payment({ source: ALICE.publicKey(), destination: BOB.publicKey(), asset: Asset.native(), amount: '9000' })
  testChain.apply(testChain.signed(drained, { source: BOB, signers: [BOB, ALICE] }))
  assert.deepEqual(eventsBeforeMetrics(testChain.apply(transfer)).slice(1), [
    ['native', 'error', 'Error(Contract, #10)', 'balance is not sufficient to spend'],
    ['', failed, 'Error(Contract, #10)', null],
  ])
})

test('a call outside its footprint traps with Storage, ExceededLimit', () => {
  using testChain = startTestChain()
  const call = testChain.call(COUNTER, 'increment', [address(ALICE.publicKey())])
  const sorobanData = new SorobanDataBuilder().setResources(50_000_000, 0, 0).setResourceFee(1_000_000).build()
  const transaction = TransactionBuilder.cloneFrom(call, { fee: '100', networkPassphrase: PASSPHRASE, sorobanData }).build()
  transaction.sign(ALICE)
  const events = eventsBeforeMetrics(testChain.apply(transaction))
  assert.deepEqual(events.at(-1), ['', failed, 'sceStorage scecExceededLimit', null])
  assert.deepEqual(events.filter(([, topic]) => topic === 'error').map(([, , error]) => error), ['sceStorage scecExceededLimit'])
})

test('missing authorization fails with Auth, InvalidAction even when the contract catches it', () => {
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
  const events = eventsBeforeMetrics(testChain.apply(transaction))
  assert.deepEqual(events.at(-1), ['', failed, 'sceAuth scecInvalidAction', null])
})
