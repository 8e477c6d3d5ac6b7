// Who uses the page: a wallet that signs, a key that calls. Both live in this page's memory; on request in the tab's own storage, until the tab is closed.

import { createClient, secretSigner } from '../client/src/index.ts'
import type { Client, Key, Signer } from '../client/src/index.ts'
import type { Settings } from './settings.ts'

export interface Wallet {
  readonly kind: 'freighter' | 'throw-away'
  readonly signer: Signer
  /** Of a throw-away wallet alone, to be kept in the tab when that is wished. */
  readonly secret?: string
}

export interface Session {
  /** Makes the calls: with the key, and with the wallet where there is one. */
  client(): Client
  wallet(): Wallet | null
  key(): Key | null
  /** The account that is spoken for: the wallet's, or the key's owner; null for nobody. */
  owner(): string | null
  useWallet(wallet: Wallet | null): void
  useKey(key: Key | null, owner: string | null): void
  isKept(): boolean
  /** Keeps wallet and key in the tab, or forgets them there. */
  keep(wanted: boolean): void
  /** Called when any of this has changed. */
  onChange(run: () => void): () => void
}

const PLACE = 'console'
/** A 429 is told at once, with its pause: the page would otherwise stand still for a minute. */
const CLIENT = { attempts: 3, maxWaitMs: 3_000 }

interface Kept {
  readonly secret?: string
  readonly key?: Key
  readonly owner?: string
}

export async function createSession(settings: Settings): Promise<Session> {
  const listeners = new Set<() => void>()
  let wallet: Wallet | null = null
  let key: Key | null = null
  let keyOwner: string | null = null
  let isKept = false
  let client = makeClient()

  function makeClient(): Client {
    return createClient({
      ...CLIENT, url: location.origin, networkPassphrase: settings.networkPassphrase,
      ...(wallet === null ? {} : { signer: wallet.signer }), ...(key === null ? {} : { key }),
    })
  }

  function changed(): void {
    const secret = wallet?.secret
    if (isKept) store({ ...(secret === undefined ? {} : { secret }), ...(key === null ? {} : { key }), ...(keyOwner === null ? {} : { owner: keyOwner }) })
    for (const run of listeners) run()
  }

  const kept = stored()
  if (kept !== null) {
    isKept = true
    if (kept.secret !== undefined) wallet = { kind: 'throw-away', signer: await secretSigner(kept.secret), secret: kept.secret }
    if (kept.key !== undefined) [key, keyOwner] = [kept.key, kept.owner ?? null]
    client = makeClient()
  }

  return {
    client: () => client,
    wallet: () => wallet,
    key: () => key,
    owner: () => wallet?.signer.address ?? keyOwner,
    useWallet(given) {
      wallet = given
      // The key of one account is of no use to the wallet of another.
      if (given !== null && keyOwner !== null && keyOwner !== given.signer.address) [key, keyOwner] = [null, null]
      client = makeClient()
      changed()
    },
    useKey(given, owner) {
      key = given
      keyOwner = given === null ? null : owner
      client.useKey(given)
      changed()
    },
    isKept: () => isKept,
    keep(wanted) {
      isKept = wanted
      if (!wanted) sessionStorage.removeItem(PLACE)
      changed()
    },
    onChange(run) {
      listeners.add(run)
      return () => void listeners.delete(run)
    },
  }
}

function store(kept: Kept): void {
  sessionStorage.setItem(PLACE, JSON.stringify(kept))
}

function stored(): Kept | null {
  const text = sessionStorage.getItem(PLACE)
  return text === null ? null : (JSON.parse(text) as Kept)
}
