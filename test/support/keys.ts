// Wallets that sign challenges, and API calls with the keys they obtain.

import { hash } from 'node:crypto'
import { Account, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import assert from 'node:assert/strict'
import type { App } from '../../src/http/app.ts'
import type { RestrictionsRequest } from '../../src/resources/key-restrictions.ts'
import { showRestrictions, UNRESTRICTED } from '../../src/keys/restrictions.ts'
import type { IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'

export const TEST_PASSPHRASE = 'Test SDF Network ; September 2015'

/** The wallet of this name; the same in every run. */
export function createWallet(name: string): Keypair {
  return Keypair.fromRawEd25519Seed(hash('sha256', `test wallet ${name}`, 'buffer'))
}

const UNFUNDED = createWallet('throwaway').publicKey()

interface SigningOptions {
  readonly challengeHex: string
  readonly signer: Keypair
  /** The operation's source; the signer by default. */
  readonly source?: string
  readonly networkPassphrase?: string
}

/** The unsigned transaction of the specification. */
export function buildChallenge(options: SigningOptions) {
  const { challengeHex, signer, source = signer.publicKey(), networkPassphrase = TEST_PASSPHRASE } = options
  return new TransactionBuilder(new Account(UNFUNDED, '-1'), { fee: '0', networkPassphrase })
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

/** The members of a key without restrictions. */
export const PLAIN = { ...showRestrictions(UNRESTRICTED), parent: null }

export interface ApiResponse<Body = Record<string, unknown>> {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Body
  readonly text: string
}

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: unknown
  /** The API key of the call. */
  readonly key?: IssuedKey
  readonly headers?: Readonly<Record<string, string>>
  readonly from?: string
}

/** The value of the Authorization header. */
export function bearer(key: { readonly keyId: string; readonly secret: string }): string {
  return `Bearer ${key.keyId}:${key.secret}`
}

/** Calls the server without a socket. */
export async function call<Body = Record<string, unknown>>(app: App, url: string, options: ApiCall = {}): Promise<ApiResponse<Body>> {
  const { method = 'GET', body, key, headers = {}, from = '192.0.2.1' } = options
  const response = await app.inject({
    method,
    url,
    remoteAddress: from,
    headers: { ...(key === undefined ? {} : { authorization: bearer(key) }), ...headers },
    ...(body === undefined ? {} : { payload: body as object }),
  })
  const json = response.body === '' ? undefined : response.json<unknown>()
  return { status: response.statusCode, headers: response.headers as ApiResponse['headers'], body: json as Body, text: response.body }
}

export async function requestChallenge(app: App, address: string, restrictions?: RestrictionsRequest): Promise<KeyChallenge> {
  const body = { address, ...(restrictions === undefined ? {} : { restrictions }) }
  const response = await call<KeyChallenge>(app, '/v1/keys/challenge', { method: 'POST', body })
  assert.equal(response.status, 200, response.text)
  return response.body
}

/** Requests and claims a challenge. */
export async function obtainKey(app: App, wallet: Keypair, label?: string, restrictions?: RestrictionsRequest): Promise<IssuedKey> {
  const address = wallet.publicKey()
  const { challengeHex } = await requestChallenge(app, address, restrictions)
  const signature = signChallenge({ challengeHex, signer: wallet })
  const body = { address, challenge: challengeHex, signature, ...(label === undefined ? {} : { label }) }
  const response = await call<IssuedKey>(app, '/v1/keys', { method: 'POST', body })
  assert.equal(response.status, 201, response.text)
  return response.body
}

/** Creates a key from one with the scope lend. */
export async function lendKey(app: App, parent: IssuedKey, restrictions: RestrictionsRequest & { label?: string } = {}): Promise<IssuedKey> {
  const response = await call<IssuedKey>(app, `/v1/keys/${parent.keyId}/children`, { method: 'POST', body: restrictions, key: parent })
  assert.equal(response.status, 201, response.text)
  return response.body
}
