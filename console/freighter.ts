// Freighter, the wallet in the browser. Its script is loaded when somebody asks for it, and never before.

import type * as Freighter from '@stellar/freighter-api'
import { el } from './dom.ts'
import type { Wallet } from './session.ts'
import type { Settings } from './settings.ts'

type Api = Pick<typeof Freighter, 'isConnected' | 'requestAccess' | 'getNetworkDetails' | 'signTransaction'>

let loading: Promise<Api> | undefined

/** Asks the wallet for its account. Throws with a sentence when there is none, or when it is on another network. */
export async function connectFreighter({ walletScript, networkPassphrase }: Settings): Promise<Wallet> {
  loading ??= load(walletScript)
  const api = await loading
  const { isConnected } = await api.isConnected()
  if (!isConnected) throw new Error('Freighter is not there: install it as an extension of this browser, and load this page again')
  const { address, error } = await api.requestAccess()
  if (error !== undefined || address === '') throw new Error(`Freighter gave no account: ${said(error)}`)
  const details = await api.getNetworkDetails()
  if (details.networkPassphrase !== networkPassphrase) throw new Error(`Freighter is on ${details.network}: switch it to the network “${networkPassphrase}”`)
  return {
    kind: 'freighter',
    signer: {
      address,
      async signTransaction(envelopeXdr, how) {
        const answer = await api.signTransaction(envelopeXdr, { networkPassphrase: how.networkPassphrase, address })
        if (answer.error !== undefined) throw new Error(`Freighter did not sign: ${said(answer.error)}`)
        return answer.signedTxXdr
      },
    },
  }
}

function said(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown }
  return typeof message === 'string' ? message : 'it did not say why'
}

/** The package is made for pages without modules: it leaves its name behind on the window. */
function load(src: string): Promise<Api> {
  return new Promise((resolve, reject) => {
    const script = el('script', {
      src,
      load() {
        const { freighterApi } = window as unknown as { readonly freighterApi?: Api }
        if (freighterApi === undefined) reject(new Error('the wallet\'s script could not be run'))
        else resolve(freighterApi)
      },
      error() {
        loading = undefined
        reject(new Error('the wallet\'s script could not be loaded'))
      },
    })
    document.head.append(script)
  })
}
