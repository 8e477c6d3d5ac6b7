import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Operation, scValToNative, SorobanDataBuilder, type Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { address } from '../contracts/shared/host.ts'
import type { EventRecord, TransactionRecord } from '../history.ts'
import {
  ALICE, BOB, COUNTER, metaOf, NATIVE_CONTRACT, UNFUNDED, PASSPHRASE, payment, testKeypair, resultOf, START_BALANCE, startTestChain, type TestChain,
} from './test-chain.ts'
import { closeMetaOf } from './test-header-reader.ts'

function eventsOf(testChain: TestChain, ledger: number): readonly EventRecord[] {
  return [...testChain.chain.history.events({ afterId: null, fromLedger: ledger, untilLedger: ledger + 1, contractIds: null })]
}

const topicsOf = (event: EventRecord): unknown[] => event.topics.map((topic) => scValToNative(xdr.ScVal.fromXdr(topic, 'base64')))
const valueOf = (event: EventRecord): unknown => scValToNative(xdr.ScVal.fromXdr(event.value, 'base64'))

const closeMeta = ({ chain }: TestChain, ledger: number): xdr.LedgerCloseMetaV2 => closeMetaOf(defined(chain.history.ledger(ledger), 'the ledger'))

function balancesIn(changes: readonly xdr.LedgerEntryChange[]): bigint[] {
  return changes.flatMap((change) => {
    if (change.type !== 'ledgerEntryState' && change.type !== 'ledgerEntryUpdated') return []
    const { data } = change.type === 'ledgerEntryState' ? change.state : change.updated
    return data.type === 'account' ? [data.account.balance] : []
  })
}

const refund = (events: readonly EventRecord[]): EventRecord | undefined => events.find(({ transactionIndex }) => transactionIndex === 1_048_575)

test('charges all fees before applying any transaction', () => {
  using testChain = startTestChain()
  const [gift, thanks] = [testChain.signed(payment(BOB, '10')), testChain.signed(payment(ALICE, '1'), { source: BOB })]
  for (const transaction of [gift, thanks]) testChain.send(transaction)
  const [first, second] = closeMeta(testChain, testChain.close()).txProcessing
  assert(first !== undefined && second !== undefined)
  assert.deepEqual(balancesIn(first.feeProcessing), [START_BALANCE, START_BALANCE - 100n])
  assert.deepEqual(balancesIn(second.feeProcessing), [START_BALANCE, START_BALANCE - 100n], 'the fee was charged before the payment arrived')
  assert.equal(testChain.balanceOf(BOB), START_BALANCE - 100n + 90_000_000n)
})

test('charges the base fee while the ledger has room, however high the bid', () => {
  using testChain = startTestChain()
  const record = testChain.apply(testChain.signed([payment(BOB), payment(BOB)], { fee: '50000' }))
  assert.equal(resultOf(record).feeCharged, 200n)
  assert.equal(testChain.balanceOf(ALICE), START_BALANCE - 20_000_000n - 200n)
  assert.equal(record.inclusionFee, 100)
})

test('a failed transaction is charged and consumes its sequence number, without other effects', () => {
  using testChain = startTestChain()
  const sequence = testChain.sequenceOf(ALICE)
  const record = testChain.apply(testChain.signed([payment(BOB, '5'), payment(UNFUNDED)]))
  assert.equal(record.status, 'FAILED')
  const { result, feeCharged } = resultOf(record)
  assert(result.type === 'txFailed')
  const codes = result.results.map((operation) => (operation.type === 'opInner' && operation.tr.type === 'payment' ? operation.tr.paymentResult.type : ''))
  assert.deepEqual(codes, ['paymentSuccess', 'paymentNoDestination'])
  assert.equal(feeCharged, 200n)
  assert.equal(testChain.sequenceOf(ALICE), sequence + 1n)
  assert.equal(testChain.balanceOf(ALICE), START_BALANCE - 200n)
  assert.equal(testChain.balanceOf(BOB), START_BALANCE)
  assert.deepEqual(eventsOf(testChain, record.ledger).map(topicsOf), [['fee', ALICE.publicKey()]])
})

test('a transaction whose signers lose their weight in the same ledger fails with txBAD_AUTH and is charged', () => {
  using testChain = startTestChain()
  const takeOver = Operation.setOptions({ source: ALICE.publicKey(), masterWeight: 0, signer: { ed25519PublicKey: BOB.publicKey(), weight: 1 } })
  testChain.send(testChain.signed(takeOver, { source: BOB, signers: [BOB, ALICE] }))
  const late = testChain.signed(payment(BOB))
  testChain.send(late)
  const sequence = testChain.sequenceOf(ALICE)
  testChain.close()
  const record = testChain.recordOf(late)
  assert.equal(resultOf(record).result.type, 'txBadAuth')
  assert.equal(resultOf(record).feeCharged, 100n)
  assert.equal(testChain.sequenceOf(ALICE), sequence + 1n)
  assert.equal(testChain.apply(testChain.signed(payment(BOB), { signers: [BOB] })).status, 'SUCCESS', 'the new signer can sign for the account')
})

test('a transaction whose sequence number is skipped in the same ledger fails with txBAD_SEQ', () => {
  using testChain = startTestChain()
  const sequence = testChain.sequenceOf(ALICE)
  const bump = Operation.bumpSequence({ source: ALICE.publicKey(), bumpTo: (sequence + 10n).toString() })
  testChain.send(testChain.signed(bump, { source: BOB, signers: [BOB, ALICE] }))
  const late = testChain.signed(payment(BOB))
  testChain.send(late)
  testChain.close()
  assert.equal(resultOf(testChain.recordOf(late)).result.type, 'txBadSeq')
  assert.equal(testChain.sequenceOf(ALICE), sequence + 10n)
  assert.equal(testChain.balanceOf(ALICE), START_BALANCE - 100n)
})

/** A call with an empty footprint, which traps. */
function trapping(testChain: TestChain, instructions: number, resourceFee: bigint): Transaction {
  const call = testChain.call(COUNTER, 'increment', [address(ALICE.publicKey())])
  const sorobanData = new SorobanDataBuilder().setResources(instructions, 0, 30_000).setResourceFee(resourceFee).build()
  const transaction = TransactionBuilder.cloneFrom(call, { fee: '100', networkPassphrase: PASSPHRASE, sorobanData }).build()
  transaction.sign(ALICE)
  return transaction
}

test('charges and refunds a trapped call with the figures of a real transaction', () => {
  using testChain = startTestChain()
  const baseCharge = resultOf(testChain.apply(trapping(testChain, 10_000_000, 910_608n))).feeCharged - 100n
  // 10,000 more instructions cost 25 stroops.
  const record = testChain.apply(trapping(testChain, 10_000_000 + Number(((260_990n - baseCharge) * 10_000n) / 25n), 910_608n))
  const { feeCharged, result } = resultOf(record)
  assert.equal(result.type, 'txFailed')
  assert.equal(feeCharged, 261_090n)
  const events = eventsOf(testChain, record.ledger)
  assert.deepEqual(events.map(topicsOf), [['fee', ALICE.publicKey()], ['fee', ALICE.publicKey()]])
  assert.deepEqual(events.map(valueOf), [910_708n, -649_618n])
  const paid = metaOf(record).sorobanMeta?.ext
  assert(paid?.type === 'v1')
  const { totalNonRefundableResourceFeeCharged, totalRefundableResourceFeeCharged, rentFeeCharged } = paid.v1
  assert.deepEqual([totalNonRefundableResourceFeeCharged, totalRefundableResourceFeeCharged, rentFeeCharged], [260_990n, 0n, 0n])
})

test('a successful call gets the unused resource fee refunded', () => {
  using testChain = startTestChain()
  const call = testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())])
  const record = testChain.apply(call)
  const paid = metaOf(record).sorobanMeta?.ext
  assert(paid?.type === 'v1')
  const { totalNonRefundableResourceFeeCharged, totalRefundableResourceFeeCharged, rentFeeCharged } = paid.v1
  const { feeCharged } = resultOf(record)
  assert.equal(feeCharged, totalNonRefundableResourceFeeCharged + totalRefundableResourceFeeCharged + 100n)
  assert(rentFeeCharged > 0n && totalRefundableResourceFeeCharged > rentFeeCharged, 'rent for the new entry, plus the event')
  assert.equal(testChain.balanceOf(ALICE), START_BALANCE - feeCharged)
  assert.equal(valueOf(refund(eventsOf(testChain, record.ledger)) ?? assert.fail('no refund')), feeCharged - BigInt(call.fee))
})

test("orders a ledger's events: all fees, each transaction's events, all refunds", () => {
  using testChain = startTestChain()
  const calls = [ALICE, BOB].map((source) => testChain.prepare(COUNTER, 'increment', [address(source.publicKey())], { source }))
  const classic = testChain.signed(payment(ALICE), { source: testKeypair(3) })
  for (const transaction of [...calls, classic]) testChain.send(transaction)
  const ledger = testChain.close()
  const positions = eventsOf(testChain, ledger).map((event) => [topicsOf(event)[0], event.transactionIndex, event.operationIndex, event.id.slice(20)])
  assert.deepEqual(positions, [
    ['fee', 0, 0, '0000000000'],
    ['fee', 0, 0, '0000000001'],
    ['fee', 0, 0, '0000000002'],
    ['transfer', 1, 0, '0000000000'],
    ['counted', 2, 0, '0000000000'],
    ['counted', 3, 0, '0000000000'],
    ['fee', 1_048_575, 0, '0000000000'],
    ['fee', 1_048_575, 0, '0000000001'],
  ])
  const ids = eventsOf(testChain, ledger).map(({ id }) => id)
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(ids[3], `${((BigInt(ledger) << 32n) | (1n << 12n)).toString().padStart(19, '0')}-0000000000`)
  assert(eventsOf(testChain, ledger).every((event) => !topicsOf(event).includes('fee') || event.contractId === NATIVE_CONTRACT))
})

test('closes empty ledgers, each at least one second after the previous one', () => {
  using testChain = startTestChain()
  const before = testChain.chain.history.latest()
  assert.equal(testChain.chain.closeLedger(), before.sequence + 1)
  const unmoved = testChain.chain.history.latest()
  assert.equal(unmoved.closeTimeSec, before.closeTimeSec + 1)
  testChain.clock.advance(7_900)
  testChain.chain.closeLedger()
  const moved = testChain.chain.history.latest()
  assert.equal(moved.closeTimeSec, before.closeTimeSec + 7)
  assert.deepEqual([unmoved.previousHash, moved.previousHash], [before.hash, unmoved.hash])
  assert.deepEqual(closeMeta(testChain, moved.sequence).txProcessing, [])
})

test('a fee bump is charged to its source and is found by outer and inner hash', () => {
  using testChain = startTestChain()
  const inner = testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())])
  const bump = TransactionBuilder.buildFeeBumpTransaction(BOB, '300', inner, PASSPHRASE)
  bump.sign(BOB)
  const record: TransactionRecord = testChain.apply(bump)
  assert.deepEqual(testChain.recordOf(inner), record)
  const { result, feeCharged } = resultOf(record)
  assert(result.type === 'txFeeBumpInnerSuccess')
  assert.equal(result.innerResultPair.result.feeCharged, 0n)
  assert.equal(testChain.balanceOf(ALICE), START_BALANCE)
  assert.equal(testChain.balanceOf(BOB), START_BALANCE - feeCharged)
  assert.deepEqual(eventsOf(testChain, record.ledger).filter((event) => topicsOf(event)[0] === 'fee').map((event) => topicsOf(event)[1]), [
    BOB.publicKey(), BOB.publicKey(),
  ])
  assert.equal(record.inclusionFee, 100)
})

test('a fee bump whose inner transaction fails has the inner result', () => {
  using testChain = startTestChain()
  const bump = TransactionBuilder.buildFeeBumpTransaction(BOB, '300', testChain.signed(payment(UNFUNDED)), PASSPHRASE)
  bump.sign(BOB)
  const { result } = resultOf(testChain.apply(bump))
  assert(result.type === 'txFeeBumpInnerFailed')
  assert.equal(result.innerResultPair.result.result.type, 'txFailed')
})
