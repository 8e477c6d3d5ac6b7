// Pages of rows and the opaque cursors that continue them.

import { hash } from 'node:crypto'
import type { GapRange } from '../resources/gap-range.ts'

/** The state of the index that an answer was read from: the last indexed ledger and the log position. Null: nothing indexed yet. */
export interface Head {
  readonly ledger: number | null
  readonly seq: number
}

/** One page, newest first unless the list says otherwise. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** The cursor that continues exactly behind the last row; null when no more rows exist. */
  readonly next: string | null
  readonly head: Head
  /** Lost ledgers whose events would stand on it, where the list tells of them; else empty. */
  readonly gaps: readonly GapRange[]
}

/** Raised for a cursor that this list did not hand out. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor'
}

/** Packs the position behind a row. `kind` names the list, so that a cursor of one list is refused by another. */
export function encodeCursor(kind: string, position: readonly (string | number)[]): string {
  const packed = Buffer.from(JSON.stringify([kind, ...position]), 'utf8').toString('base64url')
  return packed + digestOf(packed)
}

/**
 * Unpacks a cursor of this list; throws InvalidCursor for anything else, one changed on its way included: read as another place, it would lose rows in
 * silence. The parts are still unchecked beyond their JSON types.
 */
export function decodeCursor(kind: string, cursor: string, length: number): readonly (string | number)[] {
  const packed = cursor.slice(0, -DIGEST_LENGTH)
  if (cursor !== packed + digestOf(packed)) throw new InvalidCursor(REFUSAL)
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(packed, 'base64url').toString('utf8'))
  } catch {
    throw new InvalidCursor(REFUSAL)
  }
  if (!Array.isArray(parsed) || parsed.length !== length + 1 || parsed[0] !== kind) throw new InvalidCursor(REFUSAL)
  const parts: unknown[] = parsed.slice(1)
  if (!parts.every((part): part is string | number => typeof part === 'string' || Number.isSafeInteger(part))) throw new InvalidCursor(REFUSAL)
  return parts
}

const REFUSAL = 'cursor is not one that this list handed out'

/** Guards against accidents, not against somebody who wants another place: that would gain them nothing. */
const DIGEST_LENGTH = 6

function digestOf(packed: string): string {
  return hash('sha256', packed, 'base64url').slice(0, DIGEST_LENGTH)
}
