// Attempts to obtain a key without a proof, or several keys for one proof, from the running program.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Account, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import type { Keypair } from '@stellar/stellar-sdk'
import { startAttacked } from './attack.ts'
import type { Attacked } from './attack.ts'
import { DEFECTIVE_CLAIMS } from '../api/defective-claims.ts'
import type { Claim } from '../api/defective-claims.ts'
import { createWallet, signChallenge, TEST_PASSPHRASE } from '../support/keys.ts'
import { withoutMessage } from '../support/without-message.ts'

let attacked: Attacked
before(async () => {
  attacked = await startAttacked()
})
after(() => attacked[Symbol.asyncDispose]())

/** Reads the key list with a key of the owner. */
async function countKeys(key: { readonly keyId: string; readonly secret: string }): Promise<number> {
  const { status, text } = await attacked.call('/v1/keys?limit=100', { key })
  assert.equal(status, 200, text)
  return (JSON.parse(text) as { readonly keys: readonly unknown[] }).keys.length
}

const RACING = 50

for (const [what, fromOf] of [
  ['from one address', (): (() => string) => {
    const address = attacked.newAddress()
    return () => address
  }],
  ['from as many addresses', (): (() => string) => () => attacked.newAddress()],
] as const) {
  test(`${RACING} racing uses of one challenge ${what} yield exactly one key`, async () => {
    const wallet = createWallet(`racing ${what}`)
    const address = wallet.publicKey()
    const from = fromOf()
    const challenge = await attacked.challenge(address, from())
    const body = { address, challenge, signature: signChallenge({ challengeHex: challenge, signer: wallet }) }
    const responses = await Promise.all(Array.from({ length: RACING }, () => attacked.call('/v1/keys', { body, from: from() })))
    const issued = responses.filter(({ status }) => status === 201)
    assert.equal(issued.length, 1, responses.map(({ status }) => status).join(' '))
    for (const { status } of responses) assert.ok(status === 201 || status === 401, `status ${status}`)
    assert.equal(await countKeys(JSON.parse(issued[0]?.text ?? '{}') as { keyId: string; secret: string }), 1)
    await attacked.assertUnharmed()
  })
}

type Forge = (wallet: Keypair, challengeHex: string) => Partial<Claim>

/** An ed25519 signature is the end of the envelope. */
const SIGNATURE_BYTES = 64
const CHALLENGE_BYTES = 32
const CUTS = 24

function alterEnvelope(alter: (envelope: Buffer) => Buffer): Forge {
  return (wallet, challengeHex) => ({ signature: alter(Buffer.from(signChallenge({ challengeHex, signer: wallet }), 'base64')).toString('base64') })
}

function flipByte(bytes: Buffer, index: number): Buffer {
  const altered = Buffer.from(bytes)
  altered.writeUInt8(altered.readUInt8(index) ^ 1, index)
  return altered
}

/** The wallet's valid signature of another challenge than the pending one. */
function signAltered(challengeHex: string, index: number, wallet: Keypair): string {
  const value = flipByte(Buffer.from(challengeHex, 'hex'), index)
  const transaction = new TransactionBuilder(new Account(wallet.publicKey(), '-1'), { fee: '0', networkPassphrase: TEST_PASSPHRASE })
    .addOperation(Operation.manageData({ name: 'api key', value, source: wallet.publicKey() }))
    .setTimeout(0)
    .build()
  transaction.sign(wallet)
  return transaction.toXdr()
}

const FORGED: readonly (readonly [string, Forge])[] = [
  ...Object.entries(DEFECTIVE_CLAIMS),
  ...Array.from({ length: SIGNATURE_BYTES }, (_, byte): [string, Forge] =>
    [`a changed byte ${byte} of the signature`, alterEnvelope((envelope) => flipByte(envelope, envelope.length - 1 - byte))]),
  ...Array.from({ length: CHALLENGE_BYTES }, (_, byte): [string, Forge] =>
    [`a changed byte ${byte} of the challenge`, (wallet, challengeHex) => ({ signature: signAltered(challengeHex, byte, wallet) })]),
  ...Array.from({ length: CUTS }, (_, cut): [string, Forge] =>
    [`an envelope cut to ${cut}/${CUTS}`, alterEnvelope((envelope) => envelope.subarray(0, Math.floor((envelope.length * cut) / CUTS)))]),
]

test('142 forged proofs yield no key', async () => {
  assert.equal(FORGED.length, 142)
  const wallet = createWallet('forged')
  const address = wallet.publicKey()
  for (const [what, forge] of FORGED) {
    const from = attacked.newAddress()
    const challengeHex = await attacked.challenge(address, from)
    const good = { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }
    const { status, text } = await attacked.call('/v1/keys', { body: { ...good, ...forge(wallet, challengeHex) }, from })
    assert.deepEqual([status, withoutMessage(JSON.parse(text))], [401, { error: 'invalid_signature' }], what)
  }
  assert.equal(await countKeys(await attacked.obtainKey(wallet)), 1, 'only the valid proof yielded a key')
  await attacked.assertUnharmed()
})
