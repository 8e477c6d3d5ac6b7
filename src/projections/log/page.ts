// Pages of rows, and the opaque cursors between them.

import { hash } from 'node:crypto'
import type { GapRange } from '../../resources/gap-range.ts'

/** The state of the index that a page was read from: last ledger, last seq, and epoch. A null ledger or epoch means that nothing is indexed yet. */
export interface Head {
  readonly ledger: number | null
  readonly seq: number
  readonly epoch: string | null
  /** Only as of a requested ledger. Final: later ledgers are indexed, and no gap may still add events to it. */
  readonly asOf?: { readonly final: boolean }
}

/** One page, newest first unless the list says otherwise. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** The cursor of the next page; null after the last page. */
  readonly next: string | null
  readonly head: Head
  /** Gaps that the page overlaps, for lists that report them; otherwise empty. */
  readonly gaps: readonly GapRange[]
}

/** A cursor that this list did not issue. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor'
}

/** Encodes the position after a row. `kind` identifies the list, so that other lists reject the cursor. */
export function encodeCursor(kind: string, position: readonly (string | number)[]): string {
  const packed = Buffer.from(JSON.stringify([kind, ...position]), 'utf8').toString('base64url')
  return packed + digestOf(packed)
}

/**
 * Decodes a cursor of this list. Throws InvalidCursor for anything else, including a corrupted cursor, which could silently skip rows. The caller must still
 * validate the parts.
 */
export function decodeCursor(kind: string, cursor: string, length: number): readonly (string | number)[] {
  const packed = cursor.slice(0, -DIGEST_LENGTH)
  if (cursor !== packed + digestOf(packed)) throw new InvalidCursor(INVALID_CURSOR)
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(packed, 'base64url').toString('utf8'))
  } catch {
    throw new InvalidCursor(INVALID_CURSOR)
  }
  if (!Array.isArray(parsed) || parsed.length !== length + 1 || parsed[0] !== kind) throw new InvalidCursor(INVALID_CURSOR)
  const parts: unknown[] = parsed.slice(1)
  if (!parts.every((part): part is string | number => typeof part === 'string' || Number.isSafeInteger(part))) throw new InvalidCursor(INVALID_CURSOR)
  return parts
}

export const INVALID_CURSOR = 'was not issued by this list'

/** Detects accidental corruption; forging a cursor gains nothing. */
const DIGEST_LENGTH = 6

function digestOf(packed: string): string {
  return hash('sha256', packed, 'base64url').slice(0, DIGEST_LENGTH)
}
