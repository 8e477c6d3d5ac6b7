import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hash, Keypair } from '@stellar/stellar-sdk'
import { createIdentity } from './identity.ts'

const STANDALONE = 'Standalone Network ; February 2017'

test('the root account is derived from the passphrase as on every Stellar network', () => {
  const root = createIdentity(STANDALONE, '')
  assert.equal(root.address, 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI')
  assert.equal(root.secret, 'SC5O7VZUXDJ6JBDSZ74DSERXL7W3Y5LTOAMRF7RQRL3TAGAPS7LUVG3L')
})

test('signatures verify with the SDK, and each role has its own key', () => {
  const keeper = createIdentity(STANDALONE, 'keeper')
  const message = hash(new TextEncoder().encode('anything'))
  assert(Keypair.fromPublicKey(keeper.address).verify(message, keeper.sign(message)))
  assert.equal(Keypair.fromSecret(keeper.secret).publicKey(), keeper.address)
  assert.notEqual(createIdentity(STANDALONE, 'admin').address, keeper.address)
  assert.notEqual(createIdentity('Test SDF Network ; September 2015', 'keeper').address, keeper.address)
})
