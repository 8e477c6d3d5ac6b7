// Serving the console: file contents, headers, caching, the request limit, and switching it off.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { ConsoleBuildOptions } from '../../src/http/console/build.ts'
import { DOCUMENT_UNIT_BYTES, DOCUMENT_UNITS_PER_WINDOW } from '../../src/limits.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'
import { PROJECT_ROOT } from '../tidy/tree.ts'
import { withoutMessage } from '../support/without-message.ts'

const SCRIPTS_AND_STYLES_MAX_BYTES = 200_000
const LOCAL_RPC_URL = 'http://127.0.0.1:8000/rpc'
const buildOptions = (localRpcUrl: string | null): ConsoleBuildOptions =>
  ({ root: PROJECT_ROOT, settings: { networkName: 'testnet', networkPassphrase: 'a "network" & more', localRpcUrl } })

let bare: BareGateway
let page: string
before(async () => {
  bare = await createBareGateway({ consoleBuild: buildOptions(LOCAL_RPC_URL) })
  page = (await get('/')).body
})
after(() => bare?.[Symbol.asyncDispose]())

const get = (url: string, headers: Record<string, string> = {}) => bare.gateway.app.inject({ url, headers })

test('the page has a content security policy without inline exceptions, which allows the local network\'s RPC server', async () => {
  const { statusCode, headers } = await get('/')
  assert.equal(statusCode, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(headers['content-security-policy'], [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'", "img-src 'self'", "connect-src 'self' http://127.0.0.1:8000",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].join('; '))
  assert.deepEqual([headers['x-content-type-options'], headers['referrer-policy'], headers['cache-control']], ['nosniff', 'no-referrer', 'no-cache'])
  assert.ok(headers['x-request-id'])
  assert.doesNotMatch(page, /<style|style=|<script(?![^>]*src=)|\son\w+=|%[A-Z]+%/)
})

test('without a local network, neither the policy nor the page contains an RPC URL', async () => {
  await using testnet = await createBareGateway({ consoleBuild: buildOptions(null) })
  const { body, headers } = await testnet.gateway.app.inject('/')
  assert.match(String(headers['content-security-policy']), /connect-src 'self';/)
  assert.ok(body.includes('&quot;localRpcUrl&quot;:null'))
})

test('the page\'s settings are escaped for an attribute', () => {
  assert.ok(page.includes('a \\&quot;network\\&quot; &amp; more'))
})

test('every file that the page or a module refers to is served, may be cached forever, and is named by its content', async () => {
  const paths = new Set([...page.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path))
  assert.ok(paths.size >= 5)
  for (const path of paths) {
    const { statusCode, headers, body } = await get(path)
    assert.equal(statusCode, 200, path)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.match(path, /^\/console\/[a-z]+(?:-[a-z]+)*-[A-Z0-9]{8}\.(?:js|css|svg|woff2)$/)
    const types: Readonly<Record<string, string>> = {
      woff2: 'font/woff2', js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml',
    }
    const type = types[path.split('.').at(-1) ?? '']
    assert.equal(headers['content-type'], type)
    if (!path.endsWith('.js')) continue
    for (const [, specifier = ''] of body.matchAll(/\b(?:from|import)\s*\(?\s*"(\.{0,2}\/[^"]+)"/g)) paths.add(new URL(specifier, `http://x${path}`).pathname)
  }
  // The wallet's API is not part of the page's first script.
  assert.ok([...paths].some((path) => path.startsWith('/console/freighter-')))
})

test('the page names every file that its script imports at once, so that none of them waits for another', async () => {
  const script = (await get(/src="(\/console\/main-[^"]+\.js)"/.exec(page)?.[1] ?? '')).body
  const imported = [...script.matchAll(/\b(?:from|import)\s*"(\/console\/[^"]+)"/g)].map(([, path = '']) => path)
  assert.ok(imported.length > 0)
  assert.deepEqual(imported.filter((path) => !page.includes(`<link rel="modulepreload" href="${path}">`)), [])
})

test('the scripts and styles that the page loads at once are less than 200 KB compressed', async () => {
  const paths = [...page.matchAll(/(?:href|src)="(\/console\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path)
  assert.deepEqual(['js', 'css'].filter((type) => !paths.some((path) => path.endsWith(`.${type}`))), [])
  let bytes = 0
  for (const path of paths) bytes += (await get(path, { 'accept-encoding': 'gzip' })).rawPayload.byteLength
  assert.ok(bytes < SCRIPTS_AND_STYLES_MAX_BYTES, `${bytes} bytes`)
})

test('files have the same names in every process', async () => {
  await using other = await createBareGateway({ consoleBuild: buildOptions(null) })
  const { body } = await other.gateway.app.inject('/')
  assert.equal(/main-[^.]+/.exec(body)?.[0], /main-[^.]+/.exec(page)?.[0])
})

test('serves files compressed if the client accepts that, and responds with 304 if it has them', async () => {
  const path = /src="(\/console\/main-[^"]+\.js)"/.exec(page)?.[1] ?? ''
  const plain = await get(path)
  const brotli = await get(path, { 'accept-encoding': 'gzip, deflate, br' })
  const gzip = await get(path, { 'accept-encoding': 'gzip' })
  assert.deepEqual([plain, brotli, gzip].map(({ headers }) => headers['content-encoding']), [undefined, 'br', 'gzip'])
  assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), plain.body)
  assert.equal(gunzipSync(gzip.rawPayload).toString(), plain.body)
  assert.equal(plain.headers['vary'], 'Accept-Encoding')
  for (const url of ['/', path]) {
    const known = await get(url, { 'if-none-match': String((await get(url)).headers['etag']) })
    assert.deepEqual([known.statusCode, known.body], [304, ''])
  }
})

test('responds with 404 to a path that names no file', async () => {
  for (const url of ['/console/', '/console/main.js', '/console/main.ts', '/console/tsconfig.json', '/console/src/config.ts', '/console/..%2fpackage.json']) {
    const { statusCode, body } = await get(url)
    assert.equal(statusCode, 404, url)
    assert.deepEqual(JSON.parse(body), { message: `Route GET:${url} not found`, error: 'Not Found', statusCode: 404, reason: 'unknown_route' })
  }
})

test('its files do not count against the API rate limit and have their own limit', async () => {
  await using other = await createBareGateway({ consoleBuild: buildOptions(null) })
  const request = (url: string) => other.gateway.app.inject(url)
  const first = await request('/')
  assert.equal(first.headers['x-ratelimit-remaining'], undefined)
  const units = Math.ceil(first.rawPayload.byteLength / DOCUMENT_UNIT_BYTES)
  for (let requests = units; requests < DOCUMENT_UNITS_PER_WINDOW; requests++) assert.equal((await request('/console/none')).statusCode, 404)
  const refused = await request('/')
  assert.equal(refused.statusCode, 429)
  assert.deepEqual(withoutMessage(JSON.parse(refused.body)), { error: 'rate_limited', retry_after_sec: Number(refused.headers['retry-after']) })
  assert.equal((await request('/v1/keys/beta-status')).statusCode, 200)
  other.clock.advance(60_000)
  assert.equal((await request('/')).statusCode, 200)
})

test('responds with 404 when the console is disabled', async () => {
  await using without = await createBareGateway()
  for (const url of ['/', '/console/x']) {
    const { statusCode, body } = await without.gateway.app.inject(url)
    assert.equal(statusCode, 404)
    assert.deepEqual(JSON.parse(body), { message: `Route GET:${url} not found`, error: 'Not Found', statusCode: 404, reason: 'unknown_route' })
  }
})
