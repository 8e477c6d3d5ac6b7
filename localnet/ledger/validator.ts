// The validator of the local network. It signs the value of each ledger, as the validators of a real network do.

import { createIdentity } from '../actors/identity.ts'
import { networkIdOf } from './addresses.ts'

export interface Validator {
  readonly networkId: Uint8Array
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** Ed25519 over `message`: 64 bytes. */
  sign(message: Uint8Array): Uint8Array
}

/** The validator of the network with this passphrase. Its key derives from public data, like all keys of the local network. */
export function createValidator(networkPassphrase: string): Validator {
  const { publicKey, sign } = createIdentity(networkPassphrase, 'validator')
  return { networkId: networkIdOf(networkPassphrase), publicKey, sign }
}
