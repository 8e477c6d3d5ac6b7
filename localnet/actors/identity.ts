// Who acts on the local network. Every key comes from public facts, so that the same network has the same people on every machine; no
// such key is of any worth elsewhere.

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
  /** `S…`, for the accounts that are offered to visitors. */
  readonly secret: string
  /** Ed25519 over `message`: 64 bytes. */
  sign(message: Uint8Array): Uint8Array
}

/** What stands before the 32 bytes of an Ed25519 seed in PKCS #8. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
/** What stands before the 32 bytes of an Ed25519 public key in SPKI. */
const SPKI_PREFIX_LENGTH = 12

/**
 * The person who plays `role` on the network of this passphrase: the seed is sha256(passphrase + role). The root account has no role, and
 * so its seed is the network's id, as on every Stellar network.
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
    // node:crypto signs ten times faster than the SDK's own Ed25519.
    sign: (message) => new Uint8Array(sign(null, message, privateKey)),
  }
}
