import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scValToNative, SorobanDataBuilder, type Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { address, i128, symbol, text, u64, vec } from '../contracts/host.ts'
import type { TransactionRecord } from '../history.ts'
import { ALICE, BOB, CALLER, COUNTER, metaOf, NATIVE_CONTRACT, PASSPHRASE, resultOf, startTestChain, type TestChain } from './test-chain.ts'

type Data = xdr.SorobanTransactionData

/** The call as it was simulated, with other resources declared. */
function redeclared(transaction: Transaction, change: (declared: Data, data: SorobanDataBuilder) => void): Transaction {
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

/** [what is wrong, what was used, what was declared], from the one diagnostic in which no contract speaks of an error. */
function findingOf(record: TransactionRecord): readonly unknown[] {
  const spoken = record.diagnosticEventsXdr.map((text_) => xdr.DiagnosticEvent.fromXdr(text_, 'base64').event).filter(({ contractId, body }) => {
    const [name] = body.v0.topics
    return contractId === null && name?.type === 'scvSymbol' && name.sym.toString() === 'error'
  })
  assert.equal(spoken.length, 1)
  const [{ body } = { body: undefined }] = spoken
  return scValToNative(body?.v0.data ?? xdr.ScVal.scvVoid()) as unknown[]
}

function dataOf(transaction: Transaction): Data {
  const envelope = transaction.toEnvelope()
  assert(envelope.type === 'envelopeTypeTx' && envelope.v1.tx.ext.type === 'sorobanData')
  return envelope.v1.tx.ext.sorobanData
}

const resourcesOf = (transaction: Transaction): xdr.SorobanResources => dataOf(transaction).resources

const increment = (testChain: TestChain): Transaction => testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())])

test('a call that needs more instructions than it declared fails, pays for them, and says how many', () => {
  using testChain = startTestChain()
  const starved = redeclared(increment(testChain), ({ resources }, data) => {
    data.setResources(4_010_000, resources.diskReadBytes, resources.writeBytes)
  })
  const record = testChain.apply(starved)
  assert.equal(codeOf(record), 'invokeHostFunctionResourceLimitExceeded')
  const [sentence, used, declared] = findingOf(record)
  assert.equal(sentence, 'operation instructions exceeds amount specified')
  assert.equal(declared, 4_010_000n)
  assert(typeof used === 'bigint' && used > 4_010_000n)
  const written = testChain.chain.entries(resourcesOf(starved).footprint.readWrite.map((key) => key.toXdr('base64')))
  assert.deepEqual(written.filter(({ lastModifiedLedgerSeq }) => lastModifiedLedgerSeq === record.ledger), [])
})

test('a contract cannot catch that the instructions are used up', () => {
  using testChain = startTestChain()
  const careful = testChain.prepare(CALLER, 'try_call', [address(COUNTER), symbol('add_item'), vec()])
  const starved = redeclared(careful, ({ resources }, data) => data.setResources(4_035_000, resources.diskReadBytes, resources.writeBytes))
  assert.equal(codeOf(testChain.apply(starved)), 'invokeHostFunctionResourceLimitExceeded')
})

test('a call that writes a byte more than it declared fails, and nothing of it stays', () => {
  using testChain = startTestChain()
  const declared = increment(testChain)
  const { writeBytes } = resourcesOf(declared)
  const starved = redeclared(declared, ({ resources }, data) => data.setResources(resources.instructions, resources.diskReadBytes, writeBytes - 1))
  const record = testChain.apply(starved)
  assert.equal(codeOf(record), 'invokeHostFunctionResourceLimitExceeded')
  assert.deepEqual(findingOf(record), ['operation byte-write resources exceeds amount specified', BigInt(writeBytes), BigInt(writeBytes - 1)])
  assert.equal(testChain.apply(increment(testChain)).status, 'SUCCESS')
  const count = testChain.simulate(testChain.call(COUNTER, 'count', [address(ALICE.publicKey())]))
  assert.equal((count['results'] as { xdr: string }[])[0]?.xdr, xdr.ScVal.scvU32(1).toXdr('base64'))
})

test('a call that takes a byte more from disk than it declared never runs', () => {
  using testChain = startTestChain()
  const transfer = testChain.prepare(NATIVE_CONTRACT, 'transfer', [address(ALICE.publicKey()), address(BOB.publicKey()), i128(5n)])
  const { diskReadBytes } = resourcesOf(transfer)
  assert(diskReadBytes > 0)
  const starved = redeclared(transfer, ({ resources }, data) => data.setResources(resources.instructions, 0, resources.writeBytes))
  const record = testChain.apply(starved)
  assert.equal(codeOf(record), 'invokeHostFunctionResourceLimitExceeded')
  assert.equal(findingOf(record)[0], 'operation byte-read resources exceeds amount specified')
  assert.equal(record.diagnosticEventsXdr.length, 1)
})

test('what a first simulation of a new account declares is enough, though its entry grows before the call runs', () => {
  using testChain = startTestChain()
  const transfer = testChain.prepare(NATIVE_CONTRACT, 'transfer', [address(ALICE.publicKey()), address(BOB.publicKey()), i128(5n)])
  assert.equal(testChain.apply(transfer).status, 'SUCCESS')
})

test('rent and events that the fee does not cover fail the call, rent first', () => {
  using testChain = startTestChain()
  const paid = metaOf(testChain.apply(testChain.prepare(COUNTER, 'increment', [address(BOB.publicKey())], { source: BOB }))).sorobanMeta?.ext
  assert(paid?.type === 'v1')
  const { totalNonRefundableResourceFeeCharged, rentFeeCharged } = paid.v1
  const starve = (left: bigint) => redeclared(increment(testChain), (_, data) => data.setResourceFee(totalNonRefundableResourceFeeCharged + left))
  const withoutRent = testChain.apply(starve(rentFeeCharged - 1n))
  assert.equal(codeOf(withoutRent), 'invokeHostFunctionInsufficientRefundableFee')
  const [aboutRent, ...numbers] = findingOf(withoutRent)
  assert.match(String(aboutRent), /cover the ledger storage rent/)
  assert.deepEqual(numbers, [rentFeeCharged, rentFeeCharged - 1n])
  // Enough for the entry's life, nothing for the event.
  const withoutEvents = testChain.apply(starve(rentFeeCharged))
  assert.equal(codeOf(withoutEvents), 'invokeHostFunctionInsufficientRefundableFee')
  assert.match(String(findingOf(withoutEvents)[0]), /cover the events fee/)
})

test('a list that all share may have grown since a call was simulated', () => {
  using testChain = startTestChain()
  const both = [ALICE, BOB].map((source) => testChain.prepare(COUNTER, 'append', [u64(1n)], { source }))
  for (const call of both) testChain.send(call)
  testChain.close()
  assert.deepEqual(both.map((call) => testChain.recordOf(call).status), ['SUCCESS', 'SUCCESS'])
})

test('a list that grew by more than everybody could have added is held against the call', () => {
  using testChain = startTestChain()
  const before = testChain.prepare(COUNTER, 'append', [u64(1n)], { source: BOB })
  testChain.apply(testChain.prepare(COUNTER, 'append', [text('x'.repeat(3_000))]))
  testChain.send(before)
  testChain.close()
  assert.equal(codeOf(testChain.recordOf(before)), 'invokeHostFunctionResourceLimitExceeded')
})
