import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FeeBumpTransaction, type Keypair, Operation, type Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { SendOutcome } from '../chain.ts'
import { address } from '../contracts/shared/host.ts'
import { ALICE, BOB, COUNTER, PASSPHRASE, payment, startTestChain, type TestChain } from './test-chain.ts'
import { toHex } from './xdr-writer.ts'

/** The queue rejects the hash of an applied transaction for this many ledgers. */
const BANNED_LEDGERS = 10

const send = (testChain: TestChain, transaction: Transaction | FeeBumpTransaction): SendOutcome => testChain.chain.send(transaction.toXdr())

function rejectionOf(outcome: SendOutcome): { readonly code: string; readonly feeCharged: bigint } {
  assert.equal(outcome.status, 'ERROR')
  const { feeCharged, result } = xdr.TransactionResult.fromXdr(outcome.errorResultXdr ?? '', 'base64')
  return { code: result.type, feeCharged }
}

function bumpOf(inner: Transaction, feePerOperation: bigint, source: Keypair = BOB): FeeBumpTransaction {
  const bump = TransactionBuilder.buildFeeBumpTransaction(source, feePerOperation.toString(), inner, PASSPHRASE)
  bump.sign(source)
  return bump
}

test('accepts a valid transaction as PENDING and returns only its hash', () => {
  using testChain = startTestChain()
  const transaction = testChain.signed(payment(BOB))
  assert.deepEqual(send(testChain, transaction), { status: 'PENDING', hash: toHex(transaction.hash()) })
  assert.equal(testChain.chain.pending(), 1)
})

test('returns DUPLICATE for a queued transaction', () => {
  using testChain = startTestChain()
  const transaction = testChain.signed(payment(BOB))
  send(testChain, transaction)
  assert.deepEqual(send(testChain, transaction), { status: 'DUPLICATE', hash: toHex(transaction.hash()) })
})

test('returns DUPLICATE for the inner transaction of a queued fee bump', () => {
  using testChain = startTestChain()
  const inner = testChain.signed(payment(BOB))
  assert.equal(send(testChain, bumpOf(inner, 200n)).status, 'PENDING')
  assert.equal(send(testChain, inner).status, 'DUPLICATE')
})

test('returns TRY_AGAIN_LATER while the account has a queued transaction, for the same and the next sequence number', () => {
  using testChain = startTestChain()
  const sequence = testChain.sequenceOf(ALICE) + 1n
  send(testChain, testChain.signed(payment(BOB)))
  for (const other of [testChain.signed(payment(BOB, '2'), { sequence }), testChain.signed(payment(BOB), { sequence: sequence + 1n })]) {
    assert.deepEqual(send(testChain, other), { status: 'TRY_AGAIN_LATER', hash: toHex(other.hash()) })
  }
  const call = testChain.call(COUNTER, 'increment', [address(ALICE.publicKey())])
  assert.equal(send(testChain, call).status, 'TRY_AGAIN_LATER', 'classic and Soroban transactions share the limit')
  assert.equal(send(testChain, testChain.signed(payment(ALICE), { source: BOB })).status, 'PENDING', 'other accounts can send')
})

test('returns txBAD_SEQ with feeCharged 0 for a sequence number below the queued one', () => {
  using testChain = startTestChain()
  send(testChain, testChain.signed(payment(BOB)))
  const stale = testChain.signed(payment(BOB), { sequence: testChain.sequenceOf(ALICE) })
  assert.deepEqual(rejectionOf(send(testChain, stale)), { code: 'txBadSeq', feeCharged: 0n })
})

test('returns TRY_AGAIN_LATER for ten ledgers after a transaction was applied, then txBAD_SEQ', () => {
  using testChain = startTestChain()
  const transaction = testChain.signed(payment(BOB))
  testChain.apply(transaction)
  for (let closed = 0; closed < BANNED_LEDGERS; closed++) {
    assert.equal(send(testChain, transaction).status, 'TRY_AGAIN_LATER', `${closed} ledgers after`)
    testChain.close()
  }
  assert.deepEqual(rejectionOf(send(testChain, transaction)), { code: 'txBadSeq', feeCharged: 100n })
})

test('drops and bans a queued transaction that became invalid', () => {
  using testChain = startTestChain()
  const transaction = testChain.signed(payment(BOB), { timeoutSec: 11 })
  send(testChain, transaction)
  testChain.clock.advance(60_000)
  testChain.close()
  assert.equal(testChain.chain.history.transaction(toHex(transaction.hash())), undefined)
  assert.equal(send(testChain, transaction).status, 'TRY_AGAIN_LATER')
})

test('a rejection reports the resource fee plus the minimum inclusion fee as feeCharged', () => {
  using testChain = startTestChain()
  const sequence = testChain.sequenceOf(ALICE) + 5n
  const classic = testChain.signed([payment(BOB), payment(BOB)], { sequence, fee: '5000' })
  assert.deepEqual(rejectionOf(send(testChain, classic)), { code: 'txBadSeq', feeCharged: 200n })
  const call = testChain.prepare(COUNTER, 'increment', [address(ALICE.publicKey())], { signers: [BOB] })
  const envelope = call.toEnvelope()
  assert(envelope.type === 'envelopeTypeTx' && envelope.v1.tx.ext.type === 'sorobanData')
  const { resourceFee } = envelope.v1.tx.ext.sorobanData
  assert.deepEqual(rejectionOf(send(testChain, call)), { code: 'txBadAuth', feeCharged: resourceFee + 100n })
  assert.equal(testChain.chain.pending(), 0)
})

test('replaces a queued transaction only by a fee bump of at least ten times its inclusion fee', () => {
  using testChain = startTestChain()
  const first = testChain.signed(payment(BOB), { fee: '150' })
  send(testChain, first)
  const other = testChain.signed(payment(BOB, '2'), { fee: '150' })
  // A fee bump counts as one more operation: ten times 150 stroops each, for two.
  assert.deepEqual(rejectionOf(send(testChain, bumpOf(other, 1_499n))), { code: 'txInsufficientFee', feeCharged: 3_000n })
  assert.equal(send(testChain, bumpOf(other, 1_500n)).status, 'PENDING')
  assert.equal(testChain.chain.pending(), 1)
  assert.equal(send(testChain, first).status, 'TRY_AGAIN_LATER', 'the replaced transaction is banned')
  testChain.close()
  assert.equal(testChain.recordOf(other).status, 'SUCCESS')
  assert.equal(testChain.chain.history.transaction(toHex(first.hash())), undefined)
})

test('throws RangeError for an envelope that does not decode', () => {
  using testChain = startTestChain()
  const whole = testChain.signed(payment(BOB)).toXdr()
  for (const text of ['', 'AAAA', whole.slice(0, -8), 'not base64 at all!']) {
    assert.throws(() => testChain.chain.send(text), { name: 'RangeError', message: 'invalid_xdr' })
  }
})

test('a rejected transaction leaves no trace: its sequence number is still available', () => {
  using testChain = startTestChain()
  const before = { balance: testChain.balanceOf(ALICE), sequence: testChain.sequenceOf(ALICE) }
  rejectionOf(send(testChain, testChain.signed(payment(BOB), { signers: [BOB] })))
  testChain.close()
  assert.deepEqual({ balance: testChain.balanceOf(ALICE), sequence: testChain.sequenceOf(ALICE) }, before)
  assert.equal(testChain.apply(testChain.signed(Operation.bumpSequence({ bumpTo: '0' }))).status, 'SUCCESS')
})
