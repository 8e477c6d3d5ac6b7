// Combinators that describe the shape of a JSON response: its fields, their JSON types and their XDR types. The same check runs on the captures of real
// nodes and on the local network's responses.

import { xdr } from '@stellar/stellar-sdk'
import { HEADER_AT, withoutMilliseconds } from '../../localnet/ledger/test-header-reader.ts'
import { TEST_PROTOCOL } from '../support/protocol.ts'

/** Returns the problems of a value. Each problem starts with the path of the field. */
export type Shape = (value: unknown, path: string) => string[]

/** A field that may be absent. If present, it must match. */
export interface OptionalField {
  readonly optional: Shape
}

type Fields = Readonly<Record<string, Shape | OptionalField>>

interface XdrType {
  fromXdr(bytes: Uint8Array): unknown
}

function scalar(expected: string, matches: (value: unknown) => boolean): Shape {
  return (value, path) => (matches(value) ? [] : [`${path}: ${describe(value)} instead of ${expected}`])
}

function stringMatching(expected: string, pattern: RegExp): Shape {
  return scalar(expected, (value) => typeof value === 'string' && pattern.test(value))
}

/** An integer as a JSON number. */
export const integer = scalar('an integer', (value) => Number.isInteger(value))
/** Digits in a JSON string: the encoding of some times and of all fees. */
export const digits = stringMatching('a string of digits', /^\d+$/)
export const anyString = stringMatching('a string', /^/)
export const boolean = scalar('a boolean', (value) => typeof value === 'boolean')
export const hash = stringMatching('64 hex digits', /^[0-9a-f]{64}$/)
export const eventId = stringMatching('an event id', /^\d{19}-\d{10}$/)
/** RFC 3339, UTC, whole seconds. */
export const instant = stringMatching('an RFC 3339 time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
export const contractOrEmpty = stringMatching('a contract id or an empty string', /^(C[A-Z2-7]{55})?$/)

/** One of these strings. */
export function oneOf(...values: readonly string[]): Shape {
  return scalar(values.join(' or '), (value) => typeof value === 'string' && values.includes(value))
}

/** The types that contain a ledger header, with its position on the local network. The SDK does not decode headers of protocol 30. */
const HEADER_POSITIONS: Readonly<Partial<Record<keyof typeof xdr, number>>> = {
  LedgerHeader: HEADER_AT.header, LedgerHeaderHistoryEntry: HEADER_AT.entry, LedgerCloseMeta: HEADER_AT.closeMeta,
}

/** Base64 XDR that decodes as this type without trailing bytes. */
export function xdrOf(name: keyof typeof xdr): Shape {
  const headerAt = HEADER_POSITIONS[name]
  const type = xdr[name] as unknown as XdrType
  return (value, path) => {
    if (typeof value !== 'string' || value === '') return [`${path}: ${describe(value)} instead of ${name} in base64`]
    try {
      const bytes = Buffer.from(value, 'base64')
      const isLocal = headerAt !== undefined && bytes.length > headerAt + 4 && bytes.readUInt32BE(headerAt) === TEST_PROTOCOL
      type.fromXdr(isLocal ? withoutMilliseconds(bytes, headerAt) : bytes)
      return []
    } catch (error) {
      return [`${path}: not ${name}: ${error instanceof Error ? error.message : String(error)}`]
    }
  }
}

export function arrayOf(item: Shape): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return [`${path}: ${describe(value)} instead of an array`]
    return value.flatMap((element: unknown, index) => item(element, `${path}[${index}]`))
  }
}

/** An array that is omitted when it is empty. */
export function arrayUnlessEmpty(item: Shape): OptionalField {
  const array = arrayOf(item)
  return { optional: (value, path) => (Array.isArray(value) && value.length === 0 ? [`${path}: empty instead of absent`] : array(value, path)) }
}

export function optional(shape: Shape): OptionalField {
  return { optional: shape }
}

/** An object with these fields and no others. */
export function object(fields: Fields): Shape {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: ${describe(value)} instead of an object`]
    const record = value as Readonly<Record<string, unknown>>
    const problems = Object.keys(record).filter((name) => fields[name] === undefined).map((name) => `${path}.${name}: unknown`)
    for (const [name, field] of Object.entries(fields)) {
      const present = Object.hasOwn(record, name)
      if (typeof field === 'function') problems.push(...(present ? field(record[name], `${path}.${name}`) : [`${path}.${name}: missing`]))
      else if (present) problems.push(...field.optional(record[name], `${path}.${name}`))
    }
    return problems
  }
}

/** Picks the shape that depends on the value. */
export function choose(pick: (value: Readonly<Record<string, unknown>>) => Shape): Shape {
  return (value, path) => {
    if (typeof value !== 'object' || value === null) return [`${path}: ${describe(value)} instead of an object`]
    return pick(value as Readonly<Record<string, unknown>>)(value, path)
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'string' || typeof value === 'number' ? `${typeof value} ${JSON.stringify(value).slice(0, 40)}` : typeof value
}
