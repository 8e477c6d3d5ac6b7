import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FeeBumpTransaction, type Keypair, Operation, type Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { SendOutcome } from '../chain.ts'
import { address } from '../contracts/host.ts'
import { ALICE, BOB, COUNTER, PASSPHRASE, payment, startTestChain, type TestChain } from './test-chain.ts'
import { toHex } from './xdr-writer.ts'

/** The hash of an applied transaction is refused for so many ledgers. */
const BANNED_LEDGERS = 10

const send = (world: TestChain, transaction: Transaction | FeeBumpTransaction): SendOutcome => world.chain.send(transaction.toXdr())

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
  using world = startTestChain()
  const transaction = world.classic(payment(BOB))
  assert.deepEqual(send(world, transaction), { status: 'PENDING', hash: toHex(transaction.hash()) })
  assert.equal(world.chain.pending(), 1)
})

test('while it waits it is a DUPLICATE', () => {
  using world = startTestChain()
  const transaction = world.classic(payment(BOB))
  send(world, transaction)
  assert.deepEqual(send(world, transaction), { status: 'DUPLICATE', hash: toHex(transaction.hash()) })
})

test('the inner transaction of a waiting fee bump is a DUPLICATE too', () => {
  using world = startTestChain()
  const inner = world.classic(payment(BOB))
  assert.equal(send(world, bumpOf(inner, 200n)).status, 'PENDING')
  assert.equal(send(world, inner).status, 'DUPLICATE')
})

test('another transaction of an account that has one waiting is told to TRY_AGAIN_LATER, the next one and one of the same number', () => {
  using world = startTestChain()
  const sequence = world.sequenceOf(ALICE) + 1n
  send(world, world.classic(payment(BOB)))
  for (const other of [world.classic(payment(BOB, '2'), { sequence }), world.classic(payment(BOB), { sequence: sequence + 1n })]) {
    assert.deepEqual(send(world, other), { status: 'TRY_AGAIN_LATER', hash: toHex(other.hash()) })
  }
  const call = world.call(COUNTER, 'increment', [address(ALICE.publicKey())])
  assert.equal(send(world, call).status, 'TRY_AGAIN_LATER', 'calls and payments share the one place')
  assert.equal(send(world, world.classic(payment(ALICE), { source: BOB })).status, 'PENDING', 'others may send')
})

test('a number below the waiting one is txBAD_SEQ, and the queue charges nothing', () => {
  using world = startTestChain()
  send(world, world.classic(payment(BOB)))
  const stale = world.classic(payment(BOB), { sequence: world.sequenceOf(ALICE) })
  assert.deepEqual(refusalOf(send(world, stale)), { code: 'txBadSeq', feeCharged: 0n })
})

test('what was applied is told to TRY_AGAIN_LATER for ten ledgers, then that its number is used', () => {
  using world = startTestChain()
  const transaction = world.classic(payment(BOB))
  world.apply(transaction)
  for (let closed = 0; closed < BANNED_LEDGERS; closed++) {
    assert.equal(send(world, transaction).status, 'TRY_AGAIN_LATER', `${closed} ledgers after`)
    world.close()
  }
  assert.deepEqual(refusalOf(send(world, transaction)), { code: 'txBadSeq', feeCharged: 100n })
})

test('what became invalid while it waited is dropped and refused for a while', () => {
  using world = startTestChain()
  const transaction = world.classic(payment(BOB), { timeoutSec: 11 })
  send(world, transaction)
  world.clock.advance(60_000)
  world.close()
  assert.equal(world.chain.history.transaction(toHex(transaction.hash())), undefined)
  assert.equal(send(world, transaction).status, 'TRY_AGAIN_LATER')
})

test('a refusal says which fee the ledger would have charged: the resources and the least bid', () => {
  using world = startTestChain()
  const sequence = world.sequenceOf(ALICE) + 5n
  const classic = world.classic([payment(BOB), payment(BOB)], { sequence, fee: '5000' })
  assert.deepEqual(refusalOf(send(world, classic)), { code: 'txBadSeq', feeCharged: 200n })
  const call = world.ready(COUNTER, 'increment', [address(ALICE.publicKey())], { signers: [BOB] })
  const envelope = call.toEnvelope()
  assert(envelope.type === 'envelopeTypeTx' && envelope.v1.tx.ext.type === 'sorobanData')
  const { resourceFee } = envelope.v1.tx.ext.sorobanData
  assert.deepEqual(refusalOf(send(world, call)), { code: 'txBadAuth', feeCharged: resourceFee + 100n })
  assert.equal(world.chain.pending(), 0)
})

test('a waiting transaction is replaced by a fee bump of ten times its bid, and by nothing less', () => {
  using world = startTestChain()
  const first = world.classic(payment(BOB), { fee: '150' })
  send(world, first)
  const other = world.classic(payment(BOB, '2'), { fee: '150' })
  // A fee bump counts as one operation more: ten times 150 each, for two.
  assert.deepEqual(refusalOf(send(world, bumpOf(other, 1_499n))), { code: 'txInsufficientFee', feeCharged: 3_000n })
  assert.equal(send(world, bumpOf(other, 1_500n)).status, 'PENDING')
  assert.equal(world.chain.pending(), 1)
  assert.equal(send(world, first).status, 'TRY_AGAIN_LATER', 'what was replaced is refused for a while')
  world.close()
  assert.equal(world.record(other).status, 'SUCCESS')
  assert.equal(world.chain.history.transaction(toHex(first.hash())), undefined)
})

test('an envelope that does not decode is refused aloud', () => {
  using world = startTestChain()
  const whole = world.classic(payment(BOB)).toXdr()
  for (const text of ['', 'AAAA', whole.slice(0, -8), 'not base64 at all!']) {
    assert.throws(() => world.chain.send(text), { name: 'RangeError', message: 'invalid_xdr' })
  }
})

test('a refused transaction leaves no trace: the next one of the same number is taken', () => {
  using world = startTestChain()
  const before = { balance: world.balanceOf(ALICE), sequence: world.sequenceOf(ALICE) }
  refusalOf(send(world, world.classic(payment(BOB), { signers: [BOB] })))
  world.close()
  assert.deepEqual({ balance: world.balanceOf(ALICE), sequence: world.sequenceOf(ALICE) }, before)
  assert.equal(world.apply(world.classic(Operation.bumpSequence({ bumpTo: '0' }))).status, 'SUCCESS')
})
