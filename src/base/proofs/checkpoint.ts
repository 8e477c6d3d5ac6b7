// Checkpoints: signed notes (C2SP signed-note and tlog-checkpoint) that state the size and root of the log.

import { sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { sha256 } from './tree.ts'
import type { Hash } from './tree.ts'

/** What a checkpoint states. */
export interface Checkpoint {
  /** The name of the log. */
  readonly origin: string
  readonly size: number
  readonly root: Hash
}

/** A key that signs notes. */
export interface NoteSigner {
  readonly name: string
  readonly privateKey: KeyObject
  /** The 32 bytes of the Ed25519 key. */
  readonly publicKey: Uint8Array
}

/** The algorithm's number in key ids and in the text form of keys: Ed25519. */
const ED25519 = 1
const KEY_ID_BYTES = 4
const SIGNATURE_PREFIX = '\u2014 '

/** The body of a checkpoint's note: three lines. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`
}

/** Signs a note's text, which ends with a line feed: one line per signer, in this order. */
export function signNote(text: string, signers: readonly NoteSigner[]): string {
  const lines = signers.map(({ name, privateKey, publicKey }) => {
    const signature = sign(null, Buffer.from(text), privateKey)
    return `${SIGNATURE_PREFIX}${name} ${Buffer.concat([noteKeyId(name, publicKey), signature]).toString('base64')}\n`
  })
  return `${text}\n${lines.join('')}`
}

/** The first four bytes of SHA-256 of name, line feed, algorithm and key. */
export function noteKeyId(name: string, publicKey: Uint8Array): Buffer {
  return Buffer.from(sha256(Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), publicKey]))).subarray(0, KEY_ID_BYTES)
}
