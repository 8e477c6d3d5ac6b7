import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Account, Address, Contract, Keypair, nativeToScVal, Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { fc } from '../../test/support/fuzz.ts'
import { createWallet, signChallenge, TEST_PASSPHRASE } from '../../test/support/keys.ts'
import { provesOwnership } from './signed-challenge.ts'

const wallet = createWallet('prover')
const address = wallet.publicKey()
const challengeHex = '0f'.repeat(32)
const good = signChallenge({ challengeHex, signer: wallet })

function proves(envelope: string): boolean {
  return provesOwnership({ envelope, address, challengeHex, networkPassphrase: TEST_PASSPHRASE })
}

test('the specification\'s envelope proves the address', () => {
  assert.ok(proves(good))
})

test('so does the old form of an envelope, whose hash is the new form\'s', () => {
  const envelope = xdr.TransactionEnvelope.fromXdr(good, 'base64')
  assert.ok(envelope.type === 'envelopeTypeTx')
  // Without the envelope's type and the kind of its source, and with the old type.
  const rest = Buffer.from(good, 'base64').subarray(8)
  const old = Buffer.concat([Buffer.from([0, 0, 0, 0]), rest]).toString('base64')
  assert.equal(xdr.TransactionEnvelope.fromXdr(old, 'base64').type, 'envelopeTypeTxV0')
  assert.ok(proves(old))
})

test('property: no text proves anything or throws', () => {
  fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), fc.base64String({ maxLength: 400 })), (text) => {
    assert.equal(proves(text), false)
  }))
})

test('property: an envelope in which any byte is changed proves nothing and does not throw', () => {
  const bytes = Buffer.from(good, 'base64')
  // The four bytes of the hint are nobody's business: every signature is tried.
  const hintAt = bytes.length - 64 - 8
  fc.assert(fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ change
    assert.equal(proves(changed.toString('base64')), at >= hintAt && at < hintAt + 4, `byte ${at}`)
  }), { numRuns: 500 })
})

test('an operation behind the first that is nested however deep does not throw', () => {
  const contract = new Contract(Address.contract(Buffer.alloc(32)).toString())
  const transaction = new TransactionBuilder(new Account(address, '-1'), { fee: '0', networkPassphrase: TEST_PASSPHRASE })
    .addOperation(Operation.manageData({ name: 'api key', value: Buffer.from(challengeHex, 'hex') }))
    .addOperation(contract.call('f', xdr.ScVal.scvVec([nativeToScVal(true)])))
    .setTimeout(0)
    .build()
  transaction.sign(wallet)
  assert.ok(proves(transaction.toXdr()))
  // Written by hand, because the library's own builder refuses to go as deep: a vector of one in a vector of one.
  const vector = Buffer.from([0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 1])
  const bytes = transaction.toEnvelope().toXdr()
  const at = Buffer.from(bytes).indexOf(vector)
  assert.ok(at > 0)
  for (const depth of [...Array.from({ length: 60 }, (_, index) => 250 + index * 5), 1_000, 2_000]) {
    const nested = Buffer.concat([bytes.subarray(0, at), ...Array.from({ length: depth }, () => vector), bytes.subarray(at)])
    assert.equal(proves(nested.toString('base64')), false, `depth ${depth}: the signature is of another transaction`)
  }
})

test('the signature counts for the address that is claimed, and for no other', () => {
  const other = createWallet('other')
  assert.equal(provesOwnership({ envelope: good, address: other.publicKey(), challengeHex, networkPassphrase: TEST_PASSPHRASE }), false)
  const secret = Keypair.fromRawEd25519Seed(Buffer.alloc(32)).secret()
  for (const claimed of ['', 'G'.repeat(56), secret, 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC']) {
    assert.equal(provesOwnership({ envelope: good, address: claimed, challengeHex, networkPassphrase: TEST_PASSPHRASE }), false, claimed)
  }
})
