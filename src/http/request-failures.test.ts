// Failed requests in the log, with the real logger and over real sockets.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { Type } from 'typebox'
import { createVirtualClock } from '../base/clock.ts'
import { createSeededRandom } from '../base/random.ts'
import { createLogger } from '../observability/logger.ts'
import { createApp } from './app.ts'
import type { App } from './app.ts'
import { UNAVAILABLE } from './errors.ts'
import { createRequestLimits } from './request-limits.ts'

interface Line {
  readonly level: number
  readonly msg: string
  readonly code?: string
  readonly count?: number
  readonly requestId?: string
  readonly err?: { readonly stack: string }
}

const INFO = 30
const WARN = 40
const ERROR = 50
const MINUTE_MS = 60_000

class Away extends Error {}

async function createLogged() {
  const lines: string[] = []
  const clock = createVirtualClock(MINUTE_MS * 1_000)
  const random = createSeededRandom('failures')
  const app: App = createApp({
    clock,
    random,
    log: createLogger({ level: 'info', format: 'json', color: false }, (line) => lines.push(line)),
    webOrigins: [],
    trustProxy: false,
    requestLimits: createRequestLimits({ clock, limits: { public: 100, standard: 600, market_maker: 6000 }, addressCeiling: 12_000 }),
    errorRules: [{ matches: (error) => error instanceof Away, toResponse: () => UNAVAILABLE }],
  })
  let reached = Promise.withResolvers<void>()
  let left = Promise.withResolvers<void>()
  app.post('/body', { config: { rateLimited: false }, schema: { body: Type.Object({ amount: Type.String() }) } }, () => ({ ok: true }))
  app.get('/limited', () => ({ ok: true }))
  app.get('/broken', { config: { rateLimited: false } }, () => {
    throw new Error('a bug')
  })
  app.get('/away', { config: { rateLimited: false } }, () => {
    throw new Away('the disk is full')
  })
  app.get('/slow', { config: { rateLimited: false } }, async (_request, reply) => {
    reached.resolve()
    await once(reply.raw, 'close')
    setImmediate(left.resolve)
    throw new Error('aborted')
  })
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const read = (): Line[] => lines.map((line) => JSON.parse(line) as Line)
  return {
    app, clock, read,
    async send(...chunks: readonly string[]): Promise<void> {
      const socket = connect(Number(url.port), url.hostname)
      socket.on('error', () => {})
      socket.resume()
      for (const chunk of chunks) socket.write(chunk)
      await once(socket, 'close')
    },
    async abandon(path: string): Promise<void> {
      reached = Promise.withResolvers()
      left = Promise.withResolvers()
      const socket = connect(Number(url.port), url.hostname)
      socket.on('error', () => {})
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
      await reached.promise
      socket.resetAndDestroy()
      await left.promise
    },
    [Symbol.asyncDispose]: () => app.close(),
  }
}

const CLOSE = 'Host: a\r\nConnection: close\r\n'
const JSON_BODY = `${CLOSE}Content-Type: application/json\r\n`

test('logs malformed requests once per code and minute, as information and without a stack', async () => {
  const logged = await createLogged()
  const cases: readonly (readonly [string, string])[] = [
    ['HPE_INVALID_METHOD', 'garbage\r\n\r\n'],
    ['HPE_HEADER_OVERFLOW', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['Not Found', `GET /nowhere?secret=5 HTTP/1.1\r\n${CLOSE}\r\n`],
    ['FST_ERR_VALIDATION', `POST /body HTTP/1.1\r\n${JSON_BODY}Content-Length: 2\r\n\r\n{}`],
    ['FST_ERR_CTP_INVALID_JSON_BODY', `POST /body HTTP/1.1\r\n${JSON_BODY}Content-Length: 1\r\n\r\n{`],
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', `POST /body HTTP/1.1\r\n${CLOSE}Content-Type: text/xml\r\nContent-Length: 1\r\n\r\n<`],
    ['FST_ERR_BAD_URL', `GET /%zz HTTP/1.1\r\n${CLOSE}\r\n`],
  ]
  for (const [, request] of cases) for (let round = 0; round < 5; round++) await logged.send(request)
  logged.clock.advance(MINUTE_MS)
  const lines = logged.read()
  assert.deepEqual(lines.map(({ code, count }) => [code, count]), cases.map(([code]) => [code, 5]))
  for (const { level, err, requestId } of lines) assert.deepEqual([level, err, typeof requestId], [INFO, undefined, 'string'])
  assert.ok(!JSON.stringify(lines).includes('secret=5'), 'queries of clients are not logged')
  await logged.app.close()
})

test('counts rate-limited requests', async () => {
  const logged = await createLogged()
  for (let request = 0; request < 150; request++) await logged.app.inject('/limited')
  await logged.app.close()
  assert.deepEqual(logged.read().map(({ level, code, count }) => [level, code, count]), [[INFO, 'rate_limited', 50]], 'logged at the latest at the end')
})

test('a client that disconnects before its response is not an error', async () => {
  const logged = await createLogged()
  for (let round = 0; round < 3; round++) await logged.abandon('/slow')
  await logged.app.close()
  assert.deepEqual(logged.read().map(({ level, code, count }) => [level, code, count]), [[INFO, 'client_disconnected', 3]])
})

test('logs every bug with its stack, up to a number per minute', async () => {
  await using logged = await createLogged()
  for (let request = 0; request < 100; request++) await logged.app.inject('/broken')
  logged.clock.advance(MINUTE_MS)
  const lines = logged.read()
  assert.equal(lines.length, 21)
  for (const { level, err } of lines) assert.deepEqual([level, /\n {4}at /.test(err?.stack ?? '')], [ERROR, true])
  assert.equal(lines.at(-1)?.count, 100)
})

test('an unavailable dependency is a warning with its cause and without a stack', async () => {
  await using logged = await createLogged()
  for (let request = 0; request < 30; request++) await logged.app.inject('/away')
  logged.clock.advance(MINUTE_MS)
  const lines = logged.read()
  assert.equal(lines.length, 21)
  for (const line of lines) assert.deepEqual([line.level, line.err, (line as unknown as { cause: string }).cause], [WARN, undefined, 'Error: the disk is full'])
  assert.equal(lines.at(-1)?.count, 30)
})
