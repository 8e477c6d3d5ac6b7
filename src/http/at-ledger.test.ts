import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { rejectUnsupportedAtLedger } from './at-ledger.ts'
import { HttpFailure } from './errors.ts'

test('at_ledger is rejected where it is not supported, however it is written, and nothing else is', async () => {
  await using app = Fastify()
  app.setErrorHandler((error, _request, reply) => reply.code(error instanceof HttpFailure ? error.response.status : 500).send())
  rejectUnsupportedAtLedger(app)
  app.get('/present', () => ({}))
  app.get('/past', { schema: { querystring: { type: 'object', properties: { at_ledger: { type: 'integer' } } } } }, () => ({}))
  const statusOf = async (url: string, method: 'GET' | 'HEAD' = 'GET'): Promise<number> => (await app.inject({ method, url })).statusCode
  for (const query of ['at_ledger=5', 'at_ledger=', 'x=1&at_ledger', 'at%5Fledger=5']) {
    assert.equal(await statusOf(`/present?${query}`), 400, query)
  }
  assert.equal(await statusOf('/present?at_ledger=5', 'HEAD'), 400)
  for (const url of ['/present', '/present?x=at_ledger', '/present?at_ledgers=5', '/past', '/past?at_ledger=5']) assert.equal(await statusOf(url), 200, url)
})
