// Encodes parameters and decodes results, so that both engines take and return the same values.

import { AssertionFailure } from '../base/assert.ts'
import { encodeBinaryArray } from './binary-arrays.ts'
import type { Element } from './binary-arrays.ts'
import type { ArrayParam, Param } from './store.ts'

/** A parameter for both drivers: PostgreSQL's text form, bytes, or null. */
export type EncodedParam = string | Uint8Array | null

/** Arrays of a known type with at least this many elements are encoded in their binary form. */
const BINARY_MIN_LENGTH = 64

export function encodeParams(params: readonly Param[]): EncodedParam[] {
  return params.map(encodeParam)
}

function isTyped(param: readonly Element[] | ArrayParam): param is ArrayParam {
  return 'elements' in param
}

export function encodeParam(param: Param): EncodedParam {
  if (param === null || param instanceof Uint8Array) return param
  if (typeof param === 'object') return isTyped(param) ? encodeTypedArray(param) : encodeArray(param)
  return String(param)
}

function encodeTypedArray({ type, elements }: ArrayParam): EncodedParam {
  return (elements.length < BINARY_MIN_LENGTH ? undefined : encodeBinaryArray(type, elements)) ?? encodeArray(elements)
}

const ESCAPED = /["\\]/

/** Arrays of thousands of elements are joined by native code where no element needs another form. */
function encodeArray(elements: readonly Element[]): string {
  if (!elements.includes(null)) {
    if (elements.every((element) => typeof element !== 'string')) return `{${elements.join(',')}}`
    const isText = elements.every((element) => typeof element === 'string')
    if (isText && !ESCAPED.test(elements.join(','))) return `{"${elements.join('","')}"}`
  }
  return `{${elements.map(encodeElement).join(',')}}`
}

function encodeElement(element: Element): string {
  if (element === null) return 'NULL'
  if (typeof element !== 'string') return String(element)
  return ESCAPED.test(element) ? `"${element.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : `"${element}"`
}

/** An identifier, quoted for SQL. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The elements of a one-dimensional array in PostgreSQL's text form. */
export function decodeArray(text: string): (string | null)[] {
  const elements: (string | null)[] = []
  const pattern = /"((?:[^"\\]|\\.)*)"|([^{},"]+)/gs
  for (const [, quoted, plain] of text.matchAll(pattern)) {
    if (quoted !== undefined) elements.push(quoted.replaceAll(/\\(.)/gs, '$1'))
    else elements.push(plain === undefined || plain === 'NULL' ? null : plain)
  }
  return elements
}

function decodeInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new AssertionFailure(`the integer ${text} is beyond 2^53. Declare its column as numeric`)
  return value
}

function decodeBytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
}

function decodeArrayOf<T>(decode: (text: string) => T): (text: string) => (T | null)[] {
  return (text) => decodeArray(text).map((element) => (element === null ? null : decode(element)))
}

const asText = (text: string): string => text

/**
 * Decoders for the types that the two drivers decode differently, by object id (catalogue pg_type). Both decode the others alike: text as string, int4
 * and float8 as number, bool as boolean, json and jsonb parsed, numeric as digit string.
 */
export const DECODERS: Readonly<Record<number, (text: string) => unknown>> = {
  17: decodeBytes,
  20: decodeInt8,
  1001: decodeArrayOf(decodeBytes),
  1016: decodeArrayOf(decodeInt8),
  1082: asText,
  1083: asText,
  1114: asText,
  1115: decodeArrayOf(asText),
  1182: decodeArrayOf(asText),
  1184: asText,
  1185: decodeArrayOf(asText),
  1186: asText,
  1231: decodeArrayOf(asText),
  1266: asText,
}
