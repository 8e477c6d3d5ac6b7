// The OpenAPI document matches docs/openapi.json, so that changes of the public API show up in review. Also tests the documentation pages.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DOCUMENT_UNIT_BYTES, DOCUMENT_UNITS_PER_WINDOW } from '../limits.ts'
import { createBareGateway } from '../../test/support/bare-gateway.ts'
import { GOLDEN_COMMAND, UPDATES_GOLDEN } from '../../test/support/golden.ts'

const GOLDEN = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url))

test('the document matches docs/openapi.json', async () => {
  await using bare = await createBareGateway()
  const served = await bare.gateway.app.inject('/docs/json')
  const found = `${JSON.stringify(served.json(), null, 2)}\n`
  if (UPDATES_GOLDEN) await writeFile(GOLDEN, found)
  const golden = await readFile(GOLDEN, 'utf8').catch(() => '')
  assert.equal(found, golden, `docs/openapi.json is outdated. To update: ${GOLDEN_COMMAND}`)
})

test('the document uses only OpenAPI 3.0 constructs and has no broken references', async () => {
  await using bare = await createBareGateway()
  const document = (await bare.gateway.app.inject('/docs/json')).json<{ components: { schemas: Record<string, unknown> } }>()
  const seen: string[] = []
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (path.endsWith('/example') || path.endsWith('/payload')) continue
      assert.ok(!['const', '$id', 'examples', 'x-response-description'].includes(key), `${path}/${key}`)
      // Below `properties`, `type` is a field name.
      if (key === 'type' && !path.endsWith('/properties')) assert.equal(typeof inner, 'string', `${path}/type`)
      if (key === '$ref') seen.push(String(inner))
      visit(inner, `${path}/${key}`)
    }
  }
  visit(document, '')
  assert.ok(seen.length > 20)
  for (const reference of seen) {
    assert.ok(document.components.schemas[reference.replace('#/components/schemas/', '')] !== undefined, reference)
  }
})

test('the document has an etag', async () => {
  await using bare = await createBareGateway()
  const { app } = bare.gateway
  const first = await app.inject('/docs/json')
  assert.equal(first.headers['content-type'], 'application/json; charset=utf-8')
  const again = await app.inject({ url: '/docs/json', headers: { 'if-none-match': String(first.headers['etag']) } })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
})

test('the pages are exempt from the rate limit and load only from this server', async () => {
  await using bare = await createBareGateway({ rateLimits: { public: 2, standard: 2, market_maker: 2 } })
  const { app } = bare.gateway
  const page = await app.inject('/docs/')
  assert.equal(page.statusCode, 200)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.match(page.body, /<title>Perpetual Exchange Gateway<\/title>/)
  assert.doesNotMatch(page.body, /(?:src|href)="(?:https?:)?\/\//)
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'self'/)
  assert.doesNotMatch(policy, /https?:|unsafe|upgrade-insecure-requests/)
  assert.doesNotMatch(page.body, /<script>|<style/, 'the policy blocks inline scripts and styles')

  for (const [, path] of page.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
    const url = new URL(path ?? '', 'http://gateway/docs/')
    const asset = await app.inject(url.pathname)
    assert.equal(asset.statusCode, 200, url.pathname)
    assert.equal(asset.headers['x-ratelimit-remaining'], undefined)
    assert.ok(asset.headers['x-request-id'])
    if (url.pathname.endsWith('initializer.js')) assert.match(asset.body, /validatorUrl: null/)
  }
  const missing = await app.inject('/docs/static/nowhere.js')
  assert.equal(missing.statusCode, 404)
  assert.deepEqual(Object.keys(missing.json<object>()), ['message', 'error', 'statusCode', 'reason'])
  assert.equal(missing.headers['x-ratelimit-remaining'], undefined)
  assert.equal((await app.inject('/docs')).statusCode, 200)
  assert.equal((await app.inject('/docs/static/..%2f..%2f..%2fpackage.json')).statusCode, 404)
})

test('documents are compressed once and cost a client address their size, so that nobody can take the line', async () => {
  await using bare = await createBareGateway()
  const { app } = bare.gateway
  const sizes: Record<string, number> = {}
  for (const encoding of ['identity', 'gzip', 'br']) {
    const { statusCode, headers, rawPayload } = await app.inject({ url: '/docs/json', headers: { 'accept-encoding': encoding } })
    assert.deepEqual([statusCode, headers['content-encoding'] ?? 'identity', headers['vary']], [200, encoding, 'Accept-Encoding'])
    sizes[encoding] = rawPayload.byteLength
  }
  const { identity = 0, gzip = 0, br = 0 } = sizes
  assert.ok(br < gzip && gzip < identity / 5, JSON.stringify(sizes))

  bare.clock.advance(60_000)
  let bytes = 0
  let refused: Awaited<ReturnType<typeof app.inject>> | undefined
  for (const url of ['/docs/json', '/docs/yaml', '/docs/static/swagger-ui-bundle.js']) {
    for (let request = 0; request < 100 && refused === undefined; request++) {
      const response = await app.inject(url)
      if (response.statusCode === 200) bytes += response.rawPayload.byteLength
      else refused = response
    }
  }
  assert.equal(refused?.statusCode, 429)
  assert.equal(refused.headers['retry-after'], '60')
  assert.ok(bytes <= DOCUMENT_UNITS_PER_WINDOW * DOCUMENT_UNIT_BYTES + 2 ** 21, `${bytes} bytes`)
  for (const url of ['/docs/', '/docs/stream.json', '/docs/guides', '/llms.txt']) assert.equal((await app.inject(url)).statusCode, 429, url)
  assert.equal((await app.inject({ url: '/docs/json', remoteAddress: '192.0.2.44' })).statusCode, 200, 'other clients are not affected')
  assert.equal((await app.inject('/v1/keys/beta-status')).statusCode, 200, 'the API has its own limit')
})
