// Wallets that sign challenges, and calls with the keys they get.

import { hash } from 'node:crypto'
import { Account, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import assert from 'node:assert/strict'
import type { App } from '../../src/http/app.ts'
import type { IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'

export const TEST_PASSPHRASE = 'Test SDF Network ; September 2015'

/** A wallet of this name: the same every time. */
export function createWallet(name: string): Keypair {
  return Keypair.fromRawEd25519Seed(hash('sha256', `test wallet ${name}`, 'buffer'))
}

const THROWAWAY = createWallet('throwaway').publicKey()

export interface SigningOptions {
  readonly challengeHex: string
  /** Who signs. */
  readonly signer: Keypair
  /** The operation's source; the signer by default. */
  readonly source?: string
  readonly networkPassphrase?: string
}

/** The transaction that the specification describes, unsigned. */
export function buildChallenge(options: SigningOptions) {
  const { challengeHex, signer, source = signer.publicKey(), networkPassphrase = TEST_PASSPHRASE } = options
  return new TransactionBuilder(new Account(THROWAWAY, '-1'), { fee: '0', networkPassphrase })
    .addOperation(Operation.manageData({ name: 'api key', value: Buffer.from(challengeHex, 'hex'), source }))
    .setTimeout(0)
    .build()
}

/** The signed envelope, as base64. */
export function signChallenge(options: SigningOptions): string {
  const transaction = buildChallenge(options)
  transaction.sign(options.signer)
  return transaction.toXdr()
}

export interface ApiResponse<Body = Record<string, unknown>> {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Body
  readonly text: string
}

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: unknown
  /** A key to call with. */
  readonly key?: IssuedKey
  readonly headers?: Readonly<Record<string, string>>
  readonly from?: string
}

/** The value of the Authorization header. */
export function bearer(key: { readonly keyId: string; readonly secret: string }): string {
  return `Bearer ${key.keyId}:${key.secret}`
}

/** One call through the whole server, without a socket. */
export async function call<Body = Record<string, unknown>>(app: App, url: string, options: ApiCall = {}): Promise<ApiResponse<Body>> {
  const { method = 'GET', body, key, headers = {}, from = '192.0.2.1' } = options
  const answer = await app.inject({
    method,
    url,
    remoteAddress: from,
    headers: { ...(key === undefined ? {} : { authorization: bearer(key) }), ...headers },
    ...(body === undefined ? {} : { payload: body as object }),
  })
  const json = answer.body === '' ? undefined : answer.json<unknown>()
  return { status: answer.statusCode, headers: answer.headers as ApiResponse['headers'], body: json as Body, text: answer.body }
}

/** A challenge for the wallet. */
export async function requestChallenge(app: App, address: string): Promise<KeyChallenge> {
  const answer = await call<KeyChallenge>(app, '/v1/keys/challenge', { method: 'POST', body: { address } })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** A key for the wallet, by the whole way. */
export async function obtainKey(app: App, wallet: Keypair, label?: string): Promise<IssuedKey> {
  const address = wallet.publicKey()
  const { challengeHex } = await requestChallenge(app, address)
  const signature = signChallenge({ challengeHex, signer: wallet })
  const body = { address, challenge: challengeHex, signature, ...(label === undefined ? {} : { label }) }
  const answer = await call<IssuedKey>(app, '/v1/keys', { method: 'POST', body })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}
