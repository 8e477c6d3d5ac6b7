// Wallets whose extensions add an object to the page's window: Hana, Klever and Rabet. Each has its own methods.

import type { Wallet } from '../session.ts'

export interface InjectedWallet {
  readonly name: string
  readonly connect: (networkPassphrase: string) => Promise<Wallet>
}

interface InjectingWindow {
  readonly hanaWallet?: { readonly stellar?: {
    getPublicKey(): Promise<string>
    signTransaction(request: { readonly xdr: string; readonly accountToSign: string; readonly networkPassphrase: string }): Promise<string>
  } }
  readonly kleverWallet?: { readonly stellar?: {
    getAddress(): Promise<{ readonly address: string }>
    signTransaction(xdr: string, options: { readonly address: string; readonly networkPassphrase: string }): Promise<{ readonly signedTxXdr: string }>
  } }
  readonly rabet?: {
    connect(): Promise<{ readonly publicKey?: string; readonly error?: unknown }>
    sign(xdr: string, network: 'mainnet' | 'testnet'): Promise<{ readonly xdr?: string; readonly error?: unknown }>
  }
}

const MAINNET_PASSPHRASE = 'Public Global Stellar Network ; September 2015'

/** The wallets that this browser has. Extensions add their objects while the page loads. */
export function findInjectedWallets(): readonly InjectedWallet[] {
  const { hanaWallet, kleverWallet, rabet } = window as InjectingWindow
  const hana = hanaWallet?.stellar
  const klever = kleverWallet?.stellar
  return [
    ...(hana === undefined ? [] : [wallet('Hana', () => hana.getPublicKey(), (xdr, address, networkPassphrase) =>
      hana.signTransaction({ xdr, accountToSign: address, networkPassphrase }))]),
    ...(klever === undefined ? [] : [wallet('Klever', async () => (await klever.getAddress()).address, async (xdr, address, networkPassphrase) =>
      (await klever.signTransaction(xdr, { address, networkPassphrase })).signedTxXdr)]),
    ...(rabet === undefined ? [] : [wallet('Rabet', async () => resultOf(await rabet.connect(), 'publicKey'), async (xdr, _address, networkPassphrase) =>
      resultOf(await rabet.sign(xdr, networkPassphrase === MAINNET_PASSPHRASE ? 'mainnet' : 'testnet'), 'xdr'))]),
  ]
}

function wallet(
  name: string, readAddress: () => Promise<string>, sign: (xdr: string, address: string, networkPassphrase: string) => Promise<string>,
): InjectedWallet {
  return {
    name,
    async connect(networkPassphrase) {
      const address = await readAddress().catch((error: unknown) => {
        throw new Error(`${name} returned no account: ${messageOf(error)}`)
      })
      const signTransaction = (xdr: string): Promise<string> => sign(xdr, address, networkPassphrase).catch((error: unknown) => {
        throw new Error(`${name} did not sign: ${messageOf(error)}`)
      })
      return { name, signer: { address, signTransaction } }
    },
  }
}

/** Rabet does not reject: what it returns has an error instead of the result. */
function resultOf<Name extends string>(answer: { readonly [name in Name]?: string } & { readonly error?: unknown }, name: Name): string {
  const result = answer[name]
  if (result === undefined) throw answer.error instanceof Error ? answer.error : new Error(messageOf(answer.error))
  return result
}

/** Wallets reject with errors, with objects that have a message, or with text. */
function messageOf(error: unknown): string {
  if (typeof error === 'string') return error
  const { message } = (error ?? {}) as { readonly message?: unknown }
  return typeof message === 'string' ? message : 'no reason given'
}
