import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Keypair, Operation, type Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { ALICE, BOB, ISSUER, payment, startTestChain, type TestChain, testKeypair, UNFUNDED } from './test-chain.ts'
import { verifySignature } from './signatures.ts'

function codeOf(testChain: TestChain, transaction: Transaction): string {
  const { status, errorResultXdr } = testChain.chain.send(transaction.toXdr())
  return errorResultXdr === undefined ? status : xdr.TransactionResult.fromXdr(errorResultXdr, 'base64').result.type
}

const signedBy = (testChain: TestChain, ...signers: readonly Keypair[]): Transaction => testChain.signed(payment(BOB), { signers })

/** ALICE's account has three signers: her key weighs 1, BOB's 2, ISSUER's 1. A payment needs 3. */
function startWithSharedAccount(options: Parameters<typeof Operation.setOptions>[0] = {}): TestChain {
  const testChain = startTestChain()
  const signer = (key: Keypair, weight: number) => Operation.setOptions({ signer: { ed25519PublicKey: key.publicKey(), weight } })
  const thresholds = Operation.setOptions({ lowThreshold: 1, medThreshold: 3, highThreshold: 5, ...options })
  assert.equal(testChain.apply(testChain.signed([signer(BOB, 2), signer(ISSUER, 1), thresholds])).status, 'SUCCESS')
  return testChain
}

test('rejects signatures of another key, another network or other bytes, and missing signatures', () => {
  using testChain = startTestChain()
  assert.equal(codeOf(testChain, signedBy(testChain)), 'txBadAuth')
  assert.equal(codeOf(testChain, signedBy(testChain, BOB)), 'txBadAuth')
  const foreign = TransactionBuilder.cloneFrom(signedBy(testChain), { fee: '100', networkPassphrase: 'Another network' }).build()
  foreign.sign(ALICE)
  assert.equal(codeOf(testChain, foreign), 'txBadAuth')
  const good = signedBy(testChain, ALICE)
  const bytes = Buffer.from(good.toXdr(), 'base64')
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
  const { errorResultXdr } = testChain.chain.send(bytes.toString('base64'))
  assert.equal(xdr.TransactionResult.fromXdr(errorResultXdr ?? '', 'base64').result.type, 'txBadAuth')
  assert.equal(codeOf(testChain, good), 'PENDING')
})

test('rejects a transaction that was changed after signing', () => {
  using testChain = startTestChain()
  const bytes = Buffer.from(signedBy(testChain, ALICE).toXdr(), 'base64')
  // The fee follows the envelope type and the source account.
  bytes.writeUInt32BE(5_000, 40)
  const { errorResultXdr } = testChain.chain.send(bytes.toString('base64'))
  assert.equal(xdr.TransactionResult.fromXdr(errorResultXdr ?? '', 'base64').result.type, 'txBadAuth')
})

test('rejects unused signatures, whether duplicate or of another account', () => {
  using testChain = startTestChain()
  assert.equal(codeOf(testChain, signedBy(testChain, ALICE, UNFUNDED)), 'txBadAuthExtra')
  assert.equal(codeOf(testChain, signedBy(testChain, ALICE, ALICE)), 'txBadAuthExtra')
})

test('adds up signer weights to the threshold of the operation', () => {
  using testChain = startWithSharedAccount()
  const result = (...signers: readonly Keypair[]) => codeOf(testChain, signedBy(testChain, ...signers))
  assert.equal(result(ALICE), 'txFailed', 'enough for the transaction, not for the payment')
  assert.equal(result(BOB), 'txFailed')
  assert.equal(result(ALICE, ISSUER), 'txFailed')
  assert.equal(result(ALICE, ALICE, ALICE), 'txFailed', 'repeated signatures of a key count once')
  assert.equal(result(ALICE, BOB, ISSUER), 'txBadAuthExtra', 'the third signature was not needed')
  assert.equal(result(BOB, ISSUER), 'PENDING', 'without the master key')
})

test('changing signers needs the high threshold, changing the home domain the medium one', () => {
  using testChain = startWithSharedAccount({ highThreshold: 4 })
  const signers = [ALICE, BOB]
  const weight = testChain.signed(Operation.setOptions({ masterWeight: 9 }), { signers })
  assert.equal(codeOf(testChain, weight), 'txFailed')
  const domain = testChain.signed(Operation.setOptions({ homeDomain: 'example.org' }), { signers })
  assert.equal(codeOf(testChain, domain), 'PENDING')
})

test('a master key with weight 0 cannot sign, nor can a removed signer', () => {
  using testChain = startWithSharedAccount({ masterWeight: 0, medThreshold: 2, highThreshold: 2 })
  assert.equal(codeOf(testChain, signedBy(testChain, ALICE)), 'txBadAuth')
  const removal = Operation.setOptions({ signer: { ed25519PublicKey: ISSUER.publicKey(), weight: 0 } })
  assert.equal(testChain.apply(testChain.signed(removal, { signers: [BOB] })).status, 'SUCCESS')
  assert.equal(codeOf(testChain, signedBy(testChain, ISSUER)), 'txBadAuth')
  assert.equal(testChain.account(ALICE).signers.length, 1)
})

test('a key with weight 0 cannot sign even when the threshold is 0', () => {
  using testChain = startTestChain()
  const handOver = Operation.setOptions({ masterWeight: 0, signer: { ed25519PublicKey: BOB.publicKey(), weight: 1 } })
  testChain.apply(testChain.signed(handOver))
  assert.deepEqual([...testChain.account(ALICE).thresholds.value], [0, 0, 0, 0])
  assert.equal(codeOf(testChain, signedBy(testChain, ALICE)), 'txBadAuth')
  assert.equal(codeOf(testChain, signedBy(testChain, BOB)), 'PENDING')
})

test('requires the signatures of extra signers', () => {
  using testChain = startTestChain()
  const required = (...signers: readonly Keypair[]): Transaction => {
    const plain = testChain.build(payment(BOB))
    const builder = TransactionBuilder.cloneFrom(plain, { fee: '100', networkPassphrase: plain.networkPassphrase })
    const transaction = builder.setExtraSigners([testKeypair(6).publicKey()]).build()
    transaction.sign(...signers)
    return transaction
  }
  assert.equal(codeOf(testChain, required(ALICE)), 'txBadAuth')
  assert.equal(codeOf(testChain, required(ALICE, testKeypair(6))), 'PENDING')
})

test('caches verification results per message, key and signature', () => {
  const message = new Uint8Array(32).fill(5)
  const signature = new Uint8Array(ALICE.sign(message))
  for (let time = 0; time < 2; time++) {
    assert.equal(verifySignature(ALICE.publicKey(), message, signature), true)
    assert.equal(verifySignature(BOB.publicKey(), message, signature), false)
    assert.equal(verifySignature(ALICE.publicKey(), new Uint8Array(32).fill(6), signature), false)
    assert.equal(verifySignature(ALICE.publicKey(), message, signature.slice(0, 63)), false)
  }
})
