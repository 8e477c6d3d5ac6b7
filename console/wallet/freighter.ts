// Freighter, the wallet in the browser. The page imports this module dynamically, so that its script loads only when the user connects Freighter.

import { getNetworkDetails, isConnected, requestAccess, signTransaction } from '@stellar/freighter-api'
import type { Wallet } from '../session.ts'

/** Requests the wallet's account. Throws an error with a message for the user if Freighter is missing, refuses, or is on another network. */
export async function connectFreighter(networkPassphrase: string): Promise<Wallet> {
  if (!(await isConnected()).isConnected) throw new Error('Freighter was not found: install the browser extension, then reload this page')
  const { address, error } = await requestAccess()
  if (error !== undefined || address === '') throw new Error(`Freighter returned no account: ${messageOf(error)}`)
  const details = await getNetworkDetails()
  if (details.networkPassphrase !== networkPassphrase) throw new Error(`Freighter is on ${details.network}: switch it to the network “${networkPassphrase}”`)
  return {
    name: 'Freighter',
    signer: {
      address,
      async signTransaction(envelopeXdr, options) {
        const signed = await signTransaction(envelopeXdr, { networkPassphrase: options.networkPassphrase, address })
        if (signed.error !== undefined) throw new Error(`Freighter did not sign: ${messageOf(signed.error)}`)
        return signed.signedTxXdr
      },
    },
  }
}

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown }
  return typeof message === 'string' ? message : 'no reason given'
}
