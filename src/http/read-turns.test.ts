import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Type } from 'typebox'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createSeededRandom } from '../base/random.ts'
import { createTaskContext } from '../base/task-context.ts'
import type { TurnCaller } from '../base/turns.ts'
import { RATE_LIMIT_PER_WINDOW } from '../limits.ts'
import { UNRESTRICTED } from '../keys/restrictions.ts'
import { createApp } from './app.ts'
import type { App } from './app.ts'
import { createRequestLimits } from './request-limits.ts'

const KEY = { keyId: 'nk_1', owner: 'GOWNER', tier: 'standard', restrictions: UNRESTRICTED, parent: null, rotation: 0, secretUntil: null } as const

/** An app whose routes return the caller that their reads run for, after some turns of the event loop. */
function buildApp(): App {
  const clock = createVirtualClock(0)
  const reading = createTaskContext<TurnCaller>()
  const app = createApp({
    clock, log: silentLog, random: createSeededRandom('app'), webOrigins: [], trustProxy: true, errorRules: [], reading,
    authenticate: () => KEY,
    requestLimits: createRequestLimits({ clock, limits: RATE_LIMIT_PER_WINDOW, addressCeiling: 12_000 }),
  })
  const current = async (): Promise<object> => {
    await setImmediate()
    return reading.current() ?? {}
  }
  const listing = { querystring: Type.Object({ limit: Type.Optional(Type.Unsafe<number>({ type: 'integer', default: 500 })) }) }
  app.get('/row', current)
  app.get('/list', { schema: listing }, current)
  app.get('/curve', { config: { readsMany: true } }, current)
  app.post('/body', { schema: { body: Type.Object({ text: Type.String() }) } }, current)
  return app
}

async function readerOf(app: App, url: string, options: { readonly key?: boolean; readonly from?: string; readonly body?: object } = {}): Promise<unknown> {
  const { key = false, from = '192.0.2.1', body } = options
  const headers = { 'x-forwarded-for': from, ...(key ? { authorization: 'Bearer nk_1:secret' } : {}) }
  const response = await app.inject({ method: body === undefined ? 'GET' : 'POST', url, headers, ...(body === undefined ? {} : { payload: body }) })
  assert.equal(response.statusCode, 200, response.body)
  return response.json()
}

test('reads run for the address and the owner of the key', async () => {
  const app = buildApp()
  assert.deepEqual(await readerOf(app, '/row'), { address: '192.0.2.1', isLarge: false })
  assert.deepEqual(await readerOf(app, '/row', { key: true, from: '2001:db8:1:2::3' }), { address: '2001:db8:1:2::/64', owner: 'GOWNER', isLarge: false })
})

test('reads of large pages are large, by their limit or its default', async () => {
  const app = buildApp()
  const cases = [['/list?limit=100', false], ['/list?limit=101', true], ['/list', true], ['/curve', true]] as const
  for (const [url, isLarge] of cases) assert.deepEqual(await readerOf(app, url), { address: '192.0.2.1', isLarge }, url)
})

test('each request has its own caller: concurrent ones, those with a body, and those on one connection', async () => {
  const app = buildApp()
  const addresses = Array.from({ length: 20 }, (_, index) => `192.0.2.${index + 1}`)
  const found = await Promise.all(addresses.map((from, index) => {
    return index % 2 === 0 ? readerOf(app, '/row', { from }) : readerOf(app, '/body', { from, body: { text: 'x' } })
  }))
  assert.deepEqual(found, addresses.map((address) => ({ address, isLarge: false })))

  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const responses = await Promise.all(addresses.map(async (from) => {
    const response = await fetch(`${url}/body`, {
      method: 'POST', body: JSON.stringify({ text: 'x'.repeat(10_000) }), headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    })
    return await response.json()
  }))
  await app.close()
  assert.deepEqual(responses, addresses.map((address) => ({ address, isLarge: false })))
})
