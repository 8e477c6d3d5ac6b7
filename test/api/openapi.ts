// Reads the OpenAPI document: its operations, and whether a value matches its schema. Reports keywords that it does not know, so that nothing is skipped
// silently.

import { defined } from '../../src/base/assert.ts'

export type Schema = Readonly<Record<string, unknown>>

export interface Media {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
  readonly example?: unknown
}

interface ResponseObject {
  readonly description?: string
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema?: Schema }>>
  readonly content?: Readonly<Record<string, Media>>
}

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, ResponseObject>>
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description?: string
    readonly license?: { readonly name: string; readonly url?: string }
    readonly contact?: { readonly name?: string; readonly url?: string }
  }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly securitySchemes?: Readonly<Record<string, Schema>>
  }
}

export interface NamedOperation {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** All operations of the document. */
export function operationsOf(document: OpenApiDocument): readonly NamedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })))
}

const REFERENCE = '#/components/schemas/'

/** Follows references to the schema itself. */
export function resolve(document: OpenApiDocument, schema: Schema): Schema {
  const reference = schema['$ref']
  if (typeof reference !== 'string') return schema
  return resolve(document, defined(document.components.schemas[reference.replace(REFERENCE, '')], reference))
}

/** The mismatches between a value and its schema. A key without a schema is a mismatch. */
export function schemaMismatches(document: OpenApiDocument, schema: Schema, value: unknown, at = 'the value'): readonly string[] {
  const resolved = resolve(document, schema)
  const alternatives = (resolved['oneOf'] ?? resolved['anyOf']) as readonly Schema[] | undefined
  if (alternatives !== undefined) {
    const { length } = alternatives.filter((alternative) => schemaMismatches(document, alternative, value).length === 0)
    const matches = length === 1 || (length > 1 && resolved['oneOf'] === undefined)
    return matches ? [] : [`${at} matches ${length} of ${alternatives.length} alternatives: ${JSON.stringify(value)}`]
  }
  if (value === null && resolved['nullable'] === true) return []
  const unknown = Object.keys(resolved).filter((keyword) => !ANNOTATIONS.has(keyword) && !Object.hasOwn(CHECKS, keyword))
  const problems = unknown.map((keyword) => `${at}: the schema has the keyword ${keyword}`)
  for (const [keyword, check] of Object.entries(CHECKS)) {
    const wanted = resolved[keyword]
    if (wanted !== undefined && !check(wanted, value)) problems.push(`${at} breaks ${keyword} ${JSON.stringify(wanted)}: ${JSON.stringify(value)}`)
  }
  return [...problems, ...innerMismatches(document, resolved, value, at)]
}

function innerMismatches(document: OpenApiDocument, schema: Schema, value: unknown, at: string): readonly string[] {
  if (Array.isArray(value)) {
    const items = schema['items'] as Schema | undefined
    if (items === undefined) return [`${at}: the schema has no items`]
    return value.flatMap((item, index) => schemaMismatches(document, items, item, `${at}[${index}]`))
  }
  const properties = schema['properties'] as Readonly<Record<string, Schema>> | undefined
  if (typeof value !== 'object' || value === null || properties === undefined) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const property = properties[key]
    return property === undefined ? [`${at}.${key} is not documented`] : schemaMismatches(document, property, inner, `${at}.${key}`)
  })
}

/** Keywords without a constraint on the value. */
const ANNOTATIONS = new Set([
  'description', 'format', 'example', 'examples', 'default', 'nullable', 'properties', 'items', 'additionalProperties', 'title', 'discriminator',
])

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  // For AsyncAPI; OpenAPI 3.0 has nullable.
  null: (value) => value === null,
}

const CHECKS: Readonly<Record<string, (wanted: unknown, value: unknown) => boolean>> = {
  type: (wanted, value) => [wanted].flat().some((name) => TYPES[String(name)]?.(value) === true),
  enum: (wanted, value) => (wanted as readonly unknown[]).includes(value),
  required: (wanted, value) => typeof value !== 'object' || value === null || (wanted as readonly string[]).every((key) => Object.hasOwn(value, key)),
  pattern: (wanted, value) => new RegExp(String(wanted), 'u').test(String(value)),
  minLength: (wanted, value) => String(value).length >= Number(wanted),
  maxLength: (wanted, value) => String(value).length <= Number(wanted),
  minItems: (wanted, value) => !Array.isArray(value) || value.length >= Number(wanted),
  maxItems: (wanted, value) => !Array.isArray(value) || value.length <= Number(wanted),
  uniqueItems: (wanted, value) => wanted !== true || !Array.isArray(value) || new Set(value.map((item) => JSON.stringify(item))).size === value.length,
  minimum: (wanted, value) => Number(value) >= Number(wanted),
  maximum: (wanted, value) => Number(value) <= Number(wanted),
}
