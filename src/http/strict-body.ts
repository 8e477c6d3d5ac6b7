// Rejects unknown body fields and names them in the error: silently ignoring a misspelt safety parameter is worse than an error. The schema validator does
// not name the fields. For a union, only the member selected by the discriminator is checked.

import type { FastifyInstance } from 'fastify'
import { HttpFailure, validationFailure } from './errors.ts'
import { rejectMuxedAddress } from './muxed-addresses.ts'

/** Bounds of the error message. */
const MAX_LISTED_FIELDS = 10
const MAX_FIELD_CHARACTERS = 64

/** Rejects compressed bodies with a clear error. The gateway never decompresses a body, so a decompression bomb is impossible. */
export function rejectEncodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const encoding = request.headers['content-encoding']
    if (encoding === undefined || encoding.toLowerCase() === 'identity') done()
    else done(new HttpFailure({ status: 415, body: { statusCode: 415, error: 'Unsupported Media Type', message: ENCODED_BODY } }))
  })
}

const ENCODED_BODY = 'Compressed request bodies are not supported. Remove the Content-Encoding header.'

type Check = (body: Readonly<Record<string, unknown>>) => void

/** Applies to every route whose body schema forbids additional properties. Runs before schema validation. */
export function rejectUnknownFields(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const schema = route.schema?.body
    const check = checkOfUnion(app, schema) ?? checkOfObject(schema)
    if (check === undefined) return
    const earlier = route.preValidation === undefined ? [] : [route.preValidation].flat()
    route.preValidation = [
      (request, _reply, done) => {
        const { body } = request
        if (typeof body === 'object' && body !== null && !Array.isArray(body)) check(body as Readonly<Record<string, unknown>>)
        done()
      },
      ...earlier,
    ]
  })
}

/** A discriminated union. The `$id` of each member is its discriminator value. */
interface UnionSchema {
  readonly discriminator: { readonly propertyName: string }
  readonly oneOf: readonly { readonly $ref: string }[]
}

function checkOfUnion(app: FastifyInstance, schema: unknown): Check | undefined {
  if (typeof schema !== 'object' || schema === null || !('discriminator' in schema)) return undefined
  const { discriminator: { propertyName: tag }, oneOf } = schema as UnionSchema
  const names = oneOf.map(({ $ref }) => $ref.replace('#', ''))
  const checks = new Map<unknown, Check | undefined>(names.map((name) => [name, checkOfObject(app.getSchema(name))]))
  return (body) => {
    const value = body[tag]
    if (value === undefined) throw validationFailure('body', `must have required property '${tag}'`, tag)
    if (!checks.has(value)) throw validationFailure(`body/${tag}`, `must be one of ${names.join(', ')}`)
    checks.get(value)?.(body)
  }
}

function checkOfObject(schema: unknown): Check | undefined {
  const known = knownFields(schema)
  return known === undefined ? undefined : (body) => {
    rejectUnknown(body, known)
    for (const [field, value] of Object.entries(body)) rejectMuxedAddress(`body/${field}`, value)
  }
}

function rejectUnknown(body: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): void {
  const unknown = Object.keys(body).filter((field) => !known.has(field))
  if (unknown.length === 0) return
  const named = unknown.slice(0, MAX_LISTED_FIELDS).map((field) => JSON.stringify(field.slice(0, MAX_FIELD_CHARACTERS)))
  const more = unknown.length > MAX_LISTED_FIELDS ? ` and ${unknown.length - MAX_LISTED_FIELDS} more` : ''
  throw validationFailure('body', `must not have the fields ${named.join(', ')}${more}`, unknown[0]?.slice(0, MAX_FIELD_CHARACTERS))
}

function knownFields(schema: unknown): ReadonlySet<string> | undefined {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return undefined
  if (!('additionalProperties' in schema) || schema.additionalProperties !== false) return undefined
  return new Set(Object.keys(schema.properties as Record<string, unknown>))
}
