// Compiles the schemas of requests and responses: each once, when it is first used, because compiling all of them would take a third of a second of a start.
// Gateways of one process can share the result.

import AjvCompiler from '@fastify/ajv-compiler'
import SerializerSelector from '@fastify/fast-json-stringify-compiler'

type Schemas = Readonly<Record<string, unknown>>

type Validator = ReturnType<ReturnType<AjvCompiler.BuildCompilerFromPool>>

/** Fastify's `compilersFactory`. */
export interface SchemaCompilers {
  readonly buildValidator: AjvCompiler.BuildCompilerFromPool
  readonly buildSerializer: SerializerSelector.SerializerFactory
}

/** Equal schemas share a function. All servers that use these compilers must register the same shared schemas under the same `$id`. */
export function createSchemaCompilers(): SchemaCompilers {
  const validators = new Map<string, Validator>()
  const serializers = new Map<string, SerializerSelector.Serializer>()
  const createValidatorCompiler = AjvCompiler()
  return {
    buildValidator(shared, options) {
      // Fastify asks for a compiler in each of its contexts; one Ajv serves them all.
      let compile: ReturnType<AjvCompiler.BuildCompilerFromPool> | undefined
      return (route) => {
        const { schema } = route as AjvCompiler.RouteDefinition
        return cached(validators, JSON.stringify(schema), () => compiledAtFirstUse(() => (compile ??= createValidatorCompiler(shared, options))(route)))
      }
    },
    buildSerializer(shared, options) {
      const build = SerializerSelector()
      return (route) => cached(serializers, JSON.stringify(route.schema), () => {
        let serialise: SerializerSelector.Serializer | undefined
        return (data) => (serialise ??= build(referencedSchemas(route.schema, shared as Schemas), options)(route))(data)
      })
    },
  }
}

/** A validator whose `errors`, as Ajv's, are those of its last call. Fastify uses nothing else of it. */
function compiledAtFirstUse(compile: () => Validator): Validator {
  let compiled: Validator | undefined
  const validate: Pick<Validator, 'errors'> & ((data: unknown) => unknown) = (data) => {
    compiled ??= compile()
    const isValid = compiled(data)
    validate.errors = compiled.errors ?? null
    return isValid
  }
  return validate as Validator
}

function cached<Value>(values: Map<string, Value>, key: string, create: () => Value): Value {
  const found = values.get(key)
  if (found !== undefined) return found
  const created = create()
  values.set(key, created)
  return created
}

/**
 * The shared schemas that `schema` references, directly or indirectly. Fastify's default passes all of them to each of about a hundred responses, which
 * slows start-up noticeably.
 */
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
