// Ed25519 signatures and what they weigh. node:crypto verifies ten times faster than the SDK's own.

import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { addressBytes } from './addresses.ts'
import type { AccountEntry } from './entries.ts'
import { toBase64 } from './xdr-writer.ts'

/** What stands before the 32 bytes of an Ed25519 public key in SPKI. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const SIGNATURE_BYTES = 64
const HINT_BYTES = 4

const KEY_OBJECTS_MAX = 10_000
const keyObjects = new Map<string, KeyObject>()

/** A signature is judged when its transaction is sent and again when it is applied: the verdicts are kept for that long. */
const VERIFICATIONS_MAX = 20_000
const verifications = new Map<string, boolean>()

function keyObject(account: string): KeyObject {
  const known = keyObjects.get(account)
  if (known !== undefined) return known
  if (keyObjects.size >= KEY_OBJECTS_MAX) keyObjects.clear()
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, addressBytes(account)]), format: 'der', type: 'spki' })
  keyObjects.set(account, key)
  return key
}

/** True when `signature` over `message` was made with the key of the account's address. */
export function verifySignature(account: string, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false
  const id = `${account}${toBase64(message)}${toBase64(signature)}`
  const known = verifications.get(id)
  if (known !== undefined) return known
  if (verifications.size >= VERIFICATIONS_MAX) verifications.clear()
  const verdict = verify(null, message, keyObject(account), signature)
  verifications.set(id, verdict)
  return verdict
}

/** A signature as an envelope carries it. */
export interface HintedSignature {
  readonly hint: Uint8Array
  readonly signature: Uint8Array
}

/** What one key's signature weighs for an account; 0 when it may not sign. */
export function signerWeight(account: AccountEntry, key: string): number {
  if (key === account.account) return account.thresholds[0]
  return account.signers.find((signer) => signer.key === key)?.weight ?? 0
}

/** Judges the signatures of one envelope, and remembers which were needed. */
export interface SignatureChecker {
  /** True when signatures of the account's signers reach `threshold`; at least one is needed. */
  meetsThreshold(account: AccountEntry, threshold: number): boolean
  /** True when the key of an address signed: the signers that preconditions ask for. */
  signedBy(key: string): boolean
  /** True when no signature is superfluous. */
  allUsed(): boolean
}

/** A checker of the signatures over `hash`. */
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
