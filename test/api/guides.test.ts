// GET /docs/guides.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { GUIDES } from '../../src/http/guides.ts'
import { highlight } from '../../src/http/guides-page.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'

let bare: BareGateway
const get = async (url: string, headers: Record<string, string> = {}) => await bare.gateway.app.inject({ url, headers })
before(async () => {
  bare = await createBareGateway()
})
after(() => bare[Symbol.asyncDispose]())

test('the index links to every guide, and each is an HTML page that loads nothing but its own style sheet and script', async () => {
  const index = await get('/docs/guides')
  assert.deepEqual([index.statusCode, index.headers['content-type']], [200, 'text/html; charset=utf-8'])
  for (const { name } of GUIDES) {
    assert.ok(index.body.includes(`href="/docs/guides/${name}"`), name)
    const { statusCode, headers, body } = await get(`/docs/guides/${name}`)
    assert.equal(statusCode, 200, name)
    assert.equal(headers['content-security-policy'], [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'", "base-uri 'none'", "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '))
    assert.match(body, /<h1 id="[^"]+">/)
    assert.doesNotMatch(body, /<script(?! src="\/docs\/guides\/guides\.js" defer><\/script>)|<img|style="|<style| on\w+="/)
    for (const other of GUIDES) assert.ok(body.includes(`href="/docs/guides/${other.name}"`), `${name} lists ${other.name}`)
    assert.ok(body.includes(`href="/docs/guides/${name}" aria-current="page"`), name)
  }
  assert.equal((await get('/docs/guides/guides.js')).headers['content-type'], 'text/javascript; charset=utf-8')
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

test('the search has each section of each guide, with a path that leads to its heading', async () => {
  const sections = (await get('/docs/guides/search.json')).json<readonly { readonly path: string; readonly title: string; readonly text: string }[]>()
  for (const { name } of GUIDES) {
    const { body } = await get(`/docs/guides/${name}`)
    const own = sections.filter(({ path }) => path.startsWith(`/docs/guides/${name}#`))
    assert.ok(own.length > 0, name)
    for (const { path, text } of own) {
      assert.ok(body.includes(`id="${path.split('#')[1]}"`), path)
      assert.doesNotMatch(text, /\]\(|\*\*/, path)
    }
  }
})

test('code is highlighted, and never becomes markup', () => {
  assert.equal(highlight("const a = '<b>' // 1", 'ts'),
    '<span class="t-keyword">const</span> a = <span class="t-string">\'&lt;b&gt;\'</span> <span class="t-comment">// 1</span>')
  assert.equal(highlight('{"a": -1.5, "b": "c"}', 'json'), '{<span class="t-keyword">&quot;a&quot;</span>: <span class="t-number">-1.5</span>, '
    + '<span class="t-keyword">&quot;b&quot;</span>: <span class="t-string">&quot;c&quot;</span>}')
  assert.equal(highlight('npm start # now', 'sh'), '<span class="t-keyword">npm</span> start <span class="t-comment"># now</span>')
  assert.deepEqual([highlight('<script>', 'constructor'), highlight('<script>', undefined)], ['&lt;script&gt;', '&lt;script&gt;'])
})
