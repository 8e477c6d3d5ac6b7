// Converts query and path parameters from text: only strict decimal integers become numbers, and only `true` and `false` booleans. Fastify's own coercion is
// off because it also accepts `0x10`, ` 5 ` and `1e3`.

import type { FastifyInstance } from 'fastify'
import { validationFailure } from './errors.ts'
import { rejectMuxedAddress } from './muxed-addresses.ts'

/** Sixteen digits cover all safe integers. Larger values stay text and fail schema validation. */
const DECIMAL_INTEGER = /^(?:0|-?[1-9]\d{0,15})$/

interface Part {
  readonly name: 'querystring' | 'params'
  readonly integers: ReadonlySet<string>
  readonly booleans: ReadonlySet<string>
  readonly known: readonly string[]
}

/** Applies to every route with a querystring or params schema. Runs before schema validation. */
export function parseQueriesStrictly(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const parts = [partOf('querystring', route.schema?.querystring), partOf('params', route.schema?.params)].filter((part) => part !== undefined)
    if (parts.length === 0) return
    const earlier = route.preValidation === undefined ? [] : [route.preValidation].flat()
    route.preValidation = [
      (request, _reply, done) => {
        for (const part of parts) parseStrictly(part, part.name === 'params' ? request.params : request.query)
        done()
      },
      ...earlier,
    ]
  })
}

function parseStrictly(part: Part, values: unknown): void {
  const record = values as Record<string, unknown>
  for (const name of part.known) {
    const value = record[name]
    if (value === undefined) continue
    if (typeof value !== 'string') throw validationFailure(`${part.name}/${name}`, 'must be given once')
    rejectMuxedAddress(`${part.name}/${name}`, value)
    // PostgreSQL cannot store it.
    if (value.includes('\0')) throw validationFailure(`${part.name}/${name}`, 'must not contain a null character')
    if (part.booleans.has(name) && (value === 'true' || value === 'false')) record[name] = value === 'true'
    if (!part.integers.has(name) || !DECIMAL_INTEGER.test(value)) continue
    const number = Number(value)
    if (Number.isSafeInteger(number)) record[name] = number
  }
}

function partOf(name: Part['name'], schema: unknown): Part | undefined {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return undefined
  const properties = Object.entries(schema.properties as Record<string, { readonly type?: unknown }>)
  const namesOf = (wanted: string): ReadonlySet<string> => new Set(properties.filter(([, { type }]) => type === wanted).map(([property]) => property))
  return {
    name,
    known: properties.map(([property]) => property),
    integers: namesOf('integer'),
    booleans: namesOf('boolean'),
  }
}
