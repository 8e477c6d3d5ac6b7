import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scValToNative, SorobanDataBuilder, type Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { address, i128, symbol, u64, vec } from '../contracts/shared/host.ts'
import type { TransactionRecord } from '../history.ts'
import { ALICE, BOB, CALLER, COUNTER, metaOf, NATIVE_CONTRACT, PASSPHRASE, resultOf, startTestChain, type TestChain } from './test-chain.ts'

type Data = xdr.SorobanTransactionData

/** The simulated call with other declared resources. */
function withDeclared(transaction: Transaction, change: (declared: Data, data: SorobanDataBuilder) => void): Transaction {
  const declared = dataOf(transaction)
  const data = new SorobanDataBuilder(declared.toXdr('base64'))
  change(declared, data)
  const { fee } = transaction
  const changed = TransactionBuilder.cloneFrom(transaction, { fee, networkPassphrase: PASSPHRASE, sorobanData: data.build() }).build()
  changed.sign(ALICE)
  return changed
}

function codeOf(record: TransactionRecord): string {
  const { result } = resultOf(record)
  assert(result.type === 'txFailed')
  const [operation] = result.results
  assert(operation?.type === 'opInner' && operation.tr.type === 'invokeHostFunction')
  return operation.tr.invokeHostFunctionResult.type
}

/** [message, used, declared] of the only error event without a contract. */
function limitErrorOf(record: TransactionRecord): readonly unknown[] {
  const errors = record.diagnosticEventsXdr.map((eventXdr) => xdr.DiagnosticEvent.fromXdr(eventXdr, 'base64').event).filter(({ contractId, body }) => {
    const [name] = body.v0.topics
    return contractId === null && name?.type === 'scvSymbol' && name.sym.toString() === 'error'
  })
  assert.equal(errors.length, 1)
  const [{ body } = { body: undefined }] = errors
  return scValToNative(body?.v0.data ?? xdr.ScVal.scvVoid()) as unknown[]
}

function dataOf(transaction: Transaction): Data {
  const envelope = transaction.toEnvelope()
  assert(envelope.type === 'envelopeTypeTx' && envelope.v1.tx.ext.type === 'sorobanData')
  return envelope.v1.tx.ext.sorobanData
}

const resourcesOf = (transaction: Transaction): xdr.SorobanResources => dataOf(transaction).resources

const increment = (testChain: TestChain): Transaction => testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())])

test('a call above its declared instructions fails, is charged, and reports both numbers', () => {
  using testChain = startTestChain()
  const starved = withDeclared(increment(testChain), ({ resources }, data) => {
    data.setResources(4_010_000, resources.diskReadBytes, resources.writeBytes)
  })
  const record = testChain.apply(starved)
  assert.equal(codeOf(record), 'invokeHostFunctionResourceLimitExceeded')
  const [message, used, declared] = limitErrorOf(record)
  assert.equal(message, 'operation instructions exceeds amount specified')
  assert.equal(declared, 4_010_000n)
  assert(typeof used === 'bigint' && used > 4_010_000n)
  const written = testChain.chain.entries(resourcesOf(starved).footprint.readWrite.map((key) => key.toXdr('base64')))
  assert.deepEqual(written.filter(({ lastModifiedLedgerSeq }) => lastModifiedLedgerSeq === record.ledger), [])
})

test('a contract cannot catch exceeding the instruction limit', () => {
  using testChain = startTestChain()
  const catching = testChain.prepare(CALLER, 'try_call', [address(COUNTER), symbol('add_item'), vec()])
  const starved = withDeclared(catching, ({ resources }, data) => data.setResources(4_035_000, resources.diskReadBytes, resources.writeBytes))
  assert.equal(codeOf(testChain.apply(starved)), 'invokeHostFunctionResourceLimitExceeded')
})

test('a call that writes one byte more than declared fails without effect', () => {
  using testChain = startTestChain()
  const declared = increment(testChain)
  const { writeBytes } = resourcesOf(declared)
  const starved = withDeclared(declared, ({ resources }, data) => data.setResources(resources.instructions, resources.diskReadBytes, writeBytes - 1))
  const record = testChain.apply(starved)
  assert.equal(codeOf(record), 'invokeHostFunctionResourceLimitExceeded')
  assert.deepEqual(limitErrorOf(record), ['operation byte-write resources exceeds amount specified', BigInt(writeBytes), BigInt(writeBytes - 1)])
  assert.equal(testChain.apply(increment(testChain)).status, 'SUCCESS')
  const count = testChain.simulate(testChain.call(COUNTER, 'count', [address(ALICE.publicKey())]))
  assert.equal((count['results'] as { xdr: string }[])[0]?.xdr, xdr.ScVal.scvU32(1).toXdr('base64'))
})

test('a call that reads more from disk than declared does not run', () => {
  using testChain = startTestChain()
  const transfer = testChain.prepare(NATIVE_CONTRACT, 'transfer', [address(ALICE.publicKey()), address(BOB.publicKey()), i128(5n)])
  const { diskReadBytes } = resourcesOf(transfer)
  assert(diskReadBytes > 0)
  const starved = withDeclared(transfer, ({ resources }, data) => data.setResources(resources.instructions, 0, resources.writeBytes))
  const record = testChain.apply(starved)
  assert.equal(codeOf(record), 'invokeHostFunctionResourceLimitExceeded')
  assert.equal(limitErrorOf(record)[0], 'operation byte-read resources exceeds amount specified')
  assert.equal(record.diagnosticEventsXdr.length, 1)
})

test('the simulated resources cover the growth of an account entry that consumes its first sequence number', () => {
  using testChain = startTestChain()
  const transfer = testChain.prepare(NATIVE_CONTRACT, 'transfer', [address(ALICE.publicKey()), address(BOB.publicKey()), i128(5n)])
  assert.equal(testChain.apply(transfer).status, 'SUCCESS')
})

test('a call fails when the fee does not cover rent, then events', () => {
  using testChain = startTestChain()
  const paid = metaOf(testChain.apply(testChain.prepare(COUNTER, 'increment', [address(BOB.publicKey())], { source: BOB }))).sorobanMeta?.ext
  assert(paid?.type === 'v1')
  const { totalNonRefundableResourceFeeCharged, rentFeeCharged } = paid.v1
  const starve = (left: bigint) => withDeclared(increment(testChain), (_, data) => data.setResourceFee(totalNonRefundableResourceFeeCharged + left))
  const withoutRent = testChain.apply(starve(rentFeeCharged - 1n))
  assert.equal(codeOf(withoutRent), 'invokeHostFunctionInsufficientRefundableFee')
  const [aboutRent, ...numbers] = limitErrorOf(withoutRent)
  assert.match(String(aboutRent), /cover the ledger storage rent/)
  assert.deepEqual(numbers, [rentFeeCharged, rentFeeCharged - 1n])
  // Enough for rent, nothing left for the event.
  const withoutEvents = testChain.apply(starve(rentFeeCharged))
  assert.equal(codeOf(withoutEvents), 'invokeHostFunctionInsufficientRefundableFee')
  assert.match(String(limitErrorOf(withoutEvents)[0]), /cover the events fee/)
})

test('fails a call when a list that it writes has grown since the simulation', () => {
  using testChain = startTestChain()
  const [first, second] = [ALICE, BOB].map((source) => testChain.prepare(COUNTER, 'append', [u64(1n)], { source }))
  for (const call of [first, second]) testChain.send(call ?? assert.fail())
  testChain.close()
  assert.equal(testChain.recordOf(first ?? assert.fail()).status, 'SUCCESS')
  assert.equal(codeOf(testChain.recordOf(second ?? assert.fail())), 'invokeHostFunctionResourceLimitExceeded')
})
