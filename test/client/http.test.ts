// Time-outs, pauses and repetitions, on a clock that a test moves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatewayError, RateLimited, UnexpectedAnswer, Unreachable } from '../../client/src/errors.ts'
import { createHttp } from '../../client/src/http.ts'
import type { Http } from '../../client/src/http.ts'
import type { FetchLike, ResponseLike } from '../../client/src/platform.ts'
import { createVirtualClock } from '../../src/base/clock.ts'
import { until } from '../support/until.ts'

interface Asked {
  readonly atMs: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

type Reply = ResponseLike | Error | 'silence'

function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): ResponseLike {
  return { status, headers: { get: (name) => headers[name] ?? null }, text: async () => (typeof body === 'string' ? body : JSON.stringify(body)) }
}

/** A client of a gateway that replies as told, and then goes on with the last reply. */
function stage(replies: readonly Reply[], differently: Partial<Parameters<typeof createHttp>[0]> = {}) {
  const clock = createVirtualClock(0)
  const asked: Asked[] = []
  const fetch: FetchLike = async (url, { headers, signal }) => {
    const reply = replies[Math.min(asked.length, replies.length - 1)]
    asked.push({ atMs: clock.nowMs(), url, headers, signal })
    if (reply === 'silence' || reply === undefined) {
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))
    }
    if (reply instanceof Error) throw reply
    return reply
  }
  const later = (ms: number, run: () => void) => {
    const timer = clock.setTimer(ms, run)
    return () => timer.cancel()
  }
  const http = createHttp({
    url: 'http://gateway.test/', fetch, clock: { nowMs: () => clock.nowMs(), later }, timeoutMs: 10_000, attempts: 4, maxWaitMs: 65_000, ...differently,
  })
  /** Lets time pass, a tenth of a second each, until the call is over. */
  async function ended<T>(work: Promise<T>): Promise<{ readonly value?: T; readonly error?: unknown }> {
    let result: { readonly value?: T; readonly error?: unknown } | undefined
    work.then((value) => (result = { value }), (error: unknown) => (result = { error }))
    await until(() => {
      if (result === undefined) clock.advance(100)
      return result !== undefined
    }, 'the call')
    return result ?? {}
  }
  return { http, asked, clock, ended }
}

const READ = { method: 'GET', path: '/v1/trades', isRepeatable: true } as const
const WRITE = { method: 'POST', path: '/v1/keys', body: {}, isRepeatable: false } as const
const unreachable = new TypeError('fetch failed')
const limited = answer(429, { error: 'rate_limited', retry_after_sec: 17 }, { 'retry-after': '17', 'x-request-id': 'abc' })

test('a read is repeated while the gateway is away, with pauses, and then given up', async () => {
  const away = stage([unreachable, answer(503, { statusCode: 503, error: 'Service Unavailable', message: 'soon' }), answer(200, { trades: [] })])
  assert.deepEqual((await away.ended(away.http.call(READ))).value?.body, { trades: [] })
  assert.equal(away.asked.length, 3)
  assert.equal(new Set(away.asked.map(({ headers }) => headers['x-request-id'])).size, 3)
  const gone = stage([unreachable])
  const { error } = await gone.ended(gone.http.call(READ))
  assert.ok(error instanceof Unreachable && error.message.includes('fetch failed'))
  assert.equal(gone.asked.length, 4)
})

test('what may not be done twice is not, whatever the failure; what was refused for its number was not done', async () => {
  for (const reply of [unreachable, answer(502, { error: 'rpc_error', message: '' }), answer(503, {}), 'silence'] as const) {
    const once = stage([reply])
    assert.ok((await once.ended(once.http.call(WRITE))).error instanceof Error)
    assert.equal(once.asked.length, 1)
  }
  const counted = stage([limited, answer(201, { keyId: 'nk' })])
  assert.deepEqual((await counted.ended(counted.http.call(WRITE))).value?.body, { keyId: 'nk' })
})

test('the pause that the gateway asks for is made, by every call of the client', async () => {
  const { http, asked, ended } = stage([limited, answer(200, {})])
  const first = http.call(READ)
  await ended(first)
  assert.ok((asked[1]?.atMs ?? 0) >= 17_000, `asked again at ${asked[1]?.atMs}`)
  const other = stage([limited, answer(200, {})])
  const refused = other.ended(other.http.call(READ, { attempts: 1 }))
  assert.ok((await refused).error instanceof RateLimited)
  await other.ended(other.http.call(READ))
  assert.ok((other.asked[1]?.atMs ?? 0) >= 17_000)
})

test('whoever would wait longer than allowed hears why at once', async () => {
  const { http, asked, ended } = stage([limited], { maxWaitMs: 5_000 })
  const { error } = await ended(http.call(READ))
  assert.ok(error instanceof RateLimited)
  assert.deepEqual([error.retryAfterSec, error.code, error.requestId, asked.length], [17, 'rate_limited', 'abc', 1])
  const again = await ended(http.call(READ))
  assert.ok(again.error instanceof RateLimited, String(again.error))
  assert.equal(asked.length, 1, 'nobody asks what is known to be refused')
})

test('an answer that does not come in time is one that did not come; a caller who leaves ends the request', async () => {
  const { http, asked, ended } = stage(['silence'], { attempts: 1 })
  const { error } = await ended(http.call(READ))
  assert.ok(error instanceof Unreachable && error.message.includes('within 10000 ms'), String(error))
  const leaving = new AbortController()
  const left = http.call(READ, { signal: leaving.signal })
  await until(() => asked.length === 2, 'the second call')
  leaving.abort(new Error('no longer wanted'))
  await assert.rejects(left, /no longer wanted/)
  assert.equal(asked[1]?.signal.aborted, true)
  await assert.rejects(http.call(READ, { signal: leaving.signal }), /no longer wanted/)
})

test('a caller who leaves during a pause is let go', async () => {
  const { http, asked } = stage([limited])
  const leaving = new AbortController()
  const left = http.call(READ, { signal: leaving.signal })
  await until(() => asked.length === 1, 'the call')
  leaving.abort(new Error('no longer wanted'))
  await assert.rejects(left, /no longer wanted/)
  assert.equal(asked.length, 1)
})

test('the key goes to the gateway alone: a list that claims to go on elsewhere is at its end', async () => {
  const next = async (link: string): Promise<string | null> => {
    const { http } = stage([answer(200, {}, { link })])
    http.useKey({ keyId: 'nk_1', secret: 'ff' })
    return (await http.call(READ)).next
  }
  assert.equal(await next('</v1/trades?cursor=a%2B>; rel="next"'), '/v1/trades?cursor=a%2B')
  for (const link of ['<https://elsewhere.test/v1/trades>; rel="next"', '<//elsewhere.test/v1/trades>; rel="next"', '</v1/x>; rel="prev"']) {
    assert.equal(await next(link), null, link)
  }
})

test('what stands beside the body is read', async () => {
  const headers = { 'x-ledger': '12', 'x-seq': '34', 'x-stale': '1', 'x-request-id': 'id', 'x-ratelimit-tier': 'public', 'x-ratelimit-remaining': '59' }
  const { http, asked } = stage([answer(200, { ok: true }, headers)])
  http.useKey({ keyId: 'nk_1', secret: 'ff' })
  const told: Awaited<ReturnType<Http['call']>> = await http.call(READ, { minLedger: 7 })
  assert.deepEqual(told, { body: { ok: true }, requestId: 'id', ledger: 12, seq: 34, isStale: true, next: null })
  assert.deepEqual(http.allowance(), { tier: 'public', remaining: 59 })
  const { url, headers: sent } = asked[0] ?? {}
  assert.deepEqual([url, sent?.['authorization'], sent?.['x-min-ledger']], ['http://gateway.test/v1/trades', 'Bearer nk_1:ff', '7'])
})

test('an answer that is no gateway\'s says so, and an error without a name gets one', async () => {
  const page = stage([answer(200, '<html>')])
  assert.ok((await page.ended(page.http.call(READ))).error instanceof UnexpectedAnswer)
  const bare = stage([answer(418, 'teapot')])
  const { error } = await bare.ended(bare.http.call(READ))
  assert.ok(error instanceof GatewayError)
  assert.deepEqual([error.status, error.code, bare.asked.length], [418, 'http_418', 1])
})
