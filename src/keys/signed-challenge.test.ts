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

test('accepts the specification\'s envelope', () => {
  assert.ok(proves(good))
})

test('accepts a V0 envelope, which has the same hash', () => {
  const envelope = xdr.TransactionEnvelope.fromXdr(good, 'base64')
  assert.ok(envelope.type === 'envelopeTypeTx')
  // Replaces the envelope type and the source's key type by the V0 envelope type.
  const rest = Buffer.from(good, 'base64').subarray(8)
  const old = Buffer.concat([Buffer.from([0, 0, 0, 0]), rest]).toString('base64')
  assert.equal(xdr.TransactionEnvelope.fromXdr(old, 'base64').type, 'envelopeTypeTxV0')
  assert.ok(proves(old))
})

test('property: rejects arbitrary text without throwing', () => {
  fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), fc.base64String({ maxLength: 400 })), (text) => {
    assert.equal(proves(text), false)
  }))
})

test('property: rejects an envelope with any changed byte without throwing', () => {
  const bytes = Buffer.from(good, 'base64')
  // The four bytes of the hint are ignored: all signatures are tried.
  const hintAt = bytes.length - 64 - 8
  fc.assert(fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ change
    assert.equal(proves(changed.toString('base64')), at >= hintAt && at < hintAt + 4, `byte ${at}`)
  }), { numRuns: 500 })
})

test('rejects a deeply nested second operation without throwing', () => {
  const contract = new Contract(Address.contract(Buffer.alloc(32)).toString())
  const transaction = new TransactionBuilder(new Account(address, '-1'), { fee: '0', networkPassphrase: TEST_PASSPHRASE })
    .addOperation(Operation.manageData({ name: 'api key', value: Buffer.from(challengeHex, 'hex') }))
    .addOperation(contract.call('f', xdr.ScVal.scvVec([nativeToScVal(true)])))
    .setTimeout(0)
    .build()
  transaction.sign(wallet)
  assert.ok(proves(transaction.toXdr()))
  // The library cannot build such a deep nesting: encodes one-element vectors by hand.
  const vector = Buffer.from([0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 1])
  const bytes = transaction.toEnvelope().toXdr()
  const at = Buffer.from(bytes).indexOf(vector)
  assert.ok(at > 0)
  for (const depth of [...Array.from({ length: 60 }, (_, index) => 250 + index * 5), 1_000, 2_000]) {
    const nested = Buffer.concat([bytes.subarray(0, at), ...Array.from({ length: depth }, () => vector), bytes.subarray(at)])
    assert.equal(proves(nested.toString('base64')), false, `depth ${depth}: the signature is of another transaction`)
  }
})

test('accepts a signature for the claimed address only', () => {
  const other = createWallet('other')
  assert.equal(provesOwnership({ envelope: good, address: other.publicKey(), challengeHex, networkPassphrase: TEST_PASSPHRASE }), false)
  const secret = Keypair.fromRawEd25519Seed(Buffer.alloc(32)).secret()
  for (const claimed of ['', 'G'.repeat(56), secret, 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC']) {
    assert.equal(provesOwnership({ envelope: good, address: claimed, challengeHex, networkPassphrase: TEST_PASSPHRASE }), false, claimed)
  }
})
