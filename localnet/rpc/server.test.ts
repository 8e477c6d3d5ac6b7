import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { createChainFixture, FAKE_PASSPHRASE, requestBody } from './test-fixture.ts'
import type { ChainFixture } from './test-fixture.ts'
import { rootKeypair } from './friendbot.ts'
import { contentTypeProblem, serveRpc } from './server.ts'
import type { ServedRpc } from './server.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

async function serve(fake: ChainFixture): Promise<ServedRpc & { origin: string }> {
  const served = await serveRpc(fake.rpc, { host: '127.0.0.1', port: 0 })
  return { ...served, origin: new URL(served.url).origin }
}

function post(url: string, body: string, headers: Record<string, string> = JSON_TYPE): Promise<Response> {
  return fetch(url, { method: 'POST', body, headers })
}

test('serves JSON-RPC at /rpc and all other paths, and sets the friendbot URL', async () => {
  const fake = createChainFixture()
  await using served = await serve(fake)
  for (const path of ['/rpc', '/', '/soroban/rpc/']) {
    const response = await post(served.origin + path, requestBody('getNetwork'))
    assert.deepEqual([response.status, response.headers.get('access-control-allow-origin')], [200, '*'])
    const { result } = (await response.json()) as { result: Record<string, unknown> }
    assert.equal(result['friendbotUrl'], served.friendbotUrl)
  }
})

test('accepts only POST, JSON and UTF-8', async () => {
  await using served = await serve(createChainFixture())
  for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) assert.equal((await fetch(served.url, { method })).status, 405, method)
  for (const type of ['text/plain', 'application/json; charset=latin1', 'application/x-www-form-urlencoded']) {
    assert.equal((await post(served.url, requestBody('getHealth'), { 'content-type': type })).status, 415, type)
  }
  assert.equal((await post(served.url, requestBody('getHealth'), { 'content-type': 'application/json; charset=UTF-8' })).status, 200)
})

test('accepts content types as browsers write them', () => {
  for (const good of ['application/json', 'Application/JSON', 'application/json;charset="utf-8"', 'application/json; charset=utf8; x=1']) {
    assert.equal(contentTypeProblem(good), null, good)
  }
  for (const bad of [undefined, '', 'application/jsonp', 'json']) assert.equal(contentTypeProblem(bad), 'content-type must be application/json')
  assert.equal(contentTypeProblem('application/json; charset=utf-16'), 'invalid content-type charset')
})

test('allows all browser requests from all origins', async () => {
  await using served = await serve(createChainFixture())
  const response = await fetch(served.url, {
    method: 'OPTIONS',
    headers: { origin: 'https://example.org', 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,x-client-name' },
  })
  assert.equal(response.status, 204)
  assert.equal(response.headers.get('access-control-allow-origin'), '*')
  assert.equal(response.headers.get('access-control-allow-headers'), 'content-type,x-client-name')
  assert.match(response.headers.get('access-control-allow-methods') ?? '', /POST/)
})

test('invalid JSON and a body over the limit are HTTP 500 in plain text', async () => {
  await using served = await serve(createChainFixture())
  const broken = await post(served.url, '{')
  assert.deepEqual([broken.status, broken.headers.get('content-type')], [500, 'text/plain; charset=utf-8'])
  const large = await post(served.url, requestBody('getHealth', { padding: 'x'.repeat(512 * 1024) }))
  assert.deepEqual([large.status, large.headers.get('content-type')], [500, 'text/plain; charset=utf-8'])
})

test('friendbot accepts GET and POST, and responds when the account exists', async () => {
  const fake = createChainFixture()
  const root = rootKeypair(FAKE_PASSPHRASE).publicKey()
  fake.chain.accounts.set(root, { balance: 10n ** 18n, sequence: 0n })
  await using served = await serve(fake)
  assert.equal((await fetch(`${served.friendbotUrl}?addr=${root}`)).status, 400)
  const sent = Promise.withResolvers<void>()
  const send = fake.chain.send.bind(fake.chain)
  fake.chain.send = (envelope) => {
    sent.resolve()
    return send(envelope)
  }
  const responding = fetch(`${served.friendbotUrl}?addr=GAIH3ULLFQ4DGSECF2AR555KZ4KNDGEKN4AFI4SU2M7B43MGK3QJZNSR`, { method: 'POST' })
  await sent.promise
  fake.chain.closeLedger()
  const response = await responding
  assert.equal(response.status, 200)
  const { hash } = (await response.json()) as { hash: string }
  assert.equal((await fake.call('getTransaction', { hash }))['status'], 'SUCCESS')
  assert.equal((await fetch(served.friendbotUrl ?? '')).status, 400)
  assert.equal((await fetch(served.friendbotUrl ?? '', { method: 'DELETE' })).status, 405)
})

/** Sends headers that fetch does not allow. */
async function sendRaw(url: string, headers: Readonly<Record<string, string>>, body: string | null): Promise<{ status: number | undefined; text: string }> {
  const sent = request(url, { method: body === null ? 'GET' : 'POST', headers: { ...(body === null ? {} : JSON_TYPE), ...headers } })
  sent.end(body ?? undefined)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  return { status: response.statusCode, text }
}

test('local_ methods and friendbot answer programs and pages of the gateway, and no other page', async () => {
  let called = 0
  await using served = await serve(createChainFixture({ extraMethods: { local_test: () => Promise.resolve(++called) } }))
  served.trustGateway(8080)
  const control = requestBody('local_test')
  const own = [{}, { origin: 'http://127.0.0.1:8080' }, { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'none' }]
  for (const headers of own) {
    assert.equal((await sendRaw(served.url, headers, control)).status, 200, JSON.stringify(headers))
    assert.equal((await sendRaw(`${served.friendbotUrl}?addr=x`, headers, null)).status, 400, JSON.stringify(headers))
  }
  assert.equal(called, own.length)
  const foreign = [
    { origin: 'https://evil.example' }, { origin: 'http://localhost:3000' }, { origin: 'http://6.6.6.6:8080' }, { origin: 'null' },
    { origin: 'https://localhost:8080' }, { origin: 'https://127.0.0.1:8080' },
    { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of foreign) {
    const batch = `[${requestBody('getHealth')},${control}]`
    for (const body of [control, batch]) assert.equal((await sendRaw(served.url, headers, body)).status, 403, JSON.stringify(headers))
    for (const path of ['friendbot', 'friendbot/']) {
      assert.equal((await sendRaw(`${served.origin}/${path}?addr=x`, headers, null)).status, 403, JSON.stringify(headers))
    }
    assert.equal((await sendRaw(served.url, headers, requestBody('getHealth'))).status, 200, 'a real node answers every page')
  }
  assert.equal((await sendRaw(served.url, { 'content-type': 'text/plain' }, control)).status, 415, 'a form cannot send it without a preflight')
  assert.equal(called, own.length)
})

test('without a gateway, no page may call a local_ method', async () => {
  await using served = await serve(createChainFixture({ extraMethods: { local_test: () => Promise.resolve(1) } }))
  assert.equal((await sendRaw(served.url, { origin: served.origin }, requestBody('local_test'))).status, 403)
})

test('rejects every request whose Host was rebound', async () => {
  await using served = await serveRpc(createChainFixture().rpc, { host: '127.0.0.1', port: 0, allowedHosts: ['exchange'] })
  for (const host of ['evil.example', 'evil.example:8000', 'localhost.evil.example']) {
    for (const [url, body] of [[served.url, requestBody('getHealth')], [`${served.friendbotUrl}?addr=x`, null]] as const) {
      const { status, text } = await sendRaw(url, { host }, body)
      assert.deepEqual([status, text], [403, 'The Host header names a host that is not allowed. Add it to ALLOWED_HOSTS.\n'])
    }
  }
  for (const host of ['localhost:1', '127.0.0.1', '[::1]:8000', 'exchange:8000']) {
    assert.equal((await sendRaw(served.url, { host }, requestBody('getHealth'))).status, 200)
  }
})

test('HTTP faults appear on the wire: a cut connection, a truncated body, an empty 204', async () => {
  const fake = createChainFixture()
  await using served = await serve(fake)
  fake.faults.arm({ name: 'connection_reset' })
  await assert.rejects(post(served.url, requestBody('getHealth')), TypeError)
  fake.faults.arm({ name: 'torn_json' })
  const torn = await post(served.url, requestBody('getHealth'))
  assert.equal(torn.status, 200)
  await assert.rejects(torn.json(), SyntaxError)
  fake.faults.arm({ name: 'empty_204' })
  assert.equal((await post(served.url, requestBody('getHealth'))).status, 204)
})

test('a client that disconnects ends the delay of a fault', async () => {
  const fake = createChainFixture()
  await using served = await serve(fake)
  fake.faults.arm({ name: 'timeout' })
  const client = new AbortController()
  const armed = Promise.withResolvers<void>()
  const trigger = fake.faults.trigger.bind(fake.faults)
  Object.assign(fake.faults, { trigger: (method: string) => (armed.resolve(), trigger(method)) })
  const responding = fetch(served.url, { method: 'POST', body: requestBody('getHealth'), headers: JSON_TYPE, signal: client.signal })
  await armed.promise
  client.abort()
  await assert.rejects(responding)
  await served.close()
  assert.equal(fake.clock.pendingTimers(), 0)
})

test('closing ends delays of faults and idle connections, and removes friendbot from getNetwork', async () => {
  const fake = createChainFixture()
  const served = await serve(fake)
  await post(served.url, requestBody('getHealth'))
  fake.faults.arm({ name: 'timeout' })
  const reached = Promise.withResolvers<void>()
  const handle = fake.rpc.handle.bind(fake.rpc)
  Object.assign(fake.rpc, {
    handle: (body: string, signal?: AbortSignal, mayControl?: boolean) => {
      reached.resolve()
      return handle(body, signal, mayControl)
    },
  })
  const waiting = post(served.url, requestBody('getHealth'))
  await reached.promise
  await Promise.all([served.close(), served.close(), assert.rejects(waiting)])
  assert.equal(Object.hasOwn(await fake.call('getNetwork'), 'friendbotUrl'), false)
  await assert.rejects(post(served.url, requestBody('getHealth')))
})

test('closing cuts an unfinished request after the drain time', async () => {
  const clock = createVirtualClock(0)
  const served = await serveRpc(createChainFixture().rpc, { host: '127.0.0.1', port: 0, clock })
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1')
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  socket.write('POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{')
  await post(served.url, requestBody('getHealth'))
  const closing = served.close()
  clock.advance(2_000)
  await Promise.all([closing, ended])
  assert.equal(clock.pendingTimers(), 0)
})

test('closes on a signal, and rejects when the address is in use', async () => {
  const stop = new AbortController()
  const fake = createChainFixture()
  const served = await serveRpc(fake.rpc, { host: '127.0.0.1', port: 0, signal: stop.signal })
  const port = Number(new URL(served.url).port)
  await assert.rejects(serveRpc(createChainFixture().rpc, { host: '127.0.0.1', port }), { code: 'EADDRINUSE' })
  stop.abort()
  await served.close()
  const again = await serveRpc(fake.rpc, { host: '127.0.0.1', port })
  await again.close()
})
