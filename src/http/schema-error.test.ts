import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { describeSchemaError } from './schema-error.ts'

test('a rejection says what is accepted', async () => {
  await using app = Fastify({ schemaErrorFormatter: (errors, part) => describeSchemaError(errors, part) })
  const querystring = {
    type: 'object',
    properties: {
      interval: { type: 'string', enum: ['1m', '5m'] }, trader: { type: 'string', minLength: 56, maxLength: 56 }, asset: { type: 'string', minLength: 1 },
      kind: { type: 'string', const: 'open' }, limit: { type: 'integer', minimum: 1 },
      label: { type: ['boolean', 'null'] },
    },
  }
  app.get('/', { schema: { querystring } }, () => ({}))
  const messageOf = async (query: string): Promise<unknown> => (await app.inject(`/?${query}`)).json<{ message: unknown }>().message
  assert.equal(await messageOf('interval=7m'), 'querystring/interval must be one of 1m, 5m')
  assert.equal(await messageOf('trader=abc'), 'querystring/trader must have at least 56 characters')
  assert.equal(await messageOf(`trader=${'a'.repeat(57)}`), 'querystring/trader must have at most 56 characters')
  assert.equal(await messageOf('asset='), 'querystring/asset must have at least 1 character')
  assert.equal(await messageOf('kind=close'), 'querystring/kind must be open')
  assert.equal(await messageOf('label=x'), 'querystring/label must be boolean or null')
  assert.equal(await messageOf('limit=0'), 'querystring/limit must be >= 1')
})
