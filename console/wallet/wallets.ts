// Connects wallets and signs in with them: the page gets an API key, with which it reads the account.

import { signal } from '@preact/signals'
import type { ReadonlySignal, Signal } from '@preact/signals'
import { Unauthorized } from '../../client/src/index.ts'
import { reasonOf } from '../problems.ts'
import type { Session, Wallet } from '../session.ts'
import type { Settings } from '../settings.ts'
import { createBurnerWallet, fundAccount } from './burner-wallet.ts'
import { findInjectedWallets } from './injected-wallets.ts'
import { issueKey } from './issue-key.ts'

interface WalletStatus {
  readonly text: string
  readonly isProblem: boolean
  readonly isBusy: boolean
}

export interface Wallets {
  readonly status: ReadonlySignal<WalletStatus | null>
  /** Null unless the gateway runs a local network. */
  readonly burner: { readonly connect: () => Promise<void>; readonly addFunds: () => Promise<void> } | null
  connectFreighter(): Promise<void>
  /** Wallets other than Freighter that this browser has. */
  others(): readonly { readonly name: string; readonly connect: () => Promise<void> }[]
  /** Gets an API key for the wallet's account. */
  signIn(): Promise<void>
  /** True while the account's menu is open. */
  readonly isMenuOpen: Signal<boolean>
  disconnect(): void
}

/** Names the page's own keys in the list of keys. */
const KEY_LABEL = 'Console'

export function createWallets({ session, settings }: { readonly session: Session; readonly settings: Settings }): Wallets {
  const { localRpcUrl, networkPassphrase } = settings
  const status = signal<WalletStatus | null>(null)
  const isMenuOpen = signal(false)

  async function run(text: string, done: string, work: () => Promise<void>, failure = 'Not connected'): Promise<void> {
    if (status.peek()?.isBusy === true) return
    status.value = { text, isProblem: false, isBusy: true }
    try {
      await work()
      status.value = { text: done, isProblem: false, isBusy: false }
    } catch (error) {
      status.value = { text: `${failure}: ${reasonOf(error)}.`, isProblem: true, isBusy: false }
    }
  }

  const signIn = (): Promise<void> => run('Waiting for your wallet to sign the challenge…', 'Connected.', async () => {
    await issueKey(session, KEY_LABEL)
    isMenuOpen.value = false
  }, 'Not signed in')

  async function connect(text: string, create: () => Promise<Wallet>): Promise<void> {
    await run(text, 'Connected.', async () => session.setWallet(await create()))
    if (session.wallet() !== null && session.key() === null) await signIn()
    else if (status.peek()?.isProblem === false) isMenuOpen.value = false
  }

  function createBurner(rpcUrl: string): NonNullable<Wallets['burner']> {
    const fund = async (): Promise<void> => {
      const wallet = session.wallet()
      if (wallet !== null) await fundAccount(rpcUrl, wallet.signer.address)
    }
    return {
      connect: () => connect('Creating and funding the burner wallet…', async () => {
        const wallet = await createBurnerWallet()
        await fundAccount(rpcUrl, wallet.signer.address)
        return wallet
      }),
      addFunds: () => run('Funding the wallet…', 'Added 10,000 test USDC.', fund, 'Not funded'),
    }
  }

  /** The local network may have been reset since the wallet was stored. */
  async function renewBurner(rpcUrl: string, { signer, secret }: Wallet): Promise<void> {
    if (secret === undefined || session.key() === null) return
    const error: unknown = await session.client().getAccountIdentity().then(() => null, (failure: unknown) => failure)
    if (!(error instanceof Unauthorized)) return
    await run('The local network has changed. Funding the burner wallet again…', 'Connected again.', async () => {
      await fundAccount(rpcUrl, signer.address)
      // The key that the network has forgotten.
      session.setKey(null, null)
      await issueKey(session, KEY_LABEL)
    })
  }

  const stored = session.wallet()
  if (localRpcUrl !== null && stored !== null) void renewBurner(localRpcUrl, stored)
  return {
    status,
    burner: localRpcUrl === null ? null : createBurner(localRpcUrl),
    // The bundle keeps Freighter's API in a separate file.
    connectFreighter: () => connect('Waiting for Freighter…', async () => {
      const freighter = await import('./freighter.ts').catch(() => {
        throw new Error('the Freighter script did not load; reload this page')
      })
      return freighter.connectFreighter(networkPassphrase)
    }),
    others: () => findInjectedWallets().map(({ name, connect: connectInjected }) =>
      ({ name, connect: () => connect(`Waiting for ${name}…`, () => connectInjected(networkPassphrase)) })),
    signIn, isMenuOpen,
    disconnect() {
      status.value = null
      isMenuOpen.value = false
      session.setWallet(null)
      session.setKey(null, null)
    },
  }
}
