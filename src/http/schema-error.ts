// Explains why a schema rejects a value, in words: the validator's own texts do not list what is accepted.

import type { FastifySchemaValidationError } from 'fastify'

/** The first problem: where it is (`querystring/interval`), and what the value must be. */
export function describeSchemaError(errors: readonly FastifySchemaValidationError[], part: string): Error {
  const [error] = errors
  return new Error(error === undefined ? `${part} is invalid` : `${part}${error.instancePath} ${requirement(error)}`)
}

/** The framework's report of a value that its schema rejects. */
export interface SchemaMismatch {
  readonly validation: readonly FastifySchemaValidationError[]
  /** The part of the request: `querystring`, `params`, `headers` or `body`. */
  readonly validationContext?: string
}

/** The parameter of the first problem; in a body its dotted path. The part of the request where that is wrong as a whole. */
export function mismatchedParameter({ validation: [error], validationContext: part = 'body' }: SchemaMismatch): string {
  if (error === undefined) return part
  const { instancePath, params } = error
  const missing = params['missingProperty'] ?? params['additionalProperty']
  const names = [...instancePath.split('/').slice(1), ...(typeof missing === 'string' ? [missing] : [])]
  return names.join('.') || part
}

function requirement({ keyword, params, message = 'is invalid' }: FastifySchemaValidationError): string {
  switch (keyword) {
    case 'enum': return `must be one of ${(params['allowedValues'] as readonly unknown[]).join(', ')}`
    case 'const': return `must be ${String(params['allowedValue'])}`
    case 'type': return `must be ${[params['type']].flat().join(' or ')}`
    case 'minLength': return `must have at least ${characters(params['limit'])}`
    case 'maxLength': return `must have at most ${characters(params['limit'])}`
    default: return message
  }
}

function characters(limit: unknown): string {
  return `${String(limit)} character${limit === 1 ? '' : 's'}`
}
