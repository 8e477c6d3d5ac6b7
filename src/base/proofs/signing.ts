// Signing keys and what is published of them.

import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { sha256 } from './tree.ts'

/** An Ed25519 key that signs for the gateway. It is the key of no account. */
export interface SigningKey {
  readonly privateKey: KeyObject
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** The JWK thumbprint (RFC 7638), by which answers name it. */
  readonly keyId: string
  /** Unix seconds. */
  readonly validFrom: number
  readonly validUntil: number
}

/** The time for which a key is used. A new one should be added before its end. */
const VALIDITY_SEC = 400 * 86_400

/** A key, or undefined when it is not an Ed25519 key. */
export function createSigningKey(privateKey: KeyObject, validFrom: number): SigningKey | undefined {
  if (privateKey.asymmetricKeyType !== 'ed25519') return undefined
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  const keyId = Buffer.from(sha256(Buffer.from(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`))).toString('base64url')
  return { privateKey, publicKey: Buffer.from(x, 'base64url'), keyId, validFrom, validUntil: validFrom + VALIDITY_SEC }
}

/** A public key as the directory lists it. */
export interface PublishedKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly kid: string
  readonly use: 'sig'
  readonly nbf: number
  readonly exp: number
}

export function publishedKey({ publicKey, keyId, validFrom, validUntil }: SigningKey): PublishedKey {
  return { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url'), kid: keyId, use: 'sig', nbf: validFrom, exp: validUntil }
}
