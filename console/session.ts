// The user's wallet, which signs, and API key, which authenticates calls. Both are in the page's memory and, if the user agrees, in the browser's
// storage. On the local network, whose funds are worthless, they are stored unless the user forbids it.

import { signal } from '@preact/signals'
import { createClient, secretSigner } from '../client/src/index.ts'
import type { Client, Key, Signer } from '../client/src/index.ts'
import type { Settings } from './settings.ts'
import { createStoredString } from './storage.ts'

export interface Wallet {
  /** As shown to the user. */
  readonly name: string
  readonly signer: Signer
  /** Secret key of a burner wallet. */
  readonly secret?: string
}

export const BURNER_NAME = 'Burner wallet'

/** Components that read the wallet or the key are rendered again when they change. */
export interface Session {
  /** Calls with the API key and signs with the wallet, if there are any. */
  client(): Client
  wallet(): Wallet | null
  key(): Key | null
  /** The account that the API key belongs to; null without a key. */
  keyOwner(): string | null
  /** The account in use: the key's owner, else the wallet's account, else null. */
  owner(): string | null
  setWallet(wallet: Wallet | null): void
  setKey(key: Key | null, owner: string | null): void
  isStored(): boolean
  /** Stores burner wallet and key in the browser, or deletes them there. */
  setStored(enabled: boolean): void
}

/** The page reports a 429 with its retry time instead of waiting up to a minute. */
const CLIENT_OPTIONS = { attempts: 3, maxWaitMs: 3_000 }

interface Credentials {
  /** False if the user chose not to store them. */
  readonly isStored: boolean
  readonly secret?: string | undefined
  readonly key?: Key | undefined
  readonly owner?: string | undefined
}

interface State {
  readonly wallet: Wallet | null
  readonly key: Key | null
  /** The account of `key`. */
  readonly owner: string | null
  readonly isStored: boolean
}

export async function createSession(settings: Settings): Promise<Session> {
  const isLocal = settings.localRpcUrl !== null
  const storage = createStoredString(() => (isLocal ? localStorage : sessionStorage), 'console')
  const state = signal<State>(await restore(storage.read()) ?? { wallet: null, key: null, owner: null, isStored: isLocal })
  let client = newClient(state.peek())

  function newClient({ wallet, key }: State): Client {
    return createClient({
      ...CLIENT_OPTIONS, url: location.origin, networkPassphrase: settings.networkPassphrase,
      ...(wallet === null ? {} : { signer: wallet.signer }), ...(key === null ? {} : { key }),
    })
  }

  function change(next: State): void {
    const { wallet, key, owner, isStored } = next
    const stored: Credentials = isStored ? { isStored, secret: wallet?.secret, key: key ?? undefined, owner: owner ?? undefined } : { isStored }
    const isDefault = isStored === isLocal && stored.secret === undefined && stored.key === undefined
    if (isDefault) storage.remove()
    else storage.write(JSON.stringify(stored))
    state.value = next
  }

  return {
    client: () => client,
    wallet: () => state.value.wallet,
    key: () => state.value.key,
    keyOwner: () => state.value.owner,
    owner: () => state.value.owner ?? state.value.wallet?.signer.address ?? null,
    setWallet(wallet) {
      const { key, owner, isStored } = state.peek()
      // A key works only with the wallet of the same account.
      const isOther = wallet !== null && owner !== null && owner !== wallet.signer.address
      const next = isOther ? { wallet, key: null, owner: null, isStored } : { wallet, key, owner, isStored }
      client = newClient(next)
      change(next)
    },
    setKey(key, owner) {
      client.useKey(key)
      change({ ...state.peek(), key, owner: key === null ? null : owner })
    },
    isStored: () => state.value.isStored,
    setStored: (isStored) => change({ ...state.peek(), isStored }),
  }
}

/** Restores the state that an earlier page stored; null if there is nothing, or nothing valid. */
async function restore(text: string | null): Promise<State | null> {
  try {
    const stored = JSON.parse(text ?? 'null') as Credentials | null
    if (stored === null) return null
    const { isStored, secret, key, owner } = stored
    const wallet = secret === undefined ? null : { name: BURNER_NAME, signer: await secretSigner(secret), secret }
    return { wallet, key: key ?? null, owner: key === undefined ? null : owner ?? null, isStored }
  } catch {
    return null
  }
}
