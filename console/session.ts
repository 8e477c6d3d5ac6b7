// Who uses the page: a wallet that signs, a key that calls. Both live in this page's memory; on request in the tab's own storage, until the tab is closed.

import { createClient, secretSigner } from '../client/src/index.ts'
import type { Client, Key, Signer } from '../client/src/index.ts'
import { createKept } from './kept.ts'
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
  /** Whose key it is; null without one. */
  keyOwner(): string | null
  /** The account that is spoken for: the key's owner, or the wallet's; null for nobody. */
  owner(): string | null
  useWallet(wallet: Wallet | null): void
  useKey(key: Key | null, owner: string | null): void
  isKept(): boolean
  /** Keeps wallet and key in the tab, or forgets them there. */
  keep(wanted: boolean): void
  /** Called when any of this has changed. */
  onChange(run: () => void): () => void
}

const tab = createKept(() => sessionStorage, 'console')
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
    const held: Kept = { ...(secret === undefined ? {} : { secret }), ...(key === null ? {} : { key }), ...(keyOwner === null ? {} : { owner: keyOwner }) }
    if (isKept) tab.write(JSON.stringify(held))
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
    keyOwner: () => keyOwner,
    owner: () => keyOwner ?? wallet?.signer.address ?? null,
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
      if (!wanted) tab.forget()
      changed()
    },
    onChange(run) {
      listeners.add(run)
      return () => void listeners.delete(run)
    },
  }
}

/** What an earlier page of this tab has kept; null when it kept nothing that can be used. */
function stored(): Kept | null {
  try {
    return JSON.parse(tab.read() ?? 'null') as Kept | null
  } catch {
    return null
  }
}
