// Typed access to archived payloads. A decoded payload has the shape of its topic, so a mismatch is a bug.

import { assert } from '../../base/assert.ts'
import type { ArchivedEvent } from './archived-event.ts'

type Decoded = Pick<ArchivedEvent, 'payload'>

/** A text: an address, a symbol, or an integer too large for a JSON number. */
export function textOf({ payload }: Decoded, key: string): string {
  const value = payload?.[key]
  assert(typeof value === 'string', `archived payload: ${key} is not a text`)
  return value
}

/** An integer that is served as a string of digits. */
export function bigOf(event: Decoded, key: string): bigint {
  return BigInt(textOf(event, key))
}

/** As `bigOf`; null when the event does not have the key. */
export function optionalBigOf(event: Decoded, key: string): bigint | null {
  return event.payload?.[key] === undefined ? null : bigOf(event, key)
}

/** An integer that is served as a JSON number. */
export function numberOf({ payload }: Decoded, key: string): number {
  const value = payload?.[key]
  assert(typeof value === 'number', `archived payload: ${key} is not a number`)
  return value
}
