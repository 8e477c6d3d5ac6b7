import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Keypair, xdr } from '@stellar/stellar-sdk'
import { createChainFixture, rejectsWith } from './test-fixture.ts'

const ADDRESSES = [1, 2, 3].map((byte) => Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(byte)).publicKey())

function keyOf(address: string): string {
  return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: Keypair.fromPublicKey(address).xdrAccountId() })).toXdr('base64')
}

test('returns existing entries as LedgerEntryData in the order of the request', async () => {
  const fake = createChainFixture()
  const [first = '', second = '', missing = ''] = ADDRESSES
  fake.chain.accounts.set(first, { balance: 1n, sequence: 1n })
  fake.chain.accounts.set(second, { balance: 2n, sequence: 1n })
  const { entries, latestLedger } = await fake.call('getLedgerEntries', { keys: [keyOf(second), keyOf(missing), keyOf(first)] })
  assert.equal(latestLedger, 1)
  const served = entries as Record<string, unknown>[]
  assert.deepEqual(served.map((entry) => entry['key']), [keyOf(second), keyOf(first)])
  assert.deepEqual(Object.keys(served[0] ?? {}), ['key', 'xdr', 'lastModifiedLedgerSeq', 'extXdr'])
  const data = xdr.LedgerEntryData.fromXdr(String(served[0]?.['xdr']), 'base64')
  assert.equal(data.type === 'account' && data.account.balance, 2n)
})

test('returns no entries for no keys', async () => {
  const fake = createChainFixture()
  for (const params of [undefined, {}, { keys: null }, { keys: [] }]) {
    assert.deepEqual(await fake.call('getLedgerEntries', params), { entries: [], latestLedger: 1 })
  }
})

test('rejects invalid requests', async () => {
  const fake = createChainFixture()
  const key = keyOf(ADDRESSES[0] ?? '')
  const ttl = xdr.LedgerKey.ttl(new xdr.LedgerKeyTtl({ keyHash: new Uint8Array(32) })).toXdr('base64')
  await rejectsWith(fake.call('getLedgerEntries', { keys: [ttl] }), -32602, 'ledger ttl entries cannot be queried directly')
  await rejectsWith(fake.call('getLedgerEntries', { keys: [key, 'AAAA'] }), -32602, 'cannot unmarshal key value AAAA at index 1')
  const many = Array.from({ length: 201 }, () => key)
  await rejectsWith(fake.call('getLedgerEntries', { keys: many }), -32602, 'key count (201) exceeds maximum supported (200)')
  await rejectsWith(fake.call('getLedgerEntries', { keys: [1] }), -32602, 'invalid parameters: keys[0] must be a string')
  await rejectsWith(fake.call('getLedgerEntries', { keys: 'x' }), -32602, 'invalid parameters: keys must be an array')
})
