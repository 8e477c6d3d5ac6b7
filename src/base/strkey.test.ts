import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StrKey } from '@stellar/stellar-sdk'
import { fc } from '../../test/support/fuzz.ts'
import {
  accountPublicKey, decodeMuxed, encodeAccount, encodeClaimableBalance, encodeContract, encodeLiquidityPool, encodeMuxedAccount, encodeMuxedContract,
  isAccountAddress, isAddress, isContractAddress,
} from './strkey.ts'

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const id = fc.uint8Array({ minLength: 8, maxLength: 8 })

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

test('property: encodes the addresses that the Stellar SDK knows like it', () => {
  fc.assert(fc.property(bytes, id, (key, user) => {
    assert.equal(encodeAccount(key), StrKey.encodeEd25519PublicKey(key))
    assert.equal(encodeContract(key), StrKey.encodeContract(key))
    assert.equal(encodeMuxedAccount(key, user), StrKey.encodeMed25519PublicKey(Uint8Array.of(...key, ...user)))
    assert.equal(encodeClaimableBalance(key), StrKey.encodeClaimableBalance(Uint8Array.of(0, ...key)))
    assert.equal(encodeLiquidityPool(key), StrKey.encodeLiquidityPool(key))
  }))
})

const MUXED_CONTRACT = 'WCVSPNZJ3HGEZMOABFQHABCGSJAVT2JJRUHZKKXOHVKUBC4OBMNXCABAAAAAAAAAAGQOA'
const ITS_CONTRACT = 'CCVSPNZJ3HGEZMOABFQHABCGSJAVT2JJRUHZKKXOHVKUBC4OBMNXDK7T'

test('reads the contract and the id of a muxed contract address, and writes it', () => {
  assert.deepEqual(decodeMuxed(MUXED_CONTRACT), { kind: 'contract', address: ITS_CONTRACT, id: 2n ** 53n + 1n })
  assert.equal(encodeMuxedContract(StrKey.decodeContract(ITS_CONTRACT), Buffer.from('0020000000000001', 'hex')), MUXED_CONTRACT)
  const zero = 'WAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADCKU'
  assert.equal(encodeMuxedContract(new Uint8Array(32), new Uint8Array(8)), zero)
})

test('property: reads back what it encodes, and never takes a muxed address for an account or a contract', () => {
  fc.assert(fc.property(bytes, id, fc.nat(68), fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.split('')), (key, user, at, character) => {
    const number = Buffer.from(user).readBigUInt64BE()
    const [account, contract] = [encodeMuxedAccount(key, user), encodeMuxedContract(key, user)]
    assert.deepEqual(decodeMuxed(account), { kind: 'account', address: encodeAccount(key), id: number })
    assert.deepEqual(decodeMuxed(contract), { kind: 'contract', address: encodeContract(key), id: number })
    for (const text of [account, contract]) {
      assert.ok(!isAddress(text))
      const changed = `${text.slice(0, at)}${character}${text.slice(at + 1)}`
      assert.equal(decodeMuxed(changed) === undefined, changed !== text)
    }
    assert.equal(decodeMuxed(encodeAccount(key)), undefined)
  }))
})
