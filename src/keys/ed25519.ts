// Ed25519 signatures under raw public keys.

import { createPublicKey, verify } from 'node:crypto'

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64

/**
 * Points of small order, the list that libsodium rejects (y without the sign bit, little endian, including non-canonical encodings). Anyone can forge
 * signatures for such a key. One of them is the address of 32 zero bytes.
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

/** True when the signature over `message` is valid. */
export type Verifier = (message: Uint8Array, signature: Uint8Array) => boolean

/** The verifier for a raw public key; undefined for an invalid or weak key. */
export function createVerifier(publicKey: Uint8Array): Verifier | undefined {
  if (publicKey.length !== KEY_BYTES || isSmallOrder(publicKey)) return undefined
  const x = Buffer.from(publicKey).toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return (message, signature) => signature.length === SIGNATURE_BYTES && verify(null, message, key, signature)
}

function isSmallOrder(publicKey: Uint8Array): boolean {
  const y = Buffer.from(publicKey)
  y[KEY_BYTES - 1] = (y[KEY_BYTES - 1] ?? 0) & 0x7f
  return SMALL_ORDER.has(y.toString('hex'))
}
