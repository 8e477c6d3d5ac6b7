// A body's unknown fields are refused by name: a safety parameter that is misspelt and ignored is worse than an error. The validator itself tells only
// that there is one. Of a union only the member is looked at that the body's tag names.

import type { FastifyInstance } from 'fastify'
import { HttpFailure, validationFailure } from './errors.ts'

/** So many unknown fields are named, and so much of each. */
const NAMED_FIELDS = 10
const NAMED_CHARACTERS = 64

/**
 * Refuses bodies that are compressed, by their header: none is ever unpacked, so that a few bytes cannot become many, and the client is told instead of being
 * told that its JSON is none.
 */
export function rejectEncodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const encoding = request.headers['content-encoding']
    if (encoding === undefined || encoding.toLowerCase() === 'identity') done()
    else done(new HttpFailure({ status: 415, body: { statusCode: 415, error: 'Unsupported Media Type', message: ENCODED } }))
  })
}

const ENCODED = 'Bodies are taken as they are; leave out content-encoding.'

type Check = (body: Readonly<Record<string, unknown>>) => void

/** Makes every route whose body schema allows no additional properties name those that it gets, ahead of schema validation. */
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

/** A union whose members are told apart by a tag: schemas that are named as the tag's values. */
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
    if (value === undefined) throw validationFailure(`body must have required property '${tag}'`)
    if (!checks.has(value)) throw validationFailure(`body/${tag} must be one of ${names.join(', ')}`)
    checks.get(value)?.(body)
  }
}

function checkOfObject(schema: unknown): Check | undefined {
  const known = knownFields(schema)
  return known === undefined ? undefined : (body) => refuseUnknown(body, known)
}

function refuseUnknown(body: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): void {
  const unknown = Object.keys(body).filter((field) => !known.has(field))
  if (unknown.length === 0) return
  const named = unknown.slice(0, NAMED_FIELDS).map((field) => JSON.stringify(field.slice(0, NAMED_CHARACTERS)))
  const more = unknown.length > NAMED_FIELDS ? ` and ${unknown.length - NAMED_FIELDS} more` : ''
  throw validationFailure(`body must not have the fields ${named.join(', ')}${more}`)
}

function knownFields(schema: unknown): ReadonlySet<string> | undefined {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return undefined
  if (!('additionalProperties' in schema) || schema.additionalProperties !== false) return undefined
  return new Set(Object.keys(schema.properties as Record<string, unknown>))
}
