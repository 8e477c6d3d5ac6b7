// GET /llms.txt.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenApiDocument } from './openapi.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'

test('every link resolves, and every listed endpoint and field is in the OpenAPI document', async () => {
  await using fixture = await createGatewayFixture({ traders: 1, seed: 'models' })
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  const { statusCode, body: text, headers } = await fixture.gateway.app.inject('/llms.txt')
  assert.deepEqual([statusCode, headers['content-type']], [200, 'text/plain; charset=utf-8'])
  assert.match(text, /^# .+\n\n> /)
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)
  assert.ok(links.length > 15)
  for (const path of links) assert.equal((await fixture.gateway.app.inject(path)).statusCode, 200, path)
  const { body: document } = await fixture.get<OpenApiDocument>('/docs/json')
  const posts = [...text.matchAll(/POST (\/v1\/\S+) \{([^}]*)\}/g)]
  assert.deepEqual(posts.map(([, path]) => path), ['/v1/keys/challenge', '/v1/keys', '/v1/orders/prepare', '/v1/tx/submit', '/v1/actions/prepare'])
  for (const [, path = '', list = ''] of posts) {
    const body = JSON.stringify(document.paths[path]?.['post']?.requestBody)
    for (const field of list.split(', ').filter((each) => each !== '...' && each !== 'op')) assert.ok(body.includes(`"${field}"`), `${path} ${field}`)
  }
})
