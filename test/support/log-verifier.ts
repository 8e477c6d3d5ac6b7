// Verifies proofs, notes and checkpoints of the log, as a client does: by the rules of RFC 9162 and C2SP, independent of how the gateway makes them.

import { verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { noteKeyId } from '../../src/base/proofs/checkpoint.ts'
import type { Checkpoint } from '../../src/base/proofs/checkpoint.ts'
import { HASH_BYTES, hashNode } from '../../src/base/proofs/tree.ts'
import type { Hash } from '../../src/base/proofs/tree.ts'

const ED25519 = 1
const KEY_ID_BYTES = 4
const SIGNATURE_BYTES = 64

/** True if the path leads from a leaf's hash to the root (RFC 9162, 2.1.3.2). */
export function verifyInclusion(
  { index, size, path }: { readonly index: number; readonly size: number; readonly path: readonly Hash[] }, leaf: Hash, root: Hash,
): boolean {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) return false
  let node = index
  let last = size - 1
  let hashed = leaf
  for (const sibling of path) {
    if (last === 0) return false
    const isRight = node % 2 === 1 || node === last
    hashed = isRight ? hashNode(sibling, hashed) : hashNode(hashed, sibling)
    for (; isRight && node % 2 === 0 && node !== 0; node = node / 2) last = Math.floor(last / 2)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && isSame(hashed, root)
}

/** True if the path shows that the first tree begins the second one (RFC 9162, 2.1.4.2). */
export function verifyConsistency(
  { first, second, path }: { readonly first: number; readonly second: number; readonly path: readonly Hash[] }, firstRoot: Hash, secondRoot: Hash,
): boolean {
  if (first > second || first < 0) return false
  if (first === second || first === 0) return path.length === 0 && (first === 0 || isSame(firstRoot, secondRoot))
  const hashes = Number.isInteger(Math.log2(first)) ? [firstRoot, ...path] : path
  const [seed, ...others] = hashes
  if (seed === undefined) return false
  let node = first - 1
  let last = second - 1
  for (; node % 2 === 1; node = (node - 1) / 2) last = Math.floor(last / 2)
  let old = seed
  let grown = seed
  for (const hashed of others) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      old = hashNode(hashed, old)
      grown = hashNode(hashed, grown)
      for (; node % 2 === 0 && node !== 0; node = node / 2) last = Math.floor(last / 2)
    } else {
      grown = hashNode(grown, hashed)
    }
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && isSame(old, firstRoot) && isSame(grown, secondRoot)
}

function isSame(a: Hash, b: Hash): boolean {
  return Buffer.compare(a, b) === 0
}

/** A key in the text form of C2SP: `name+hexadecimal id+base64 of algorithm and key`. */
export function noteVerifierKey(name: string, publicKey: Uint8Array): string {
  return `${name}+${noteKeyId(name, publicKey).toString('hex')}+${Buffer.concat([Buffer.of(ED25519), publicKey]).toString('base64')}`
}

/** The text of a note that this key has signed; undefined if it has not. Signatures of other keys are ignored. */
export function openNote(note: string, { name, publicKey }: { readonly name: string; readonly publicKey: KeyObject }): string | undefined {
  const end = note.lastIndexOf('\n\n')
  if (end === -1 || !note.endsWith('\n')) return undefined
  const text = note.slice(0, end + 1)
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const keyId = noteKeyId(name, raw)
  const isSigned = note.slice(end + 2, -1).split('\n').some((line) => {
    const [, signer, base64] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? []
    const bytes = Buffer.from(base64 ?? '', 'base64')
    if (signer !== name || bytes.length !== KEY_ID_BYTES + SIGNATURE_BYTES || !keyId.equals(bytes.subarray(0, KEY_ID_BYTES))) return false
    return verify(null, Buffer.from(text), publicKey, bytes.subarray(KEY_ID_BYTES))
  })
  return isSigned ? text : undefined
}

/** Reads the text of a checkpoint; undefined for anything else. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin = '', size = '', root = ''] = text.split('\n')
  const hash = Buffer.from(root, 'base64')
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || hash.length !== HASH_BYTES || hash.toString('base64') !== root) return undefined
  return { origin, size: Number(size), root: hash }
}
