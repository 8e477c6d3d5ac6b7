// Muxed addresses in requests. They are valid addresses, but nobody owns a position or a balance under one, so a list filtered by one would only look empty.

import { decodeMuxed } from '../base/strkey.ts'
import { validationFailure } from './errors.ts'

/** Throws a 400 when the value is `M…` or `W…`. The error names the address to use instead. */
export function rejectMuxedAddress(where: string, value: unknown): void {
  const muxed = typeof value === 'string' ? decodeMuxed(value.trim()) : undefined
  if (muxed === undefined) return
  const { kind, address } = muxed
  throw validationFailure(where, `is a muxed ${kind} address (${kind === 'contract' ? 'W…' : 'M…'}). Use the address of the ${kind}, ${address}`)
}
