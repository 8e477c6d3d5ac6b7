import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Keypair, StrKey } from '@stellar/stellar-sdk'
import { createChainFixture, FAKE_PASSPHRASE } from './test-fixture.ts'
import type { ChainFixture } from './test-fixture.ts'
import { rootKeypair } from './friendbot.ts'
import type { HttpResponse } from './http-response.ts'

const TEN_THOUSAND = 100_000_000_000n
const addressOf = (byte: number): string => Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(byte)).publicKey()

function doorWithRoot(): ChainFixture {
  const fake = createChainFixture()
  fake.chain.accounts.set(rootKeypair(FAKE_PASSPHRASE).publicKey(), { balance: 10n ** 18n, sequence: 0n })
  return fake
}

function fund(fake: ChainFixture, address: string): Promise<HttpResponse> {
  assert.ok(fake.rpc.friendbot !== null)
  return fake.rpc.friendbot(address)
}

const bodyOf = (answer: HttpResponse): Record<string, unknown> => JSON.parse(answer.body ?? '') as Record<string, unknown>

test('the root account is the one derived from the passphrase', () => {
  assert.equal(rootKeypair('Standalone Network ; February 2017').publicKey(), 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI')
})

test('funds a new account with a transaction that getTransaction finds at once', async () => {
  const fake = doorWithRoot()
  const answer = fund(fake, addressOf(1))
  assert.equal(fake.chain.pending(), 1)
  fake.chain.closeLedger()
  const { status, body } = await answer
  assert.equal(status, 200)
  const { successful, hash, envelope_xdr: envelope } = JSON.parse(body ?? '') as { successful: boolean; hash: string; envelope_xdr: string }
  assert.deepEqual([successful, envelope], [true, fake.chain.sent[0]])
  assert.equal((await fake.call('getTransaction', { hash }))['status'], 'SUCCESS')
  assert.equal(fake.chain.accounts.get(addressOf(1))?.balance, TEN_THOUSAND)
  assert.equal(fake.clock.pendingTimers(), 0)
})

test('requests during a pending transaction share the next one', async () => {
  const fake = doorWithRoot()
  const answers = Promise.all([1, 2, 3, 4].map((byte) => fund(fake, addressOf(byte))))
  fake.chain.closeLedger()
  fake.chain.closeLedger()
  assert.deepEqual((await answers).map((answer) => answer.status), [200, 200, 200, 200])
  assert.equal(fake.chain.sent.length, 2)
})

test('rejects an account with the starting balance, and funds one with less', async () => {
  const fake = doorWithRoot()
  fake.chain.accounts.set(addressOf(1), { balance: TEN_THOUSAND, sequence: 1n })
  fake.chain.accounts.set(addressOf(2), { balance: TEN_THOUSAND - 1n, sequence: 1n })
  const refused = await fund(fake, addressOf(1))
  assert.deepEqual([refused.status, refused.headers['content-type']], [400, 'application/problem+json; charset=utf-8'])
  assert.equal(bodyOf(refused)['detail'], 'account already funded to starting balance')
  const paid = fund(fake, addressOf(2))
  fake.chain.closeLedger()
  assert.equal((await paid).status, 200)
  assert.equal(fake.chain.accounts.get(addressOf(2))?.balance, 2n * TEN_THOUSAND - 1n)
})

test('still funds the others when someone else creates one of the accounts', async () => {
  const fake = doorWithRoot()
  const first = fund(fake, addressOf(9))
  const others = Promise.all([fund(fake, addressOf(1)), fund(fake, addressOf(2))])
  fake.chain.closeLedger()
  await first
  fake.chain.accounts.set(addressOf(1), { balance: TEN_THOUSAND, sequence: 1n })
  fake.chain.closeLedger()
  fake.chain.closeLedger()
  assert.deepEqual((await others).map((answer) => answer.status), [400, 200])
})

test('waits for the next ledger while the payer has another pending transaction', async () => {
  const fake = doorWithRoot()
  fake.chain.sendResults.push('TRY_AGAIN_LATER')
  const answer = fund(fake, addressOf(1))
  assert.equal(fake.chain.pending(), 0)
  fake.chain.closeLedger()
  assert.equal(fake.chain.pending(), 1)
  fake.chain.closeLedger()
  assert.equal((await answer).status, 200)
})

test('responds with an error for a rejected transaction, a missing payer and a dropped transaction', async () => {
  const refusing = doorWithRoot()
  refusing.chain.sendResults.push('ERROR')
  assert.equal((await fund(refusing, addressOf(1))).status, 503)

  assert.match(String(bodyOf(await fund(createChainFixture(), addressOf(1)))['detail']), /does not exist/)

  const dropping = doorWithRoot()
  dropping.chain.sendResults.push('DUPLICATE', 'DUPLICATE', 'DUPLICATE')
  const answer = fund(dropping, addressOf(1))
  for (let count = 0; count < 30; count++) dropping.chain.closeLedger()
  assert.equal((await answer).status, 503)
})

test('responds 504 after 30 seconds without a ledger', async () => {
  const fake = doorWithRoot()
  const answer = fund(fake, addressOf(1))
  fake.clock.advance(29_999)
  assert.equal(fake.clock.pendingTimers(), 1)
  fake.clock.advance(1)
  assert.equal((await answer).status, 504)
})

test('rejects invalid account addresses', async () => {
  const fake = doorWithRoot()
  for (const address of ['', 'GABC', addressOf(1).toLowerCase(), StrKey.encodeContract(new Uint8Array(32))]) {
    const answer = await fund(fake, address)
    assert.deepEqual([answer.status, (bodyOf(answer)['extras'] as { invalid_field: string }).invalid_field], [400, 'addr'])
  }
})
