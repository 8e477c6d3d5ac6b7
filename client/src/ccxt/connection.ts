// Creates a client from CCXT's configuration.

import { createClient } from '../client.ts'
import type { Client, ClientOptions } from '../client.ts'
import { secretSigner } from '../signer.ts'
import type { Signer } from '../signer.ts'
import { AuthenticationError } from './errors.ts'

export interface ExchangeConfig {
  /** The gateway's address; `http://127.0.0.1:8080` by default. */
  readonly urls?: { readonly api: string }
  /** The API key's id (`nk_…`) and its secret. */
  readonly apiKey?: string
  readonly secret?: string
  /** The account's secret key (`S…`), which signs orders. `signer` replaces it. */
  readonly privateKey?: string
  readonly signer?: Signer
  /** Maximum wait for one response, milliseconds. */
  readonly timeout?: number
  readonly options?: { readonly slippageToleranceBps?: number }
  /** More options of the client. */
  readonly client?: Partial<ClientOptions>
}

/** Creates a client. Rejects with AuthenticationError for invalid credentials. */
export async function connect(url: string, { apiKey, secret, privateKey, timeout, client, signer }: ExchangeConfig): Promise<Client> {
  if ((apiKey === undefined) !== (secret === undefined)) throw new AuthenticationError('Set apiKey and secret together.')
  const ownSigner = signer ?? (privateKey === undefined ? undefined : await secretSigner(privateKey).catch((error: unknown) => {
    throw new AuthenticationError('privateKey is not a valid secret key (S…, 56 characters).', { cause: error })
  }))
  return createClient({
    ...client, url, ...(timeout === undefined ? {} : { timeoutMs: timeout }), ...(ownSigner === undefined ? {} : { signer: ownSigner }),
    ...(apiKey === undefined || secret === undefined ? {} : { key: { keyId: apiKey, secret } }),
  })
}

export function requireKey(client: Client): void {
  if (client.key() === null) throw new AuthenticationError('No API key configured. Set apiKey and secret, or call signIn().')
}

export function requireSigner({ signer, privateKey }: ExchangeConfig): void {
  if (signer === undefined && privateKey === undefined) throw new AuthenticationError('No signer configured. Set privateKey or signer.')
}
