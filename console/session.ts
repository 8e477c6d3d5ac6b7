// The user's wallet, which signs, and API key, which authenticates calls. Both are in the page's memory. If the user chooses so, the key and a burner wallet
// are also in the tab's sessionStorage.

import { createClient, secretSigner } from '../client/src/index.ts'
import type { Client, Key, Signer } from '../client/src/index.ts'
import type { Settings } from './settings.ts'
import { createStoredString } from './storage.ts'

export interface Wallet {
  readonly kind: 'freighter' | 'burner'
  readonly signer: Signer
  /** Secret key of a burner wallet. */
  readonly secret?: string
}

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
  /** Stores burner wallet and key in the tab, or deletes them there. */
  setStored(enabled: boolean): void
  /** Calls `listener` after each change. Returns a function that removes it. */
  onChange(listener: () => void): () => void
}

const storedCredentials = createStoredString(() => sessionStorage, 'console')
/** The page reports a 429 with its retry time instead of waiting up to a minute. */
const CLIENT_OPTIONS = { attempts: 3, maxWaitMs: 3_000 }

interface Credentials {
  readonly secret?: string
  readonly key?: Key
  readonly owner?: string
}

export async function createSession(settings: Settings): Promise<Session> {
  const listeners = new Set<() => void>()
  const stored = readCredentials()
  let isStored = stored !== null
  let wallet: Wallet | null = stored?.secret === undefined ? null : { kind: 'burner', signer: await secretSigner(stored.secret), secret: stored.secret }
  let key = stored?.key ?? null
  let keyOwner = key === null ? null : (stored?.owner ?? null)
  let client = newClient()

  function newClient(): Client {
    return createClient({
      ...CLIENT_OPTIONS, url: location.origin, networkPassphrase: settings.networkPassphrase,
      ...(wallet === null ? {} : { signer: wallet.signer }), ...(key === null ? {} : { key }),
    })
  }

  function changed(): void {
    if (isStored) storedCredentials.write(JSON.stringify({ secret: wallet?.secret, key: key ?? undefined, owner: keyOwner ?? undefined }))
    for (const listener of listeners) listener()
  }

  return {
    client: () => client,
    wallet: () => wallet,
    key: () => key,
    keyOwner: () => keyOwner,
    owner: () => keyOwner ?? wallet?.signer.address ?? null,
    setWallet(newWallet) {
      wallet = newWallet
      // A key works only with the wallet of the same account.
      if (wallet !== null && keyOwner !== null && keyOwner !== wallet.signer.address) [key, keyOwner] = [null, null]
      client = newClient()
      changed()
    },
    setKey(newKey, owner) {
      key = newKey
      keyOwner = newKey === null ? null : owner
      client.useKey(newKey)
      changed()
    },
    isStored: () => isStored,
    setStored(enabled) {
      isStored = enabled
      if (!enabled) storedCredentials.remove()
      changed()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** What an earlier page in this tab stored; null if there is nothing, or nothing valid. */
function readCredentials(): Credentials | null {
  try {
    return JSON.parse(storedCredentials.read() ?? 'null') as Credentials | null
  } catch {
    return null
  }
}
