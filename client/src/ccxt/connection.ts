// From CCXT's credentials to a client.

import { createClient } from '../client.ts'
import type { Client, ClientOptions } from '../client.ts'
import { secretSigner } from '../signer.ts'
import type { Signer } from '../signer.ts'
import { AuthenticationError } from './errors.ts'

export interface ExchangeConfig {
  /** The gateway's address; `http://127.0.0.1:8080` by default. */
  readonly urls?: { readonly api: string }
  /** The API key's name (`nk_…`) and its secret. */
  readonly apiKey?: string
  readonly secret?: string
  /** The account's secret key (`S…`), which signs orders; or who signs instead. */
  readonly privateKey?: string
  readonly signer?: Signer
  /** How long to wait for one answer, milliseconds. */
  readonly timeout?: number
  readonly options?: { readonly slippageToleranceBps?: number }
  /** Whatever else the client takes. */
  readonly client?: Partial<ClientOptions>
}

/** A client with what the configuration gives. Rejects with AuthenticationError. */
export async function connect(url: string, { apiKey, secret, privateKey, timeout, client, signer }: ExchangeConfig): Promise<Client> {
  if ((apiKey === undefined) !== (secret === undefined)) throw new AuthenticationError('apiKey and secret belong together.')
  const signs = signer ?? (privateKey === undefined ? undefined : await secretSigner(privateKey).catch((error: unknown) => {
    throw new AuthenticationError('privateKey is none: it begins with S and has 56 characters.', { cause: error })
  }))
  return createClient({
    ...client, url, ...(timeout === undefined ? {} : { timeoutMs: timeout }), ...(signs === undefined ? {} : { signer: signs }),
    ...(apiKey === undefined || secret === undefined ? {} : { key: { keyId: apiKey, secret } }),
  })
}

export function requireKey(client: Client): void {
  if (client.key() === null) throw new AuthenticationError('There is no API key: give apiKey and secret, or call signIn().')
}

export function requireSigner({ signer, privateKey }: ExchangeConfig): void {
  if (signer === undefined && privateKey === undefined) throw new AuthenticationError('There is nobody to sign: give privateKey or signer.')
}
