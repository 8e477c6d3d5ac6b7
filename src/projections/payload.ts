// Values out of archived payloads. What was archived as decoded has its shape, so that anything else is a mistake of this program.

import { assert } from '../base/assert.ts'
import type { ArchivedEvent } from './archived-event.ts'

type Decoded = Pick<ArchivedEvent, 'payload'>

/** A text: an address, a symbol, or an integer too wide for JSON. */
export function textOf({ payload }: Decoded, key: string): string {
  const value = payload?.[key]
  assert(typeof value === 'string', `archived payload: ${key} is not a text`)
  return value
}

/** An integer that is served as a string of digits. */
export function bigOf(event: Decoded, key: string): bigint {
  return BigInt(textOf(event, key))
}

/** An integer that is served as one. */
export function numberOf({ payload }: Decoded, key: string): number {
  const value = payload?.[key]
  assert(typeof value === 'number', `archived payload: ${key} is not a number`)
  return value
}
