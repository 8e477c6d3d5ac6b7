import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StrKey } from '@stellar/stellar-sdk'
import { fc } from '../../test/support/fuzz.ts'
import { accountPublicKey, isAccountAddress, isContractAddress } from './strkey.ts'

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })

test('property: accepts what the Stellar SDK encodes, by kind', () => {
  fc.assert(fc.property(bytes, (key) => {
    const account = StrKey.encodeEd25519PublicKey(key)
    const contract = StrKey.encodeContract(key)
    assert.deepEqual(accountPublicKey(account), key)
    assert.deepEqual([isAccountAddress(account), isContractAddress(account)], [true, false])
    assert.deepEqual([isAccountAddress(contract), isContractAddress(contract)], [false, true])
    assert.equal(isAccountAddress(StrKey.encodeEd25519SecretSeed(key)), false)
  }))
})

test('property: rejects an address with one changed character', () => {
  fc.assert(fc.property(bytes, fc.nat(55), fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.split('')), (key, at, character) => {
    const address = StrKey.encodeEd25519PublicKey(key)
    const changed = `${address.slice(0, at)}${character}${address.slice(at + 1)}`
    assert.equal(isAccountAddress(changed), changed === address)
  }))
})

test('rejects other lengths, lower case and characters outside the alphabet', () => {
  const address = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'
  assert.ok(isAccountAddress(address))
  for (const wrong of ['', address.slice(1), `${address}A`, address.toLowerCase(), `${address}\n`, ` ${address}`, `${address.slice(0, 55)}1`]) {
    assert.equal(isAccountAddress(wrong), false, wrong)
  }
})
