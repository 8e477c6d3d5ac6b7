import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChainFixture, rejectsWith, requestBody } from './test-fixture.ts'
import type { ChainFixture } from './test-fixture.ts'
import { RpcError } from './rpc-error.ts'

interface Posted {
  status: number
  type: string | undefined
  json: unknown
  body: string | null
}

async function post(fake: ChainFixture, body: string): Promise<Posted> {
  const { status, headers, body: text } = await fake.rpc.handle(body)
  assert.equal(headers['access-control-allow-origin'], '*')
  const type = headers['content-type']
  return { status, type, json: type === 'application/json' && text !== null ? JSON.parse(text) : undefined, body: text }
}

test('responds 200 with the id of the call, also for an error', async () => {
  const fake = createChainFixture()
  const good = await post(fake, requestBody('getHealth', null, 'mine'))
  assert.equal(good.status, 200)
  assert.deepEqual(Object.keys(good.json as object), ['jsonrpc', 'id', 'result'])
  const bad = await post(fake, requestBody('getEvents', {}, 0))
  assert.equal(bad.status, 200)
  assert.deepEqual(bad.json, { jsonrpc: '2.0', id: 0, error: { code: -32602, message: 'startLedger must be positive' } })
})

test('unknown methods and names of Object.prototype are not found', async () => {
  const fake = createChainFixture({ extraMethods: {} })
  for (const method of ['getEventsV2', 'toString', '__proto__', 'rpc.serverInfo']) {
    const error = { code: -32601, message: 'method not found', data: method }
    assert.deepEqual((await post(fake, requestBody(method))).json, { jsonrpc: '2.0', id: 1, error })
  }
})

test('params may be an object, null or absent, but not an array', async () => {
  const fake = createChainFixture()
  for (const params of [{}, null, undefined, { unknown: 1 }]) {
    assert.equal((((await post(fake, requestBody('getHealth', params))).json as { result: { status: string } }).result.status), 'healthy')
  }
  for (const method of ['getHealth', 'getEvents', 'getTransactions']) {
    const { json } = await post(fake, requestBody(method, [1]))
    assert.equal((json as { error: { code: number } }).error.code, -32602, method)
  }
})

test('a body that is not JSON, or larger than 512 KiB, is HTTP 500 in plain text', async () => {
  const fake = createChainFixture()
  const broken = await post(fake, '{"jsonrpc":"2.0","id":1,')
  assert.deepEqual([broken.status, broken.type], [500, 'text/plain; charset=utf-8'])
  const padding = (size: number): string => requestBody('getHealth', { padding: 'x'.repeat(size) })
  const overhead = padding(0).length
  assert.equal((await post(fake, padding(512 * 1024 - overhead))).status, 200)
  const large = await post(fake, padding(512 * 1024 - overhead + 1))
  assert.deepEqual([large.status, large.type], [500, 'text/plain; charset=utf-8'])
  assert.equal((await post(fake, requestBody('getHealth', { padding: 'é'.repeat(256 * 1024) }))).status, 500)
})

test('responds to a batch in order without notifications; a single response has no array, and none is 204', async () => {
  const fake = createChainFixture()
  const call = (id: unknown): unknown => JSON.parse(requestBody('getHealth', null, id))
  const many = await post(fake, JSON.stringify([call(2), call(null), 'x', call('b')]))
  assert.deepEqual((many.json as { id: unknown }[]).map((each) => each.id), [2, null, 'b'])
  const one = await post(fake, JSON.stringify([call(5), call(null)]))
  assert.equal((one.json as { id: unknown }).id, 5)
  for (const body of [JSON.stringify([call(null)]), JSON.stringify(call(null)), '[]']) {
    const none = await post(fake, body)
    assert.deepEqual([none.status, none.body], [204, null])
  }
})

test('a notification takes effect without a response', async () => {
  let called = 0
  const fake = createChainFixture({ extraMethods: { local_test: () => Promise.resolve(++called) } })
  await post(fake, requestBody('local_test', {}, null))
  assert.equal(called, 1)
})

test('extra methods turn RangeError into -32602, and hide all other errors', async () => {
  const fake = createChainFixture({
    extraMethods: {
      local_echo: (params) => Promise.resolve(params),
      local_range: () => Promise.reject(new RangeError('count must be positive')),
      local_refusal: () => Promise.reject(new RpcError(-32000, 'not now')),
      local_defect: () => Promise.reject(new Error('the password is hunter2')),
    },
  })
  assert.deepEqual(await fake.rpc.call('local_echo', { a: 1 }), { a: 1 })
  assert.deepEqual(await fake.rpc.call('local_echo'), {})
  await rejectsWith(fake.rpc.call('local_range'), -32602, 'count must be positive')
  await rejectsWith(fake.rpc.call('local_refusal'), -32000, 'not now')
  await rejectsWith(fake.rpc.call('local_defect'), -32003, /^(?!.*hunter2)/)
})
