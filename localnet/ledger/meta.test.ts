import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Account, Asset, hash, Memo, MuxedAccount, Operation, scValToNative, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { address, i128, symbol, u32, vec } from '../contracts/shared/host.ts'
import { toScVal } from '../scval.ts'
import {
  ALICE, BOB, CALLER, COUNTER, ISSUER, metaOf, NATIVE_CONTRACT, PASSPHRASE, payment, testKeypair, resultOf, startTestChain, type TestChain, USDC,
  USDC_CONTRACT,
} from './test-chain.ts'
import { contractAddress } from './addresses.ts'
import { closeMetaOf, readHeader } from './test-header-reader.ts'
import { toHex } from './xdr-writer.ts'

interface DecodedEvent {
  readonly contract: string
  readonly topics: readonly unknown[]
  readonly data: unknown
}

const decodeEvent = ({ contractId, body }: xdr.ContractEvent): DecodedEvent => ({
  contract: contractId === null ? '' : contractAddress(contractId.value),
  topics: body.v0.topics.map((topic) => scValToNative(topic)),
  data: scValToNative(body.v0.data),
})

const usdc = new Asset('USDC', ISSUER.publicKey())

/** The events of a classic operation. */
function eventsOf(testChain: TestChain, operation: xdr.Operation, memo?: Memo, source = ALICE): readonly DecodedEvent[] {
  const account = new Account(source.publicKey(), testChain.sequenceOf(source).toString())
  const builder = new TransactionBuilder(account, { fee: '100', networkPassphrase: PASSPHRASE }).addOperation(operation).setTimeout(0)
  if (memo !== undefined) builder.addMemo(memo)
  const transaction = builder.build()
  transaction.sign(source)
  return metaOf(testChain.apply(transaction)).operations.flatMap(({ events }) => events.map(decodeEvent))
}

test('meta of a successful call has events per operation, the return value and the fees', () => {
  using testChain = startTestChain()
  const record = testChain.apply(testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())]))
  const meta = metaOf(record)
  assert.equal(meta.operations.length, 1)
  assert.deepEqual(meta.operations[0]?.events.map(decodeEvent), [
    { contract: COUNTER, topics: ['counted', ALICE.publicKey()], data: [1] },
  ])
  assert.equal(meta.sorobanMeta?.ext.type, 'v1')
  assert.deepEqual(meta.sorobanMeta?.returnValue, toScVal(u32(1)))
  assert.deepEqual(meta.events.map(({ stage }) => stage.name), ['transactionEventStageBeforeAllTxs', 'transactionEventStageAfterAllTxs'])
  assert.deepEqual(meta.txChangesBefore.map(({ type }) => type), ['ledgerEntryState', 'ledgerEntryUpdated'])
  assert.deepEqual(record.contractEventsXdr, [meta.operations[0]?.events.map((event) => event.toXdr('base64'))])
  assert.deepEqual(record.diagnosticEventsXdr, meta.diagnosticEvents.map((event) => event.toXdr('base64')))
})

test('the result of a successful call has the hash of its return value and events', () => {
  using testChain = startTestChain()
  const record = testChain.apply(testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())]))
  const meta = metaOf(record)
  const { result } = resultOf(record)
  assert(result.type === 'txSuccess')
  const [operation] = result.results
  assert(operation?.type === 'opInner' && operation.tr.type === 'invokeHostFunction')
  const outcome = operation.tr.invokeHostFunctionResult
  assert(outcome.type === 'invokeHostFunctionSuccess')
  const image = new xdr.InvokeHostFunctionSuccessPreImage({ returnValue: toScVal(u32(1)), events: [...(meta.operations[0]?.events ?? [])] })
  assert.equal(toHex(outcome.success.value), toHex(hash(image.toXdr())))
})

test('meta of a failed call has charges, but no operations, events or return value', () => {
  using testChain = startTestChain()
  const call = testChain.prepare(CALLER, 'try_call', [address(COUNTER), symbol('fail'), vec(u32(7))])
  assert.equal(testChain.apply(call).status, 'SUCCESS', 'a caller that catches the failure succeeds')
  const failing = testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())], { source: BOB, signers: [BOB] })
  const record = testChain.apply(failing)
  assert.equal(record.status, 'FAILED')
  const meta = metaOf(record)
  assert.deepEqual([meta.operations, record.contractEventsXdr], [[], []])
  assert.equal(meta.sorobanMeta?.ext.type, 'v1')
  assert.equal(meta.sorobanMeta?.returnValue, null)
  assert.equal(meta.txChangesBefore.length, 2)
})

test('classic payments emit the events of asset contracts', () => {
  using testChain = startTestChain()
  const [alice, bob] = [ALICE.publicKey(), BOB.publicKey()]
  const one = 10_000_000n
  const transfer = (data: unknown): readonly DecodedEvent[] => [{ contract: NATIVE_CONTRACT, topics: ['transfer', alice, bob, 'native'], data }]
  assert.deepEqual(eventsOf(testChain, payment(BOB)), transfer(one))
  assert.deepEqual(eventsOf(testChain, payment(BOB), Memo.text('rent')), transfer({ amount: one, to_muxed_id: 'rent' }))
  assert.deepEqual(eventsOf(testChain, payment(BOB), Memo.id('5')), transfer({ amount: one, to_muxed_id: 5n }))
  const muxed = new MuxedAccount(new Account(bob, '0'), '77').accountId()
  const toMuxed = Operation.payment({ destination: muxed, asset: Asset.native(), amount: '1' })
  assert.deepEqual(eventsOf(testChain, toMuxed), transfer({ amount: one, to_muxed_id: 77n }))
  const created = Operation.createAccount({ destination: testKeypair(8).publicKey(), startingBalance: '2' })
  assert.deepEqual(eventsOf(testChain, created), [
    { contract: NATIVE_CONTRACT, topics: ['transfer', alice, testKeypair(8).publicKey(), 'native'], data: 2n * one },
  ])
  const issued = Operation.payment({ destination: alice, asset: usdc, amount: '3' })
  assert.deepEqual(eventsOf(testChain, issued, undefined, ISSUER), [{ contract: USDC_CONTRACT, topics: ['mint', alice, USDC], data: 3n * one }])
  const returned = Operation.payment({ destination: ISSUER.publicKey(), asset: usdc, amount: '1' })
  assert.deepEqual(eventsOf(testChain, returned), [{ contract: USDC_CONTRACT, topics: ['burn', alice, USDC], data: one }])
  assert.deepEqual(eventsOf(testChain, Operation.bumpSequence({ bumpTo: '0' })), [])
})

test('the hashes in a ledger header match the header, the transaction set and the results', () => {
  using testChain = startTestChain()
  const [paid, called] = [testChain.signed(payment(BOB)), testChain.prepare(COUNTER, 'increment', [address(BOB.publicKey())], { source: BOB })]
  for (const transaction of [called, paid]) testChain.send(transaction)
  const ledger = testChain.chain.history.ledger(testChain.close())
  assert(ledger !== undefined)
  const meta = closeMetaOf(ledger)
  const header = readHeader(ledger.headerXdr)
  assert.equal(toHex(hash(Buffer.from(ledger.headerXdr, 'base64'))), ledger.hash)
  assert.equal(header.previousHash, ledger.previousHash)
  assert.equal(header.txSetHash, toHex(hash(meta.txSet.toXdr())))
  const pairs = meta.txProcessing.map(({ result }) => result)
  const results = new xdr.TransactionResultSet({ results: pairs })
  assert.equal(header.resultsHash, toHex(hash(results.toXdr())))
  assert.deepEqual(pairs.map(({ transactionHash }) => toHex(transactionHash.value)), [paid, called].map((each) => toHex(each.hash())))
  const metas = meta.txProcessing.map(({ txApplyProcessing }) => txApplyProcessing.toXdr('base64'))
  assert.deepEqual(metas, [paid, called].map((each) => testChain.recordOf(each).resultMetaXdr))
  assert.equal(header.closeSec, ledger.closeTimeSec)
})

test("the header's fee pool sums all charged fees, and its bucket list hash changes with the state", () => {
  using testChain = startTestChain()
  const headers = [testChain.close(), testChain.apply(testChain.signed(payment(BOB))).ledger, testChain.close()].map((sequence) =>
    readHeader(testChain.chain.history.ledger(sequence)?.headerXdr ?? ''),
  )
  assert.deepEqual(headers.map(({ feePool }) => feePool), [0n, 100n, 100n])
  assert.equal(new Set(headers.map(({ stateHash }) => stateHash)).size, 3)
})

test('a transfer through the asset contract moves trustline balances', () => {
  using testChain = startTestChain()
  const record = testChain.apply(testChain.prepare(USDC_CONTRACT, 'transfer', [address(ALICE.publicKey()), address(BOB.publicKey()), i128(400n)]))
  assert.deepEqual(metaOf(record).operations[0]?.events.map(decodeEvent), [
    { contract: USDC_CONTRACT, topics: ['transfer', ALICE.publicKey(), BOB.publicKey(), USDC], data: 400n },
  ])
})
