// Ed25519 signatures and signer weights. node:crypto verifies ten times faster than the SDK.

import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { createCache } from '../../src/base/cache.ts'
import { addressBytes } from './addresses.ts'
import type { AccountEntry } from './entries.ts'
import { toBase64 } from './xdr-writer.ts'

/** The SPKI prefix of an Ed25519 public key. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const SIGNATURE_BYTES = 64
const HINT_BYTES = 4

const KEY_OBJECTS_MAX = 10_000
const keyObjects = createCache<string, KeyObject>(KEY_OBJECTS_MAX)

/** A signature is verified when its transaction is sent and again when it is applied, so results are cached. */
const VERIFICATIONS_MAX = 20_000
const verifications = createCache<string, boolean>(VERIFICATIONS_MAX)

function keyObject(account: string): KeyObject {
  const cached = keyObjects.get(account)
  if (cached !== undefined) return cached
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, addressBytes(account)]), format: 'der', type: 'spki' })
  keyObjects.set(account, key)
  return key
}

/** True when `signature` is valid for `message` and the key of the account's address. */
export function verifySignature(account: string, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false
  const id = `${account}${toBase64(message)}${toBase64(signature)}`
  const cached = verifications.get(id)
  if (cached !== undefined) return cached
  const valid = verify(null, message, keyObject(account), signature)
  verifications.set(id, valid)
  return valid
}

/** DecoratedSignature. */
export interface HintedSignature {
  readonly hint: Uint8Array
  readonly signature: Uint8Array
}

/** The weight of a key for an account; 0 when it is not a signer. */
export function signerWeight(account: AccountEntry, key: string): number {
  if (key === account.account) return account.thresholds[0]
  return account.signers.find((signer) => signer.key === key)?.weight ?? 0
}

/** Checks the signatures of one envelope and tracks which were used. */
export interface SignatureChecker {
  /** True when the weights of the account's signers who signed reach `threshold`. At least one signature is required. */
  meetsThreshold(account: AccountEntry, threshold: number): boolean
  /** True when the key of an address signed. Used for extra signers. */
  signedBy(key: string): boolean
  /** True when every signature was used. */
  allUsed(): boolean
}

export function createSignatureChecker(hash: Uint8Array, signatures: readonly HintedSignature[]): SignatureChecker {
  const used = new Set<number>()

  function matches(index: number, key: string): boolean {
    const candidate = signatures[index]
    if (candidate === undefined) return false
    const hint = addressBytes(key).subarray(-HINT_BYTES)
    return Buffer.compare(candidate.hint, hint) === 0 && verifySignature(key, hash, candidate.signature)
  }

  function reaches(account: AccountEntry, threshold: number): boolean {
    const candidates = [{ key: account.account, weight: account.thresholds[0] }, ...account.signers].filter(({ weight }) => weight > 0)
    let total = 0
    for (let index = 0; index < signatures.length; index++) {
      const position = candidates.findIndex(({ key }) => matches(index, key))
      if (position < 0) continue
      used.add(index)
      total += candidates[position]?.weight ?? 0
      if (total >= threshold) return true
      candidates.splice(position, 1)
    }
    return false
  }

  return {
    meetsThreshold: reaches,
    signedBy(key) {
      const index = signatures.findIndex((_, candidate) => matches(candidate, key))
      if (index >= 0) used.add(index)
      return index >= 0
    },
    allUsed: () => used.size === signatures.length,
  }
}
