import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FeeBumpTransaction, type Keypair, Operation, type Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { SendOutcome } from '../chain.ts'
import { address } from '../contracts/host.ts'
import { ALICE, BOB, COUNTER, PASSPHRASE, payment, startTestChain, type TestChain } from './test-chain.ts'
import { toHex } from './xdr-writer.ts'

/** The hash of an applied transaction is refused for so many ledgers. */
const BANNED_LEDGERS = 10

const send = (testChain: TestChain, transaction: Transaction | FeeBumpTransaction): SendOutcome => testChain.chain.send(transaction.toXdr())

function refusalOf(outcome: SendOutcome): { readonly code: string; readonly feeCharged: bigint } {
  assert.equal(outcome.status, 'ERROR')
  const { feeCharged, result } = xdr.TransactionResult.fromXdr(outcome.errorResultXdr ?? '', 'base64')
  return { code: result.type, feeCharged }
}

function bumpOf(inner: Transaction, feePerOperation: bigint, source: Keypair = BOB): FeeBumpTransaction {
  const bump = TransactionBuilder.buildFeeBumpTransaction(source, feePerOperation.toString(), inner, PASSPHRASE)
  bump.sign(source)
  return bump
}

test('a good transaction is PENDING under the hash that its sender knows, and nothing more is said of it', () => {
  using testChain = startTestChain()
  const transaction = testChain.signed(payment(BOB))
  assert.deepEqual(send(testChain, transaction), { status: 'PENDING', hash: toHex(transaction.hash()) })
  assert.equal(testChain.chain.pending(), 1)
})

test('while it waits it is a DUPLICATE', () => {
  using testChain = startTestChain()
  const transaction = testChain.signed(payment(BOB))
  send(testChain, transaction)
  assert.deepEqual(send(testChain, transaction), { status: 'DUPLICATE', hash: toHex(transaction.hash()) })
})

test('the inner transaction of a waiting fee bump is a DUPLICATE too', () => {
  using testChain = startTestChain()
  const inner = testChain.signed(payment(BOB))
  assert.equal(send(testChain, bumpOf(inner, 200n)).status, 'PENDING')
  assert.equal(send(testChain, inner).status, 'DUPLICATE')
})

test('another transaction of an account that has one waiting is told to TRY_AGAIN_LATER, the next one and one of the same number', () => {
  using testChain = startTestChain()
  const sequence = testChain.sequenceOf(ALICE) + 1n
  send(testChain, testChain.signed(payment(BOB)))
  for (const other of [testChain.signed(payment(BOB, '2'), { sequence }), testChain.signed(payment(BOB), { sequence: sequence + 1n })]) {
    assert.deepEqual(send(testChain, other), { status: 'TRY_AGAIN_LATER', hash: toHex(other.hash()) })
  }
  const call = testChain.call(COUNTER, 'increment', [address(ALICE.publicKey())])
  assert.equal(send(testChain, call).status, 'TRY_AGAIN_LATER', 'calls and payments share the one place')
  assert.equal(send(testChain, testChain.signed(payment(ALICE), { source: BOB })).status, 'PENDING', 'others may send')
})

test('a number below the waiting one is txBAD_SEQ, and the queue charges nothing', () => {
  using testChain = startTestChain()
  send(testChain, testChain.signed(payment(BOB)))
  const stale = testChain.signed(payment(BOB), { sequence: testChain.sequenceOf(ALICE) })
  assert.deepEqual(refusalOf(send(testChain, stale)), { code: 'txBadSeq', feeCharged: 0n })
})

test('what was applied is told to TRY_AGAIN_LATER for ten ledgers, then that its number is used', () => {
  using testChain = startTestChain()
  const transaction = testChain.signed(payment(BOB))
  testChain.apply(transaction)
  for (let closed = 0; closed < BANNED_LEDGERS; closed++) {
    assert.equal(send(testChain, transaction).status, 'TRY_AGAIN_LATER', `${closed} ledgers after`)
    testChain.close()
  }
  assert.deepEqual(refusalOf(send(testChain, transaction)), { code: 'txBadSeq', feeCharged: 100n })
})

test('what became invalid while it waited is dropped and refused for a while', () => {
  using testChain = startTestChain()
  const transaction = testChain.signed(payment(BOB), { timeoutSec: 11 })
  send(testChain, transaction)
  testChain.clock.advance(60_000)
  testChain.close()
  assert.equal(testChain.chain.history.transaction(toHex(transaction.hash())), undefined)
  assert.equal(send(testChain, transaction).status, 'TRY_AGAIN_LATER')
})

test('a refusal says which fee the ledger would have charged: the resources and the least bid', () => {
  using testChain = startTestChain()
  const sequence = testChain.sequenceOf(ALICE) + 5n
  const classic = testChain.signed([payment(BOB), payment(BOB)], { sequence, fee: '5000' })
  assert.deepEqual(refusalOf(send(testChain, classic)), { code: 'txBadSeq', feeCharged: 200n })
  const call = testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())], { signers: [BOB] })
  const envelope = call.toEnvelope()
  assert(envelope.type === 'envelopeTypeTx' && envelope.v1.tx.ext.type === 'sorobanData')
  const { resourceFee } = envelope.v1.tx.ext.sorobanData
  assert.deepEqual(refusalOf(send(testChain, call)), { code: 'txBadAuth', feeCharged: resourceFee + 100n })
  assert.equal(testChain.chain.pending(), 0)
})

test('a waiting transaction is replaced by a fee bump of ten times its bid, and by nothing less', () => {
  using testChain = startTestChain()
  const first = testChain.signed(payment(BOB), { fee: '150' })
  send(testChain, first)
  const other = testChain.signed(payment(BOB, '2'), { fee: '150' })
  // A fee bump counts as one operation more: ten times 150 each, for two.
  assert.deepEqual(refusalOf(send(testChain, bumpOf(other, 1_499n))), { code: 'txInsufficientFee', feeCharged: 3_000n })
  assert.equal(send(testChain, bumpOf(other, 1_500n)).status, 'PENDING')
  assert.equal(testChain.chain.pending(), 1)
  assert.equal(send(testChain, first).status, 'TRY_AGAIN_LATER', 'what was replaced is refused for a while')
  testChain.close()
  assert.equal(testChain.recordOf(other).status, 'SUCCESS')
  assert.equal(testChain.chain.history.transaction(toHex(first.hash())), undefined)
})

test('an envelope that does not decode is refused aloud', () => {
  using testChain = startTestChain()
  const whole = testChain.signed(payment(BOB)).toXdr()
  for (const text of ['', 'AAAA', whole.slice(0, -8), 'not base64 at all!']) {
    assert.throws(() => testChain.chain.send(text), { name: 'RangeError', message: 'invalid_xdr' })
  }
})

test('a refused transaction leaves no trace: the next one of the same number is taken', () => {
  using testChain = startTestChain()
  const before = { balance: testChain.balanceOf(ALICE), sequence: testChain.sequenceOf(ALICE) }
  refusalOf(send(testChain, testChain.signed(payment(BOB), { signers: [BOB] })))
  testChain.close()
  assert.deepEqual({ balance: testChain.balanceOf(ALICE), sequence: testChain.sequenceOf(ALICE) }, before)
  assert.equal(testChain.apply(testChain.signed(Operation.bumpSequence({ bumpTo: '0' }))).status, 'SUCCESS')
})
