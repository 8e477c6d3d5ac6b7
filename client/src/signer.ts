// Who signs. The client hands over what it has verified, and never keeps a secret longer than it takes to make a key of it.

import { concat } from './bytes.ts'
import { containsTransaction, signedEnvelope, transactionHash, unsignedEnvelope } from './envelope.ts'
import { RefusedToSign } from './errors.ts'
import { platform, subtleCrypto } from './platform.ts'
import { decodeStrKey, encodeStrKey } from './strkey.ts'

/** Signs 32 bytes with the account's Ed25519 key. */
export interface HashSigner {
  /** The account, `G…`. */
  readonly address: string
  /** The signature, 64 bytes. */
  signHash(hash: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** A wallet that takes a whole transaction, as those in browsers do. */
export interface WalletSigner {
  /** The account, `G…`. */
  readonly address: string
  /** Base64 in, base64 with a signature out. */
  signTransaction(envelopeXdr: string, how: { readonly networkPassphrase: string }): string | Promise<string>
}

export type Signer = HashSigner | WalletSigner

/** PKCS #8 before the 32 bytes of an Ed25519 seed. */
const PKCS8 = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20)

/**
 * A signer of a secret key (`S…`), by the platform's own Ed25519. The key that is kept cannot be read out again. Rejects with TypeError when the text is no
 * secret key, and with the platform's error when that knows no Ed25519: give a function of your own then.
 */
export async function secretSigner(secret: string): Promise<HashSigner> {
  const subtle = subtleCrypto()
  const pkcs8 = concat(PKCS8, decodeStrKey('secret', secret))
  const readable = await subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign'])
  const { x = '' } = await subtle.exportKey('jwk', readable)
  const key = await subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
  pkcs8.fill(0)
  return {
    address: encodeStrKey('account', fromBase64Url(x)),
    signHash: async (hash) => new Uint8Array(await subtle.sign('Ed25519', key, hash)),
  }
}

function fromBase64Url(text: string): Uint8Array {
  return Uint8Array.from(platform.atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
}

interface Signed {
  readonly hash: Uint8Array
  /** Base64. */
  readonly signedXdr: string
}

/** Signs a transaction's bytes and gives back its envelope. What a wallet gives back is taken only around the very same transaction. */
export async function signTransaction(signer: Signer, tx: Uint8Array, networkPassphrase: string): Promise<Signed> {
  const hash = await transactionHash(tx, networkPassphrase)
  if ('signHash' in signer) return { hash, signedXdr: signedEnvelope(tx, signer.address, await signer.signHash(hash)) }
  const signedXdr = await signer.signTransaction(unsignedEnvelope(tx), { networkPassphrase })
  if (!containsTransaction(signedXdr, tx)) {
    throw new RefusedToSign([{ what: 'what the wallet signed', expected: 'the transaction that it was given', found: 'another one' }])
  }
  return { hash, signedXdr }
}
