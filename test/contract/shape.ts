// A small language for the shapes of JSON answers: which fields, of which JSON type, holding which XDR. The same check runs on what real nodes have
// answered and on what the local network answers.

import { xdr } from '@stellar/stellar-sdk'

/** Finds what is wrong with a value; each problem begins with its place. */
export type Shape = (value: unknown, place: string) => string[]

/** A field that may be absent; present, it must fit. */
export interface OptionalField {
  readonly optional: Shape
}

type Fields = Readonly<Record<string, Shape | OptionalField>>

interface XdrType {
  fromXdr(text: string, format: 'base64'): unknown
}

function leaf(expected: string, fits: (value: unknown) => boolean): Shape {
  return (value, place) => (fits(value) ? [] : [`${place}: ${describe(value)} instead of ${expected}`])
}

function text(expected: string, pattern: RegExp): Shape {
  return leaf(expected, (value) => typeof value === 'string' && pattern.test(value))
}

/** A JSON number, whole. */
export const integer = leaf('an integer', (value) => Number.isInteger(value))
/** Digits in a JSON string: how the node writes times and fees where it does not write numbers. */
export const digits = text('a text of digits', /^\d+$/)
export const anyText = text('a text', /^/)
export const flag = leaf('a boolean', (value) => typeof value === 'boolean')
export const hash = text('64 hex digits', /^[0-9a-f]{64}$/)
export const eventId = text('an event id', /^\d{19}-\d{10}$/)
/** RFC 3339, UTC, whole seconds. */
export const instant = text('an instant', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
export const contractOrNone = text('a contract or nothing', /^(C[A-Z2-7]{55})?$/)

/** Exactly one of these texts. */
export function oneOf(...texts: readonly string[]): Shape {
  return leaf(texts.join(' or '), (value) => typeof value === 'string' && texts.includes(value))
}

/** Base64 XDR that decodes as this type, to its last byte. */
export function xdrOf(name: keyof typeof xdr): Shape {
  const type = xdr[name] as unknown as XdrType
  return (value, place) => {
    if (typeof value !== 'string' || value === '') return [`${place}: ${describe(value)} instead of ${name} in base64`]
    try {
      type.fromXdr(value, 'base64')
      return []
    } catch (error) {
      return [`${place}: not ${name}: ${error instanceof Error ? error.message : String(error)}`]
    }
  }
}

export function listOf(each: Shape): Shape {
  return (value, place) => {
    if (!Array.isArray(value)) return [`${place}: ${describe(value)} instead of a list`]
    return value.flatMap((item: unknown, index) => each(item, `${place}[${index}]`))
  }
}

/** A list that is left out when it is empty. */
export function listUnlessEmpty(each: Shape): OptionalField {
  const list = listOf(each)
  return { optional: (value, place) => (Array.isArray(value) && value.length === 0 ? [`${place}: empty instead of absent`] : list(value, place)) }
}

export function optional(shape: Shape): OptionalField {
  return { optional: shape }
}

/** These fields and no others. */
export function object(fields: Fields): Shape {
  return (value, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${place}: ${describe(value)} instead of an object`]
    const given = value as Readonly<Record<string, unknown>>
    const problems = Object.keys(given).filter((name) => fields[name] === undefined).map((name) => `${place}.${name}: unknown`)
    for (const [name, field] of Object.entries(fields)) {
      const present = Object.hasOwn(given, name)
      if (typeof field === 'function') problems.push(...(present ? field(given[name], `${place}.${name}`) : [`${place}.${name}: missing`]))
      else if (present) problems.push(...field.optional(given[name], `${place}.${name}`))
    }
    return problems
  }
}

/** Chooses the shape by a look at the value. */
export function choose(pick: (value: Readonly<Record<string, unknown>>) => Shape): Shape {
  return (value, place) => {
    if (typeof value !== 'object' || value === null) return [`${place}: ${describe(value)} instead of an object`]
    return pick(value as Readonly<Record<string, unknown>>)(value, place)
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string' || typeof value === 'number' ? `${typeof value} ${JSON.stringify(value).slice(0, 40)}` : typeof value
}
