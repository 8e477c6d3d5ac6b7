// Signed notes (C2SP signed-note) with the checkpoint of a log, and the keys that sign.

import { concat, decodeBase64, fromBase64Url, isEqual, toBase64, toHex } from '../bytes.ts'
import { ProofFailure } from '../errors.ts'
import { sha256, subtleCrypto } from '../platform.ts'
import type { Hash } from './tree.ts'

/** A checkpoint of the log, as a signed note states it. */
export interface Checkpoint {
  /** The name of the log. */
  readonly origin: string
  readonly size: number
  readonly root: Hash
  /** The signed note. Keep it: two notes that contradict each other are evidence. */
  readonly note: string
}

/** A public key in the form of the gateway's directory (JWK). Times are Unix seconds. */
export interface LogKey {
  /** Base64url. */
  readonly x: string
  readonly nbf?: number
  readonly exp?: number
}

const ED25519 = Uint8Array.of(1)
const SIGNATURE_LINE = /^\u2014 (\S+) (\S+)$/

/** The JWK thumbprint of a key (RFC 7638), base64url. */
export async function thumbprint({ x }: LogKey): Promise<string> {
  const hash = await sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`))
  return toBase64(hash).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** True if a key has signed the text. */
export async function isSignedBy(key: LogKey, signature: Uint8Array, text: string): Promise<boolean> {
  const subtle = subtleCrypto()
  try {
    return await subtle.verify('Ed25519', await subtle.importKey('raw', fromBase64Url(key.x), 'Ed25519', false, ['verify']), signature, utf8(text))
  } catch (error) {
    // A malformed key or signature is an invalid one. Anything else: the platform has no Ed25519.
    if ((error as { readonly name?: string }).name === 'DataError') return false
    throw error
  }
}

/** Reads a note without checking its signatures. Throws ProofFailure. */
export function readNote(note: string): Checkpoint {
  const end = note.indexOf('\n\n')
  const [origin = '', size = '', root = ''] = note.slice(0, Math.max(0, end)).split('\n')
  const bytes = decodeBase64(root)
  const lines = note.slice(end + 2).split('\n')
  const isNote = end !== -1 && lines.at(-1) === '' && lines.length > 1 && lines.slice(0, -1).every((line) => SIGNATURE_LINE.test(line))
  if (!isNote || origin === '' || !/^(0|[1-9]\d{0,14})$/.test(size) || bytes?.length !== 32) {
    throw new ProofFailure('malformed', 'This is not the note of a checkpoint.', [note])
  }
  return { origin, size: Number(size), root: bytes, note }
}

/** Reads a note, and checks that one of the keys has signed it in the name of the log. Throws ProofFailure. */
export async function openNote(note: string, keys: readonly LogKey[]): Promise<Checkpoint> {
  const checkpoint = readNote(note)
  const end = note.indexOf('\n\n')
  const text = note.slice(0, end + 1)
  for (const line of note.slice(end + 2, -1).split('\n')) {
    const [, name, base64 = ''] = SIGNATURE_LINE.exec(line) ?? []
    const bytes = decodeBase64(base64)
    if (name !== checkpoint.origin || bytes?.length !== 68) continue
    for (const key of keys) {
      const id = await sha256(concat(utf8(`${name}\n`), ED25519, fromBase64Url(key.x)))
      if (isEqual(id.subarray(0, 4), bytes.subarray(0, 4)) && await isSignedBy(key, bytes.subarray(4), text)) return checkpoint
    }
  }
  throw new ProofFailure('signature', 'None of the known keys has signed this checkpoint.', [note])
}

/** Throws ProofFailure unless the trees of two checkpoints are the same one. */
export function checkSame(first: Checkpoint, second: Checkpoint): void {
  if (first.size !== second.size || !isEqual(first.root, second.root)) {
    const text = `Two trees of ${first.size} and ${second.size} records contradict each other: ${toHex(first.root)}, ${toHex(second.root)}.`
    throw new ProofFailure('inconsistent', text, [first.note, second.note])
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
