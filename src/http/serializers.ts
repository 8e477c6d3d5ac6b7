// Builds response serialisers with fast-json-stringify, passing each response only the shared schemas that it references. Fastify's default passes all of them
// to each of about a hundred responses, which slows start-up noticeably.

import SerializerSelector from '@fastify/fast-json-stringify-compiler'

type Schemas = Readonly<Record<string, unknown>>

/** For Fastify's `compilersFactory`. */
export const buildSerializer: SerializerSelector.SerializerFactory = (shared, options) => {
  const build = SerializerSelector()
  return (route) => build(referencedSchemas(route.schema, shared as Schemas), options)(route)
}

/** The shared schemas that `schema` references, directly or indirectly. */
export function referencedSchemas(schema: unknown, shared: Schemas): Schemas {
  const found: Record<string, unknown> = {}
  const pending = [schema]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const id of refsOf(next)) {
      if (id in found || shared[id] === undefined) continue
      found[id] = shared[id]
      pending.push(shared[id])
    }
  }
  return found
}

/** The `$id` of each schema that a nested `$ref` names. */
function refsOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => (key === '$ref' && typeof value === 'string' ? [value.split('#')[0] ?? ''] : refsOf(value)))
}
