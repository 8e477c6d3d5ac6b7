// Values of several protocols with what they mean. They live in a folder outside the project. Tests that need them are skipped if the folder is missing.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Set `PERP_PROTOCOL_VECTORS` to use another folder. */
const FOLDER = process.env['PERP_PROTOCOL_VECTORS'] ?? fileURLToPath(new URL('../../../shared/fixtures/protocol', import.meta.url))
const VECTORS_FILE = join(FOLDER, 'vectors.json')

/** The skip reason for node:test if the vectors are missing, else false. */
export const vectorsMissing: string | false = existsSync(VECTORS_FILE) ? false : `No vectors in ${VECTORS_FILE}. Set PERP_PROTOCOL_VECTORS to their folder.`

export interface ProtocolVector {
  readonly name: string
  readonly type: string
  /** Base64. */
  readonly xdr: string
  readonly expect: Readonly<Record<string, unknown>>
  /** The bytes that a validator signed, base64. */
  readonly signaturePayload?: { readonly signedBytes: string }
}

/** All vectors of an XDR type; none if the file is missing. */
export function protocolVectors(type: string): readonly ProtocolVector[] {
  if (vectorsMissing !== false) return []
  const { vectors } = JSON.parse(readFileSync(VECTORS_FILE, 'utf8')) as { readonly vectors: readonly ProtocolVector[] }
  return vectors.filter((vector) => vector.type === type)
}
