// How the console is served: its bytes, their headers, what they do not cost, and that it can be switched off.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { BuildOrder } from '../../src/console/built.ts'
import { CONSOLE_FILES_PER_WINDOW } from '../../src/limits.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'
import { PROJECT_ROOT } from '../tidy/tree.ts'

const LOCAL = 'http://127.0.0.1:8000/rpc'
const order = (localRpcUrl: string | null): BuildOrder =>
  ({ root: PROJECT_ROOT, settings: { networkName: 'testnet', networkPassphrase: 'a "network" & more', localRpcUrl } })

let bare: BareGateway
let page: string
before(async () => {
  bare = await createBareGateway({ consoleBuild: order(LOCAL) })
  page = (await get('/')).body
})
after(() => bare?.[Symbol.asyncDispose]())

const get = (url: string, headers: Record<string, string> = {}) => bare.gateway.app.inject({ url, headers })

test('the page comes with a policy that lets nothing stand inline, and names the local network\'s door', async () => {
  const { statusCode, headers } = await get('/')
  assert.equal(statusCode, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(headers['content-security-policy'], [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self' http://127.0.0.1:8000",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].join('; '))
  assert.deepEqual([headers['x-content-type-options'], headers['referrer-policy'], headers['cache-control']], ['nosniff', 'no-referrer', 'no-cache'])
  assert.ok(headers['x-request-id'])
  assert.doesNotMatch(page, /<style|style=|<script(?![^>]*src=)|\son\w+=|%[A-Z]+%/)
})

test('a network that is not local is not named anywhere: no door in the policy, none in the page', async () => {
  await using testnet = await createBareGateway({ consoleBuild: order(null) })
  const { body, headers } = await testnet.gateway.app.inject('/')
  assert.match(String(headers['content-security-policy']), /connect-src 'self';/)
  assert.ok(body.includes('&quot;localRpcUrl&quot;:null'))
})

test('what the page is told stands in an attribute, whatever is in it', () => {
  assert.ok(page.includes('a \\&quot;network\\&quot; &amp; more'))
})

test('every file that the page names is there, may be kept for ever, and every module that one imports is among them', async () => {
  const paths = [...page.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path)
  assert.ok(paths.length > 40)
  for (const path of new Set(paths)) {
    const { statusCode, headers, body } = await get(path)
    assert.equal(statusCode, 200, path)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    if (!path.endsWith('.ts')) continue
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    for (const [, specifier = ''] of body.matchAll(/^(?:import|export|\}) .*from '([^']+)'/gm)) {
      assert.ok(paths.includes(new URL(specifier, `http://x${path}`).pathname), `${path} imports ${specifier}`)
    }
  }
})

test('files go compressed to whoever takes that, and not at all to whoever has them', async () => {
  const path = /src="(\/console\/[^"]+main\.ts)"/.exec(page)?.[1] ?? ''
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

test('an address below it that names no file is unknown like any other', async () => {
  const base = /"(\/console\/[^/]+\/)/.exec(page)?.[1] ?? ''
  for (const url of ['/console/', '/console/0/console/main.ts', `${base}console/tsconfig.json`, `${base}src/config.ts`, '/console/..%2fpackage.json']) {
    const { statusCode, body } = await get(url)
    assert.equal(statusCode, 404, url)
    assert.deepEqual(JSON.parse(body), { message: `Route GET:${url} not found`, error: 'Not Found', statusCode: 404 })
  }
})

test('its files are not counted against the caller\'s calls, and are bounded by themselves', async () => {
  await using other = await createBareGateway({ consoleBuild: order(null) })
  const ask = (url: string) => other.gateway.app.inject(url)
  const first = await ask('/')
  assert.equal(first.headers['x-ratelimit-remaining'], undefined)
  for (let asked = 1; asked < CONSOLE_FILES_PER_WINDOW; asked++) await ask('/console/none')
  const refused = await ask('/')
  assert.equal(refused.statusCode, 429)
  assert.deepEqual(JSON.parse(refused.body), { error: 'rate_limited', retry_after_sec: Number(refused.headers['retry-after']) })
  const call = await ask('/llms.txt')
  assert.equal(call.statusCode, 200)
  other.clock.advance(60_000)
  assert.equal((await ask('/')).statusCode, 200)
})

test('without it nothing answers at its addresses', async () => {
  await using without = await createBareGateway()
  for (const url of ['/', '/console/x']) {
    const { statusCode, body } = await without.gateway.app.inject(url)
    assert.equal(statusCode, 404)
    assert.deepEqual(JSON.parse(body), { message: `Route GET:${url} not found`, error: 'Not Found', statusCode: 404 })
  }
})
