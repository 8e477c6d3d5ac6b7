// How answers are made into text: fast-json-stringify as Fastify uses it, but with each answer's own schemas instead of all there are. It looks at every schema
// that it is given, each time, and an app has a hundred answers and as many schemas: that would be a good part of a start.

import SerializerSelector from '@fastify/fast-json-stringify-compiler'

type Schemas = Readonly<Record<string, unknown>>

/** Builds the serializers of an app with these shared schemas; for Fastify's `compilersFactory`. */
export const buildSerializer: SerializerSelector.SerializerFactory = (shared, options) => {
  const build = SerializerSelector()
  return (route) => build(referencedSchemas(route.schema, shared as Schemas), options)(route)
}

/** Those of the shared schemas that a schema refers to, directly or by way of others. */
export function referencedSchemas(schema: unknown, shared: Schemas): Schemas {
  const found: Record<string, unknown> = {}
  const waiting = [schema]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const id of refsOf(next)) {
      if (id in found || shared[id] === undefined) continue
      found[id] = shared[id]
      waiting.push(shared[id])
    }
  }
  return found
}

/** The `$id` of every schema that is named by a `$ref` somewhere inside. */
function refsOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => (key === '$ref' && typeof value === 'string' ? [value.split('#')[0] ?? ''] : refsOf(value)))
}
