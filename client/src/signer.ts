// Signers. The client passes them only verified transactions, and holds a secret only until it is imported as a key.

import { concat, fromBase64Url } from './bytes.ts'
import { containsTransaction, signedEnvelope, transactionHash, unsignedEnvelope } from './envelope.ts'
import { RefusedToSign } from './errors.ts'
import { subtleCrypto } from './platform.ts'
import { decodeStrKey, encodeStrKey } from './strkey.ts'

/** Signs 32 bytes with the account's Ed25519 key. */
export interface HashSigner {
  /** The account, `G…`. */
  readonly address: string
  /** The signature, 64 bytes. */
  signHash(hash: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** A wallet that signs whole transactions, like browser wallets. */
export interface WalletSigner {
  /** The account, `G…`. */
  readonly address: string
  /** Takes an unsigned envelope and returns the signed one, both base64. */
  signTransaction(envelopeXdr: string, options: { readonly networkPassphrase: string }): string | Promise<string>
}

export type Signer = HashSigner | WalletSigner

/** The PKCS #8 header of a 32-byte Ed25519 seed. */
const PKCS8 = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20)

/**
 * A signer with a secret key (`S…`), using the platform's Ed25519. The imported key cannot be exported again. Rejects with TypeError unless `secret` is a valid
 * secret key, and with the platform's error where Ed25519 is not supported; pass a HashSigner of your own there.
 */
export async function secretSigner(secret: string): Promise<HashSigner> {
  const subtle = subtleCrypto()
  const pkcs8 = concat(PKCS8, decodeStrKey('secret', secret))
  const exportable = await subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign'])
  const { x = '' } = await subtle.exportKey('jwk', exportable)
  const key = await subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
  pkcs8.fill(0)
  return {
    address: encodeStrKey('account', fromBase64Url(x)),
    signHash: async (hash) => new Uint8Array(await subtle.sign('Ed25519', key, hash)),
  }
}

interface Signed {
  readonly hash: Uint8Array
  /** Base64. */
  readonly signedXdr: string
}

/** Signs a transaction and returns its envelope. Rejects with RefusedToSign when a wallet returns another transaction. */
export async function signTransaction(signer: Signer, tx: Uint8Array, networkPassphrase: string): Promise<Signed> {
  const hash = await transactionHash(tx, networkPassphrase)
  if ('signHash' in signer) return { hash, signedXdr: signedEnvelope(tx, signer.address, await signer.signHash(hash)) }
  const signedXdr = await signer.signTransaction(unsignedEnvelope(tx), { networkPassphrase })
  if (!containsTransaction(signedXdr, tx)) {
    throw new RefusedToSign([{ what: 'the transaction that the wallet signed', expected: 'the one it was given', found: 'a different one' }])
  }
  return { hash, signedXdr }
}
