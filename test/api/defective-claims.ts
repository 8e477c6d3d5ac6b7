// Claims of an API key that prove nothing.

import { Account, MuxedAccount, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import type { Keypair } from '@stellar/stellar-sdk'
import { buildChallenge, createWallet, signChallenge, TEST_PASSPHRASE } from '../support/keys.ts'

/** The body of POST /v1/keys. */
export interface Claim {
  readonly address: string
  readonly challenge: string
  readonly signature: string
  readonly label?: string
}

/** Well-formed claims with a defect; each is rejected and creates no key. */
export const DEFECTIVE_CLAIMS: Readonly<Record<string, (wallet: Keypair, challengeHex: string) => Partial<Claim>>> = {
  'a challenge that is not the pending one': (wallet) => {
    const other = 'ab'.repeat(32)
    return { challenge: other, signature: signChallenge({ challengeHex: other, signer: wallet }) }
  },
  'the pending challenge with a signature of another': (wallet) => ({ signature: signChallenge({ challengeHex: 'cd'.repeat(32), signer: wallet }) }),
  'an empty challenge': () => ({ challenge: '' }),
  'the challenge in upper case': (_wallet, challengeHex) => ({ challenge: challengeHex.toUpperCase() }),
  'another account\'s signature': (wallet, challengeHex) => ({
    signature: signChallenge({ challengeHex, signer: createWallet('other signer'), source: wallet.publicKey() }),
  }),
  'no signature': (wallet, challengeHex) => ({ signature: buildChallenge({ challengeHex, signer: wallet }).toXdr() }),
  'another network\'s passphrase': (wallet, challengeHex) => ({
    signature: signChallenge({ challengeHex, signer: wallet, networkPassphrase: 'Public Global Stellar Network ; September 2015' }),
  }),
  'a fee bump around the right transaction': (wallet, challengeHex) => {
    const inner = new TransactionBuilder(new Account(wallet.publicKey(), '1'), { fee: '100', networkPassphrase: TEST_PASSPHRASE })
      .addOperation(Operation.manageData({ name: 'api key', value: Buffer.from(challengeHex, 'hex'), source: wallet.publicKey() }))
      .setTimeout(0)
      .build()
    inner.sign(wallet)
    const bump = TransactionBuilder.buildFeeBumpTransaction(wallet.publicKey(), '200', inner, TEST_PASSPHRASE)
    bump.sign(wallet)
    return { signature: bump.toXdr() }
  },
  'another first operation': (wallet, challengeHex) => ({ signature: signedWith(wallet, [
    Operation.bumpSequence({ bumpTo: '5' }), Operation.manageData({ name: 'api key', value: Buffer.from(challengeHex, 'hex') }),
  ]) }),
  'no operation': (wallet) => ({ signature: signedWith(wallet, []) }),
  'a manage-data operation that deletes': (wallet) => ({ signature: signedWith(wallet, [Operation.manageData({ name: 'api key', value: null })]) }),
  'the challenge\'s hex text instead of its bytes': (wallet, challengeHex) => ({
    signature: signedWith(wallet, [Operation.manageData({ name: 'api key', value: challengeHex })]),
  }),
  'half of the challenge': (wallet, challengeHex) => ({
    signature: signedWith(wallet, [Operation.manageData({ name: 'api key', value: Buffer.from(challengeHex.slice(0, 32), 'hex') })]),
  }),
  'a muxed operation source': (wallet, challengeHex) => ({
    signature: signChallenge({ challengeHex, signer: wallet, source: new MuxedAccount(new Account(wallet.publicKey(), '0'), '7').accountId() }),
  }),
  'a muxed transaction source': (wallet, challengeHex) => {
    const source = new MuxedAccount(new Account(wallet.publicKey(), '-1'), '7')
    const transaction = new TransactionBuilder(source, { fee: '0', networkPassphrase: TEST_PASSPHRASE })
      .addOperation(Operation.manageData({ name: 'api key', value: Buffer.from(challengeHex, 'hex'), source: wallet.publicKey() }))
      .setTimeout(0)
      .build()
    transaction.sign(wallet)
    return { signature: transaction.toXdr() }
  },
  'an empty signature': () => ({ signature: '' }),
  'text that is not base64': () => ({ signature: 'ünïcödé §§§ \u{1F511}' }),
  'base64 that is not an envelope': () => ({ signature: Buffer.from('hello').toString('base64') }),
  'half of the envelope': (wallet, challengeHex) => {
    const whole = signChallenge({ challengeHex, signer: wallet })
    return { signature: whole.slice(0, whole.length / 2) }
  },
  'bytes after the envelope': (wallet, challengeHex) => ({
    signature: Buffer.concat([Buffer.from(signChallenge({ challengeHex, signer: wallet }), 'base64'), Buffer.alloc(4)]).toString('base64'),
  }),
  'a detached signature': (wallet, challengeHex) => ({ signature: Buffer.from(wallet.sign(Buffer.from(challengeHex, 'hex'))).toString('base64') }),
  'a large envelope of zero bytes': () => ({ signature: 'A'.repeat(32_000) }),
}

function signedWith(wallet: Keypair, operations: readonly ReturnType<typeof Operation.manageData>[]): string {
  const builder = new TransactionBuilder(new Account(wallet.publicKey(), '-1'), { fee: '0', networkPassphrase: TEST_PASSPHRASE })
  for (const operation of operations) builder.addOperation(operation)
  const transaction = builder.setTimeout(0).build()
  transaction.sign(wallet)
  return transaction.toXdr()
}
