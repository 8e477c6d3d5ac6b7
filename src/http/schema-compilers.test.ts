import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSchemaCompilers, referencedSchemas } from './schema-compilers.ts'

const SHARED = {
  Trade: { $id: 'Trade', type: 'object', properties: { of: { $ref: 'Position#' }, pnl: { type: 'string' } } },
  Position: { $id: 'Position', type: 'object', properties: { id: { type: 'integer' }, closedBy: { anyOf: [{ $ref: 'Trade#' }, { type: 'null' }] } } },
  Vault: { $id: 'Vault', type: 'object', properties: { name: { type: 'string' } } },
}

test('finds direct, indirect and circular references and nothing else', () => {
  const schema = { type: 'object', properties: { trades: { type: 'array', items: { $ref: 'Trade#' } } } }
  assert.deepEqual(Object.keys(referencedSchemas(schema, SHARED)).sort(), ['Position', 'Trade'])
  assert.deepEqual(referencedSchemas({ type: 'string' }, SHARED), {})
  assert.deepEqual(referencedSchemas({ $ref: '#/properties/own' }, SHARED), {})
})

test('drops fields that are not in the schema, including in referenced schemas', () => {
  const schema = { type: 'object', properties: { trade: { $ref: 'Trade#' } } }
  const serialize = createSchemaCompilers().buildSerializer(SHARED, {})({ method: 'GET', url: '/', httpStatus: '200', schema })
  const text = serialize({ trade: { pnl: '1', secret: 'x', of: { id: 3, secret: 'y' } }, secret: 'z' })
  assert.deepEqual(JSON.parse(text), { trade: { pnl: '1', of: { id: 3 } } })
})

test('a validator that is shared by two servers has the errors of its last call', () => {
  const compilers = createSchemaCompilers()
  const schema = { type: 'object', properties: { limit: { type: 'integer' } }, required: ['limit'] }
  const build = () => compilers.buildValidator(SHARED, { customOptions: {} })({ schema, method: 'GET', url: '/', httpPart: 'querystring' })
  const validate = build()
  assert.equal(validate({}), false)
  assert.equal(validate.errors?.[0]?.keyword, 'required')
  assert.equal(build()({ limit: 1 }), true)
  assert.equal(validate.errors, null)
})
