// GET /docs/guides.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { GUIDES } from '../../src/http/guides.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'

let bare: BareGateway
const get = async (url: string, headers: Record<string, string> = {}) => await bare.gateway.app.inject({ url, headers })
before(async () => {
  bare = await createBareGateway()
})
after(() => bare[Symbol.asyncDispose]())

test('the index links to every guide, and each is an HTML page that loads nothing but its style sheet', async () => {
  const index = await get('/docs/guides')
  assert.deepEqual([index.statusCode, index.headers['content-type']], [200, 'text/html; charset=utf-8'])
  for (const { name } of GUIDES) {
    assert.ok(index.body.includes(`href="/docs/guides/${name}"`), name)
    const { statusCode, headers, body } = await get(`/docs/guides/${name}`)
    assert.equal(statusCode, 200, name)
    assert.equal(headers['content-security-policy'], "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    assert.match(body, /<h1 id="[^"]+">/)
    assert.doesNotMatch(body, /<script|<img|style="/)
  }
  assert.equal((await get('/docs/guides/style.css')).headers['content-type'], 'text/css; charset=utf-8')
})

test('every link of a guide leads to a page and a heading of this server, or to another site', async () => {
  const bodies = new Map<string, string>()
  for (const { name } of GUIDES) bodies.set(`/docs/guides/${name}`, (await get(`/docs/guides/${name}`)).body)
  for (const [page, body] of bodies) {
    for (const [, href = ''] of body.matchAll(/<a href="([^"]+)"/g)) {
      if (/^https?:/.test(href)) continue
      const [path = '', anchor] = href.split('#')
      const target = path === '' ? page : path
      if (!bodies.has(target)) assert.equal((await get(target)).statusCode, 200, `${page}: ${href}`)
      else if (anchor !== undefined) assert.ok(bodies.get(target)?.includes(`id="${anchor}"`), `${page}: ${href}`)
    }
  }
})

test('a guide is revalidated by its etag and does not count against the rate limit', async () => {
  const first = await get('/docs/guides/glossary')
  const etag = String(first.headers['etag'])
  assert.equal((await get('/docs/guides/glossary', { 'if-none-match': etag })).statusCode, 304)
  assert.equal(first.headers['x-ratelimit-remaining'], undefined)
})

test('an unknown guide is 404', async () => {
  for (const name of ['nothing', '..%2f..%2fpackage.json', 'guides/first-order.md']) assert.equal((await get(`/docs/guides/${name}`)).statusCode, 404, name)
})
