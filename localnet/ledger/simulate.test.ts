import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Account, Memo, Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { SimulationResult } from '../chain.ts'
import { address, i128, symbol, text, u32, u64, type Val, vec } from '../contracts/shared/host.ts'
import { toScVal, valFromBase64 } from '../scval.ts'
import {
  ALICE, BOB, CALLER, COUNTER, ISSUER, metaOf, NATIVE_CONTRACT, PASSPHRASE, payment, startTestChain, type TestChain, USDC_CONTRACT,
} from './test-chain.ts'

const alice = address(ALICE.publicKey())

const simulated = (testChain: TestChain, contract: string, name: string, args: readonly Val[] = [], params: Record<string, unknown> = {}): SimulationResult =>
  testChain.simulate(testChain.call(contract, name, args), params)

function valueOf(result: SimulationResult): Val {
  assert.equal(result['error'], undefined)
  const [only, ...others] = result['results'] as { xdr: string }[]
  assert(only !== undefined && others.length === 0)
  return valFromBase64(only.xdr)
}

const dataOf = (result: SimulationResult): xdr.SorobanTransactionData =>
  xdr.SorobanTransactionData.fromXdr(String(result['transactionData']), 'base64')

const namesOf = (keys: readonly xdr.LedgerKey[]): string[] => keys.map((key) => {
  if (key.type !== 'contractData') return key.type
  const { key: name } = key.contractData
  return name.type === 'scvVec' ? String(name.vec?.map((part) => (part.type === 'scvSymbol' ? part.sym.toString() : part.type))) : name.type
})

test('a successful simulation returns the declared resources, the return value and the state changes, and nothing else', () => {
  using testChain = startTestChain()
  const result = simulated(testChain, COUNTER, 'increment', [alice])
  assert.deepEqual(Object.keys(result).sort(), ['events', 'latestLedger', 'minResourceFee', 'results', 'stateChanges', 'transactionData'])
  const { resources, resourceFee } = dataOf(result)
  assert.equal(result['minResourceFee'], resourceFee.toString())
  assert.deepEqual(valueOf(result), u32(1))
  assert.equal(result['latestLedger'], testChain.chain.history.latest().sequence)
  assert.deepEqual(namesOf(resources.footprint.readWrite), ['Count,scvAddress'])
  assert.deepEqual(namesOf(resources.footprint.readOnly).sort(), ['contractCode', 'scvLedgerKeyContractInstance'])
  const [change, ...others] = result['stateChanges'] as { type: string; key: string; before: string | null; after: string }[]
  assert(change !== undefined && others.length === 0)
  assert.deepEqual([change.type, change.before, change.key], ['created', null, resources.footprint.readWrite[0]?.toXdr('base64')])
  assert.equal(xdr.LedgerEntry.fromXdr(change.after, 'base64').data.type, 'contractData')
})

test('omits stateChanges when nothing changes, and returns an empty auth list when no authorization is needed', () => {
  using testChain = startTestChain()
  const result = simulated(testChain, COUNTER, 'count', [alice])
  assert.equal('stateChanges' in result, false)
  assert.deepEqual((result['results'] as { auth: unknown }[])[0]?.auth, [])
})

test('a simulation changes nothing and gives the same result again', () => {
  using testChain = startTestChain()
  const first = simulated(testChain, COUNTER, 'add_item')
  const { hash } = testChain.chain.history.latest()
  assert.deepEqual(simulated(testChain, COUNTER, 'add_item'), first)
  assert.deepEqual(testChain.chain.history.latest().hash, hash)
  assert.deepEqual(valueOf(simulated(testChain, COUNTER, 'count', [alice])), u32(0))
  assert.equal(testChain.chain.pending(), 0)
})

test('a simulation runs at the sequence and close time of the latest ledger', () => {
  using testChain = startTestChain()
  testChain.close()
  testChain.clock.advance(90_000)
  assert.deepEqual(valueOf(simulated(testChain, COUNTER, 'clock')), u64(BigInt(testChain.chain.history.latest().closeTimeSec)))
})

test('stateChanges have an updated entry before and after', () => {
  using testChain = startTestChain()
  testChain.apply(testChain.prepare(COUNTER, 'increment', [alice]))
  const result = simulated(testChain, COUNTER, 'increment', [alice])
  const [change] = result['stateChanges'] as { type: string; before: string; after: string }[]
  const values = [change?.before, change?.after].map((entry) => {
    const { data } = xdr.LedgerEntry.fromXdr(entry ?? '', 'base64')
    return data.type === 'contractData' ? data.contractData.val : undefined
  })
  assert.deepEqual([change?.type, ...values], ['updated', toScVal(u32(1)), toScVal(u32(2))])
})

test('writing an unchanged value is not a state change', () => {
  using testChain = startTestChain()
  testChain.apply(testChain.prepare(COUNTER, 'arm', []))
  const again = simulated(testChain, COUNTER, 'arm', [])
  assert.equal(again['error'], undefined)
  assert.equal('stateChanges' in again, false)
})

/** Each with the start of its error text. latestLedger is 0 because the call never ran. */
const INVALID: readonly (readonly [name: string, error: string, build: (testChain: TestChain) => string])[] = [
  ['no envelope', 'Could not unmarshal transaction', () => 'AAAA'],
  ['two operations', 'Transaction contains more than one operation', (testChain) => testChain.build([payment(BOB), payment(BOB)]).toXdr()],
  ['a payment', 'Transaction contains unsupported operation type: OperationTypePayment', (testChain) => testChain.build(payment(BOB)).toXdr()],
  ['a memo', 'Transaction contains a memo. Soroban transactions do not support memos.', () => {
    const operation = Operation.invokeContractFunction({ contract: COUNTER, function: 'clock', args: [] })
    const builder = new TransactionBuilder(new Account(ALICE.publicKey(), '1'), { fee: '100', networkPassphrase: PASSPHRASE })
    return builder.addOperation(operation).addMemo(Memo.text('x')).setTimeout(0).build().toXdr()
  }],
  ['an extension without data', 'To perform this operation, set the SorobanTransactionData', (testChain) =>
    testChain.build(Operation.extendFootprintTtl({ extendTo: 100 })).toXdr()],
]

for (const [name, error, build] of INVALID) {
  test(`returns an error for ${name}`, () => {
    using testChain = startTestChain()
    const result = testChain.chain.simulate({ transaction: build(testChain) })
    assert(String(result['error']).startsWith(error), String(result['error']))
    assert.deepEqual(Object.keys(result).sort(), ['error', 'latestLedger'])
    assert.equal(result['latestLedger'], 0)
  })
}

test('rejects an unknown authMode by name', () => {
  using testChain = startTestChain()
  assert.match(String(simulated(testChain, COUNTER, 'clock', [], { authMode: 'guess' })['error']), /guess/)
})

test('formats a contract error exactly as a node does: first line, empty line, event log with the newest event first', () => {
  using testChain = startTestChain()
  const result = simulated(testChain, COUNTER, 'fail', [u32(7)])
  assert.equal(
    result['error'],
    [
      'HostError: Error(Contract, #7)',
      '',
      'Event log (newest first):',
      `   0: [Diagnostic Event] contract:${COUNTER}, topics:[error, Error(Contract, #7)], data:"escalating Ok(ScErrorType::Contract) frame-exit to Err"`,
      `   1: [Contract Event] contract:${COUNTER}, topics:[before], data:Void`,
      `   2: [Diagnostic Event] topics:[fn_call, ${COUNTER}, fail], data:7`,
      '',
    ].join('\n'),
  )
  assert.deepEqual(Object.keys(result).sort(), ['error', 'events', 'latestLedger'])
  assert.equal(result['latestLedger'], testChain.chain.history.latest().sequence)
})

test('marks events of a failed inner call as not emitted, and lists the origin of the error last', () => {
  using testChain = startTestChain()
  const error = String(simulated(testChain, CALLER, 'forward', [address(COUNTER), symbol('fail'), vec(u32(7))])['error'])
  const lines = error.split('\n').slice(3, -1)
  assert.match(error, /^HostError: Error\(Contract, #7\)\n\nEvent log \(newest first\):\n/)
  assert(lines.some((line) => line.includes(`[Failed Contract Event (not emitted)] contract:${COUNTER}, topics:[before]`)))
  const origin = lines.findLast((line) => line.includes('topics:[error, Error(Contract, #7)]'))
  assert.match(origin ?? '', new RegExp(`^ +[0-9]+: \\[Failed Diagnostic Event \\(not emitted\\)\\] contract:${COUNTER}, `))
  assert.match(lines[0] ?? '', /^ {3}0: \[Diagnostic Event\]/)
  assert.equal(error.includes('topics:[log]'), false)
})

test('reports asset contract errors and missing functions as a node does', () => {
  using testChain = startTestChain()
  const head = (...call: Parameters<typeof simulated> extends [unknown, ...infer Rest] ? Rest : never): string =>
    String(simulated(testChain, ...call)['error']).split('\n')[0] ?? ''
  const bob = address(BOB.publicKey())
  assert.equal(head(USDC_CONTRACT, 'transfer', [alice, bob, i128(1_001n)]), 'HostError: Error(Contract, #10)')
  assert.equal(head(USDC_CONTRACT, 'transfer', [alice, address(ISSUER.publicKey()), i128(-1n)]), 'HostError: Error(Contract, #8)')
  assert.equal(head(COUNTER, 'no_such_thing', []), 'HostError: Error(WasmVm, MissingValue)')
  assert.equal(head(COUNTER, 'panic', []), 'HostError: Error(WasmVm, InvalidAction)')
  assert.equal(head(COUNTER, 'append', [text('x'.repeat(70_000))]), 'HostError: Error(Budget, ExceededLimit)')
})

test('instructionLeeway is added to the instructions and changes only their fee', () => {
  using testChain = startTestChain()
  const [plain, more] = [{}, { resourceConfig: { instructionLeeway: 1_000_000 } }].map((params) => dataOf(simulated(testChain, COUNTER, 'clock', [], params)))
  assert(plain !== undefined && more !== undefined)
  assert.equal(more.resources.instructions, plain.resources.instructions + 1_000_000)
  assert.equal(more.resourceFee, plain.resourceFee + 2_500n)
})

test('adds margins of 4% to the instructions and 15% to the refundable fee', () => {
  using testChain = startTestChain()
  const call = testChain.prepare(COUNTER, 'increment', [alice])
  const { resources, resourceFee } = dataOf(testChain.simulate(call))
  const meta = metaOf(testChain.apply(call))
  const used = meta.diagnosticEvents.map(({ event }) => event.body.v0).find(({ topics: [, name] }) => {
    return name?.type === 'scvSymbol' && name.sym.toString() === 'cpu_insn'
  })
  assert(used?.data.type === 'scvU64' && meta.sorobanMeta?.ext.type === 'v1')
  assert.equal(resources.instructions, Math.ceil(Number(used.data.u64) * 1.04))
  const { totalNonRefundableResourceFeeCharged, totalRefundableResourceFeeCharged } = meta.sorobanMeta.ext.v1
  const refundable = totalRefundableResourceFeeCharged + (totalRefundableResourceFeeCharged * 15n + 99n) / 100n
  // The size margin is a tenth of the envelope, at least 500 bytes, at 17,859 stroops per KiB.
  const sizeMarginFee = resourceFee - totalNonRefundableResourceFeeCharged - refundable
  assert(sizeMarginFee > 0n && sizeMarginFee < 25_000n, `${sizeMarginFee} stroops for the size margin`)
})

test('enforces authorization entries that are present, unless authMode is record', () => {
  using testChain = startTestChain()
  const bare = testChain.simulate(testChain.call(COUNTER, 'increment', [address(BOB.publicKey())]), { authMode: 'enforce' })
  assert.match(String(bare['error']), /^HostError: Error\(Auth, InvalidAction\)/)
  const recorded = testChain.simulate(testChain.call(COUNTER, 'increment', [address(BOB.publicKey())]))
  const [result] = recorded['results'] as { auth: string[] }[]
  const auth = (result?.auth ?? []).map((entry) => xdr.SorobanAuthorizationEntry.fromXdr(entry, 'base64'))
  const args = [toScVal(address(BOB.publicKey()))]
  const unsigned = testChain.build(Operation.invokeContractFunction({ contract: COUNTER, function: 'increment', args, auth }))
  assert.match(String(testChain.simulate(unsigned)['error']), /^HostError: Error\(Auth, InvalidInput\)/)
  assert.deepEqual(valueOf(testChain.simulate(unsigned, { authMode: 'record' })), u32(1))
})

test('the simulated resources are enough for each kind of call', () => {
  using testChain = startTestChain()
  const bob = address(BOB.publicKey())
  const calls: readonly (readonly [string, string, readonly Val[]])[] = [
    [COUNTER, 'increment', [alice]], [COUNTER, 'increment', [alice]], [COUNTER, 'add_item', []], [COUNTER, 'set_instance_value', [text('this')]],
    [COUNTER, 'set_temporary', [u32(1)]], [COUNTER, 'append', [alice]], [CALLER, 'forward_signed', [alice, address(COUNTER)]],
    [CALLER, 'increment_as_self', [address(COUNTER)]], [NATIVE_CONTRACT, 'transfer', [alice, bob, i128(5n)]],
    [USDC_CONTRACT, 'transfer', [alice, bob, i128(5n)]],
    [USDC_CONTRACT, 'approve', [alice, bob, i128(7n), u32(500)]], [USDC_CONTRACT, 'approve', [alice, bob, i128(0n), u32(500)]],
  ]
  for (const [contract, name, args] of calls) assert.equal(testChain.apply(testChain.prepare(contract, name, args)).status, 'SUCCESS', name)
})

test('a simulation fails when the network limits are exceeded', () => {
  using testChain = startTestChain()
  const withStoredBytes = (size: number) => simulated(testChain, COUNTER, 'set_instance_value', [text('x'.repeat(size))])['error']
  assert.match(String(withStoredBytes(65_536)), /^HostError: Error\(Budget, ExceededLimit\)/, 'the size limit applies to instances')
  assert.equal(withStoredBytes(65_000), undefined)
  const withReturnedBytes = (size: number) => simulated(testChain, CALLER, 'forward', [address(COUNTER), symbol('echo'), vec(text('x'.repeat(size)))])['error']
  assert.match(String(withReturnedBytes(16_384)), /^HostError: Error\(Budget, ExceededLimit\)/, 'the events limit includes the return value')
  assert.equal(withReturnedBytes(16_000), undefined)
})
