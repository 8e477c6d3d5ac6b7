// The key pairs of the local network. They derive from public data, so every machine has the same accounts. Do not use them on a real network.

import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { StrKey } from '@stellar/stellar-sdk'

/** A key pair that signs. */
export interface Identity {
  /** `admin`, `keeper`, `trader-3`, …; empty for the network's root account. */
  readonly role: string
  /** `G…`. */
  readonly address: string
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** `S…`, published for the user accounts. */
  readonly secret: string
  /** Ed25519 over `message`: 64 bytes. */
  sign(message: Uint8Array): Uint8Array
}

/** The bytes before an Ed25519 seed in PKCS #8. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
/** The number of bytes before an Ed25519 public key in SPKI. */
const SPKI_PREFIX_LENGTH = 12

/**
 * The key pair of a role on the network of this passphrase. The seed is sha256(passphrase + role). The root account has an empty role, so its seed is the
 * network id, as on every Stellar network.
 */
export function createIdentity(networkPassphrase: string, role: string): Identity {
  const seed = createHash('sha256').update(`${networkPassphrase}${role}`).digest()
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = new Uint8Array(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX_LENGTH))
  return {
    role,
    address: StrKey.encodeEd25519PublicKey(publicKey),
    publicKey,
    secret: StrKey.encodeEd25519SecretSeed(new Uint8Array(seed)),
    // node:crypto signs ten times faster than the SDK's Ed25519.
    sign: (message) => new Uint8Array(sign(null, message, privateKey)),
  }
}
