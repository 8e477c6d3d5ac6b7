// Shapes of JSON results: fields, JSON types and XDR types. The same check runs on captures of real nodes and on the local network's results.

import { xdr } from '@stellar/stellar-sdk'

/** Returns the problems of a value; each starts with the path to it. */
export type Shape = (value: unknown, path: string) => string[]

/** A field that may be absent. */
export interface OptionalField {
  readonly optional: Shape
}

type Fields = Readonly<Record<string, Shape | OptionalField>>

interface XdrType {
  fromXdr(text: string, format: 'base64'): unknown
}

function leaf(expected: string, fits: (value: unknown) => boolean): Shape {
  return (value, path) => (fits(value) ? [] : [`${path}: ${describe(value)} instead of ${expected}`])
}

function text(expected: string, pattern: RegExp): Shape {
  return leaf(expected, (value) => typeof value === 'string' && pattern.test(value))
}

/** A JSON integer. */
export const integer = leaf('an integer', (value) => Number.isInteger(value))
/** An integer as a JSON string. */
export const digits = text('a string of digits', /^\d+$/)
export const anyString = text('a string', /^/)
export const flag = leaf('a boolean', (value) => typeof value === 'boolean')
export const hash = text('64 hex digits', /^[0-9a-f]{64}$/)
export const eventId = text('an event id', /^\d{19}-\d{10}$/)
/** RFC 3339, UTC, whole seconds. */
export const instant = text('a timestamp', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
export const contractOrEmpty = text('a contract id or an empty string', /^(C[A-Z2-7]{55})?$/)

/** One of these strings. */
export function oneOf(...texts: readonly string[]): Shape {
  return leaf(texts.join(' or '), (value) => typeof value === 'string' && texts.includes(value))
}

/** Base64 XDR that decodes as this type without trailing bytes. */
export function xdrOf(name: keyof typeof xdr): Shape {
  const type = xdr[name] as unknown as XdrType
  return (value, path) => {
    if (typeof value !== 'string' || value === '') return [`${path}: ${describe(value)} instead of ${name} in base64`]
    try {
      type.fromXdr(value, 'base64')
      return []
    } catch (error) {
      return [`${path}: not ${name}: ${error instanceof Error ? error.message : String(error)}`]
    }
  }
}

export function listOf(each: Shape): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return [`${path}: ${describe(value)} instead of a list`]
    return value.flatMap((item: unknown, index) => each(item, `${path}[${index}]`))
  }
}

/** A list that is absent when empty. */
export function listUnlessEmpty(each: Shape): OptionalField {
  const list = listOf(each)
  return { optional: (value, path) => (Array.isArray(value) && value.length === 0 ? [`${path}: empty instead of absent`] : list(value, path)) }
}

export function optional(shape: Shape): OptionalField {
  return { optional: shape }
}

/** An object with these fields and no others. */
export function object(fields: Fields): Shape {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: ${describe(value)} instead of an object`]
    const given = value as Readonly<Record<string, unknown>>
    const problems = Object.keys(given).filter((name) => fields[name] === undefined).map((name) => `${path}.${name}: unknown`)
    for (const [name, field] of Object.entries(fields)) {
      const present = Object.hasOwn(given, name)
      if (typeof field === 'function') problems.push(...(present ? field(given[name], `${path}.${name}`) : [`${path}.${name}: missing`]))
      else if (present) problems.push(...field.optional(given[name], `${path}.${name}`))
    }
    return problems
  }
}

/** Chooses the shape by the value. */
export function choose(pick: (value: Readonly<Record<string, unknown>>) => Shape): Shape {
  return (value, path) => {
    if (typeof value !== 'object' || value === null) return [`${path}: ${describe(value)} instead of an object`]
    return pick(value as Readonly<Record<string, unknown>>)(value, path)
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string' || typeof value === 'number' ? `${typeof value} ${JSON.stringify(value).slice(0, 40)}` : typeof value
}
