// Timeouts, delays and retries, on a virtual clock.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ContractFailure, GatewayError, RateLimited, Unauthorized, UnexpectedAnswer, Unreachable } from '../../client/src/errors.ts'
import { createHttp } from '../../client/src/http.ts'
import type { Http } from '../../client/src/http.ts'
import type { FetchLike, ResponseLike } from '../../client/src/platform.ts'
import { createVirtualClock } from '../../src/base/clock.ts'
import { until } from '../support/until.ts'

interface SentRequest {
  readonly atMs: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

type Reply = ResponseLike | Error | 'silence'

function response(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): ResponseLike {
  return { status, headers: { get: (name) => headers[name] ?? null }, text: async () => (typeof body === 'string' ? body : JSON.stringify(body)) }
}

/** An HTTP client of a gateway that sends these replies, and then repeats the last one. */
function connect(replies: readonly Reply[], differently: Partial<Parameters<typeof createHttp>[0]> = {}) {
  const clock = createVirtualClock(0)
  const sent: SentRequest[] = []
  const fetch: FetchLike = async (url, { headers, signal }) => {
    const reply = replies[Math.min(sent.length, replies.length - 1)]
    sent.push({ atMs: clock.nowMs(), url, headers, signal })
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
  /** Advances the clock until the call has settled. */
  async function settled<T>(work: Promise<T>): Promise<{ readonly value?: T; readonly error?: unknown }> {
    let result: { readonly value?: T; readonly error?: unknown } | undefined
    work.then((value) => (result = { value }), (error: unknown) => (result = { error }))
    await until(() => {
      if (result === undefined) clock.advance(100)
      return result !== undefined
    }, 'the call')
    return result ?? {}
  }
  return { http, sent, clock, settled }
}

const READ = { method: 'GET', path: '/v1/trades', isRepeatable: true } as const
const WRITE = { method: 'POST', path: '/v1/keys', body: {}, isRepeatable: false } as const
const unreachable = new TypeError('fetch failed')
const limited = response(429, { error: 'rate_limited', retry_after_sec: 17 }, { 'retry-after': '17', 'x-request-id': 'abc' })

test('a read is retried with delays while the gateway is unreachable, then fails', async () => {
  const recovering = connect([unreachable, response(503, { statusCode: 503, error: 'Service Unavailable', message: 'soon' }), response(200, { trades: [] })])
  assert.deepEqual((await recovering.settled(recovering.http.call(READ))).value?.body, { trades: [] })
  assert.equal(recovering.sent.length, 3)
  assert.equal(new Set(recovering.sent.map(({ headers }) => headers['x-request-id'])).size, 3)
  const offline = connect([unreachable])
  const { error } = await offline.settled(offline.http.call(READ))
  assert.ok(error instanceof Unreachable && error.message.includes('fetch failed'))
  assert.equal(offline.sent.length, 4)
})

test('a write is not retried after any failure but a rate limit', async () => {
  for (const reply of [unreachable, response(502, { error: 'rpc_error', message: '' }), response(503, {}), 'silence'] as const) {
    const once = connect([reply])
    assert.ok((await once.settled(once.http.call(WRITE))).error instanceof Error)
    assert.equal(once.sent.length, 1)
  }
  const counted = connect([limited, response(201, { keyId: 'nk' })])
  assert.deepEqual((await counted.settled(counted.http.call(WRITE))).value?.body, { keyId: 'nk' })
})

test('trading does not wait for the rate limit of reads, nor reads for that of trading', async () => {
  const left = (count: string) => ({ 'x-ratelimit-tier': 'standard', 'x-ratelimit-remaining': count })
  for (const [first, others] of [
    ['/v1/trades', ['/v1/orders/prepare', '/v1/actions/prepare', '/v1/tx/submit', '/v1/tx/abc']], ['/v1/tx/submit', ['/v1/trades', '/v1/orders/7', '/v1/txs']],
  ] as const) {
    const { http, sent, settled } = connect([limited, response(200, {}, left('599'))])
    await settled(http.call({ ...READ, path: first }, { attempts: 1 }))
    for (const path of others) await settled(http.call({ ...READ, path }))
    assert.deepEqual(sent.slice(1).filter(({ atMs }) => atMs >= 17_000), [])
    const isRead = first !== '/v1/trades'
    assert.deepEqual([http.allowance(), http.allowance('trading')].map((allowance) => allowance?.remaining), isRead ? [599, undefined] : [undefined, 599])
    await settled(http.call({ ...READ, path: first }))
    assert.ok((sent.at(-1)?.atMs ?? 0) >= 17_000, first)
  }
})

test('every call of one kind waits for Retry-After', async () => {
  const { http, sent, settled } = connect([limited, response(200, {})])
  const first = http.call(READ)
  await settled(first)
  assert.ok((sent[1]?.atMs ?? 0) >= 17_000, `retried at ${sent[1]?.atMs}`)
  const other = connect([limited, response(200, {})])
  const refused = other.settled(other.http.call(READ, { attempts: 1 }))
  assert.ok((await refused).error instanceof RateLimited)
  await other.settled(other.http.call(READ))
  assert.ok((other.sent[1]?.atMs ?? 0) >= 17_000)
})

test('a call that would wait longer than maxWaitMs fails at once', async () => {
  const { http, sent, settled } = connect([limited], { maxWaitMs: 5_000 })
  const { error } = await settled(http.call(READ))
  assert.ok(error instanceof RateLimited)
  assert.deepEqual([error.retryAfterSec, error.code, error.requestId, sent.length], [17, 'rate_limited', 'abc', 1])
  const again = await settled(http.call(READ))
  assert.ok(again.error instanceof RateLimited, String(again.error))
  assert.equal(sent.length, 1, 'a rate-limited call was sent again')
})

test('a timeout is Unreachable, and an abort cancels the request', async () => {
  const { http, sent, settled } = connect(['silence'], { attempts: 1 })
  const { error } = await settled(http.call(READ))
  assert.ok(error instanceof Unreachable && error.message.includes('within 10000 ms'), String(error))
  const controller = new AbortController()
  const call = http.call(READ, { signal: controller.signal })
  await until(() => sent.length === 2, 'the second call')
  controller.abort(new Error('no longer wanted'))
  await assert.rejects(call, /no longer wanted/)
  assert.equal(sent[1]?.signal.aborted, true)
  await assert.rejects(http.call(READ, { signal: controller.signal }), /no longer wanted/)
})

test('an abort ends the delay between attempts', async () => {
  const { http, sent } = connect([limited])
  const controller = new AbortController()
  const call = http.call(READ, { signal: controller.signal })
  await until(() => sent.length === 1, 'the call')
  controller.abort(new Error('no longer wanted'))
  await assert.rejects(call, /no longer wanted/)
  assert.equal(sent.length, 1)
})

test('a next link outside the API is ignored, so the key never goes elsewhere', async () => {
  const next = async (link: string): Promise<string | null> => {
    const { http } = connect([response(200, {}, { link })])
    http.useKey({ keyId: 'nk_1', secret: 'ff' })
    return (await http.call(READ)).next
  }
  assert.equal(await next('</v1/trades?cursor=a%2B>; rel="next"'), '/v1/trades?cursor=a%2B')
  for (const link of ['<https://elsewhere.test/v1/trades>; rel="next"', '<//elsewhere.test/v1/trades>; rel="next"', '</v1/x>; rel="prev"']) {
    assert.equal(await next(link), null, link)
  }
})

test('response headers are read', async () => {
  const headers = { 'x-ledger': '12', 'x-seq': '34', 'x-stale': '1', 'x-request-id': 'id', 'x-ratelimit-tier': 'public', 'x-ratelimit-remaining': '59' }
  const { http, sent } = connect([response(200, { ok: true }, headers)])
  http.useKey({ keyId: 'nk_1', secret: 'ff' })
  const received: Awaited<ReturnType<Http['call']>> = await http.call(READ, { minLedger: 7 })
  assert.deepEqual(received, { body: { ok: true }, requestId: 'id', ledger: 12, seq: 34, isStale: true, next: null })
  assert.deepEqual(http.allowance(), { tier: 'public', remaining: 59 })
  const { url, headers: sentHeaders } = sent[0] ?? {}
  assert.deepEqual([url, sentHeaders?.['authorization'], sentHeaders?.['x-min-ledger']], ['http://gateway.test/v1/trades', 'Bearer nk_1:ff', '7'])
})

test('a response that is not JSON is an UnexpectedAnswer, and an error without a code gets one', async () => {
  const page = connect([response(200, '<html>')])
  assert.ok((await page.settled(page.http.call(READ))).error instanceof UnexpectedAnswer)
  const bare = connect([response(418, 'teapot')])
  const { error } = await bare.settled(bare.http.call(READ))
  assert.ok(error instanceof GatewayError)
  assert.deepEqual([error.status, error.code, bare.sent.length], [418, 'http_418', 1])
})

test('sends X-Timestamp only to a gateway that requires it, from the first refusal on', async () => {
  const { http, sent, clock, settled } = connect([response(200, {}), response(401, { error: 'missing_timestamp' }), response(200, {})], { attempts: 1 })
  http.useKey({ keyId: 'nk_1', secret: 's' })
  clock.advance(1_783_339_200_500)
  await settled(http.call(READ))
  assert.ok('value' in (await settled(http.call(WRITE))), 'the refused call was not executed, so it is sent again')
  await settled(http.call(READ))
  const timestamps = sent.map(({ headers }) => headers['x-timestamp'])
  assert.deepEqual(timestamps, [undefined, undefined, '1783339200', '1783339200'])
})

test('gives up when a gateway claims that a sent timestamp is missing', async () => {
  const { http, sent, settled } = connect([response(401, { error: 'missing_timestamp' })])
  http.useKey({ keyId: 'nk_1', secret: 's' })
  const { error } = await settled(http.call(READ))
  assert.ok(error instanceof Unauthorized)
  assert.equal(sent.length, 2)
})

test('does not repeat what the deployment does not support', async () => {
  const body = { error: 'unsupported_by_deployment', op: 'claim_shortfall', expected: 'claim_shortfall(address)', found: null }
  const { http, sent, settled } = connect([response(503, body)])
  const { error } = await settled(http.call(READ))
  assert.ok(error instanceof GatewayError)
  assert.deepEqual([error.status, error.code, sent.length], [503, 'unsupported_by_deployment', 1])
})

test('a rejected submission carries host error and transaction result', async () => {
  const body = {
    error: 'submission_rejected', message: 'no', contractError: null, hostError: { type: 'storage', code: 'exceeded_limit' }, txResultCode: 'txSorobanInvalid',
  }
  const { http, settled } = connect([response(400, body)])
  const { error } = await settled(http.call(WRITE))
  assert.ok(error instanceof ContractFailure)
  assert.deepEqual([error.stage, error.contractError, error.hostError, error.txResultCode], ['submission', null, body.hostError, 'txSorobanInvalid'])
})

test('an error names its reason and the invalid parameter, and null where the gateway names none', async () => {
  const invalid = { statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', message: 'body/legs/0 must be string',
    reason: 'invalid_parameter', parameter: 'legs.0' }
  const missing = { error: 'missing_bearer', message: 'This endpoint needs an API key.' }
  for (const [status, body, expected] of [
    [400, invalid, ['FST_ERR_VALIDATION', 'invalid_parameter', 'legs.0', 'body/legs/0 must be string']],
    [404, { statusCode: 404, error: 'Not Found', message: 'Route GET:/x not found', reason: 'unknown_route' }, ['Not Found', 'unknown_route', null,
      'Route GET:/x not found']],
    [401, missing, ['missing_bearer', null, null, 'This endpoint needs an API key.']],
  ] as const) {
    const { http, settled } = connect([response(status, body)], { attempts: 1 })
    const { error } = await settled(http.call(READ))
    assert.ok(error instanceof GatewayError)
    assert.deepEqual([error.code, error.reason, error.parameter, error.hint], expected)
  }
})
