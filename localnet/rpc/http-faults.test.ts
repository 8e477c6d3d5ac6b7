import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChainFixture, requestBody } from './test-fixture.ts'
import type { ChainFixture } from './test-fixture.ts'
import type { FaultRequest } from '../faults.ts'
import { ConnectionCut } from './http-response.ts'
import type { HttpResponse } from './http-response.ts'

/** A handler that counts how often getHealth ran. */
function doorWith(...requests: readonly FaultRequest[]): ChainFixture {
  const fake = createChainFixture()
  for (const request of requests) fake.faults.arm(request)
  return fake
}

const health = (fake: ChainFixture, signal?: AbortSignal): Promise<HttpResponse> => fake.rpc.handle(requestBody('getHealth'), signal)

test('http_status returns the status and retry-after without a body', async () => {
  const fake = doorWith({ name: 'http_status', status: 429, retryAfterSec: 3 })
  const { status, headers, body } = await health(fake)
  assert.deepEqual([status, headers['retry-after'], headers['content-type'], body], [429, '3', undefined, null])
  assert.equal((await health(fake)).status, 200)
})

test('html_200, empty_204 and torn_json have success statuses', async () => {
  const page = await health(doorWith({ name: 'html_200' }))
  assert.deepEqual([page.status, page.headers['content-type'], page.body?.startsWith('<!DOCTYPE html>')], [200, 'text/html; charset=utf-8', true])
  const nothing = await health(doorWith({ name: 'empty_204' }))
  assert.deepEqual([nothing.status, nothing.body], [204, null])
  const whole = await health(createChainFixture())
  const torn = await health(doorWith({ name: 'torn_json', keepPercent: 80 }))
  assert.deepEqual([torn.status, torn.headers['content-type']], [200, 'application/json'])
  assert.ok(whole.body?.startsWith(torn.body ?? 'x') === true && torn.body !== whole.body)
  assert.throws(() => JSON.parse(torn.body ?? '{}') as unknown)
})

test('timeout cuts the connection after the given time', async () => {
  const fake = doorWith({ name: 'timeout', ms: 5_000 })
  const response = health(fake)
  let ended = false
  void response.catch(() => (ended = true))
  fake.clock.advance(4_999)
  await new Promise(setImmediate)
  assert.equal(ended, false)
  fake.clock.advance(1)
  await assert.rejects(response, ConnectionCut)
  assert.equal(fake.clock.pendingTimers(), 0)
})

test('timeout leaves no timer when the client disconnects', async () => {
  const fake = doorWith({ name: 'timeout' })
  const client = new AbortController()
  const response = health(fake, client.signal)
  client.abort()
  await assert.rejects(response, ConnectionCut)
  assert.equal(fake.clock.pendingTimers(), 0)
})

test('slow returns the state at the time of the response', async () => {
  const fake = doorWith({ name: 'slow', ms: 2_000 })
  const response = health(fake)
  fake.chain.closeLedgerWith()
  fake.clock.advance(2_000)
  assert.match((await response).body ?? '', /"latestLedger":2/)
})

test('`executed` decides whether a lost call takes effect', async () => {
  for (const name of ['http_status', 'connection_reset', 'html_200', 'empty_204']) {
    for (const executed of [false, true]) {
      const fake = doorWith({ name, executed, method: 'sendTransaction' })
      let sends = 0
      fake.chain.send = () => ({ status: 'PENDING', hash: String(++sends) })
      await fake.rpc.handle(requestBody('sendTransaction', { transaction: 'x' })).catch((error: unknown) => assert.ok(error instanceof ConnectionCut))
      assert.equal(sends, executed ? 1 : 0, `${name}, executed: ${String(executed)}`)
    }
  }
})

test('an HTTP fault on one call affects the response to the whole batch', async () => {
  const fake = doorWith({ name: 'http_status', method: 'getNetwork' })
  const batch = `[${requestBody('getHealth')},${requestBody('getNetwork')}]`
  assert.equal((await fake.rpc.handle(batch)).status, 503)
})

test('faults do not affect calls in this process and extra methods', async () => {
  const fake = createChainFixture({ extraMethods: { local_test: () => Promise.resolve({ ok: true }) } })
  fake.faults.arm({ name: 'http_status', count: null })
  assert.equal((await fake.call('getHealth'))['status'], 'healthy')
  assert.equal((await fake.rpc.handle(requestBody('local_test'))).status, 200)
  assert.equal((await health(fake)).status, 503)
})
