// Explains why a schema rejects a value, in words: the validator's own texts do not list what is accepted.

import type { FastifySchemaValidationError } from 'fastify'

/** The first problem: where it is (`querystring/interval`), and what the value must be. */
export function describeSchemaError(errors: readonly FastifySchemaValidationError[], part: string): Error {
  const [error] = errors
  return new Error(error === undefined ? `${part} is invalid` : `${part}${error.instancePath} ${requirement(error)}`)
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
