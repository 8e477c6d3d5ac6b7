import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createSeededRandom } from '../base/random.ts'
import { createApp } from './app.ts'
import type { App } from './app.ts'
import { createRequestLimits } from './request-limits.ts'
import { createRegionGuard } from './region-guard.ts'
import type { RegionHeaders } from './region-guard.ts'

const HEADERS: RegionHeaders = { country: 'cf-ipcountry', region: 'cf-region-code' }

/** A server with a guarded and an unguarded route. */
function createGuardedApp(regionGuard: RegionHeaders | null): App {
  const clock = createVirtualClock(0)
  const random = createSeededRandom('region')
  const limits = { public: 1_000, standard: 1_000, market_maker: 1_000 }
  const app = createApp({
    clock,
    random,
    log: silentLog,
    webOrigins: [],
    trustProxy: false,
    requestLimits: createRequestLimits({ clock, limits, addressCeiling: 1_000 }),
    regionGuard,
    errorRules: [],
  })
  app.post('/v1/orders/prepare', { config: { regionGuarded: true } }, () => ({ reached: true }))
  app.get('/v1/trades', () => ({ reached: true }))
  return app
}

test('rejects exactly the restricted countries, case-insensitively', () => {
  const guard = createRegionGuard(HEADERS)
  for (const country of ['US', 'CU', 'IR', 'KP', 'SY', 'RU', 'BY', 'us', ' ru ']) {
    assert.equal(guard({ 'cf-ipcountry': country })?.status, 451, country)
  }
  for (const country of ['CA', 'DE', 'UA', 'KR', 'XX', 'T1', '', 'USA']) assert.equal(guard({ 'cf-ipcountry': country }), undefined, country)
  assert.equal(guard({}), undefined, 'allows clients of unknown region')
})

test('rejects Ontario by country and region', () => {
  const guard = createRegionGuard(HEADERS)
  for (const region of ['ON', 'on', 'CA-ON']) assert.equal(guard({ 'cf-ipcountry': 'CA', 'cf-region-code': region })?.status, 451, region)
  assert.equal(guard({ 'cf-ipcountry': 'CA', 'cf-region-code': 'QC' }), undefined)
  assert.equal(guard({ 'cf-ipcountry': 'DE', 'cf-region-code': 'ON' }), undefined, 'a region of the same name in another country')
})

test('checks all values of a repeated header', () => {
  const guard = createRegionGuard(HEADERS)
  assert.equal(guard({ 'cf-ipcountry': 'US, DE' })?.status, 451)
  assert.equal(guard({ 'cf-ipcountry': 'DE, US' })?.status, 451)
})

test('reads the configured headers', () => {
  const guard = createRegionGuard({ country: 'x-country', region: 'x-region' })
  assert.equal(guard({ 'x-country': 'US' })?.status, 451)
  assert.equal(guard({ 'cf-ipcountry': 'US' }), undefined)
})

test('rejects every request that reaches a guarded route, however its URL is encoded', async () => {
  const app = createGuardedApp(HEADERS)
  const from = { 'cf-ipcountry': 'US' }
  for (const url of ['/v1/orders/prepare', '/v1/orders/prepare?a=/v1/trades', '/v1/orders/%70repare', '/v1/orders/prepare#x']) {
    const response = await app.inject({ method: 'POST', url, headers: from })
    assert.equal(response.statusCode, 451, url)
    assert.equal(response.json<{ error: string }>().error, 'region_restricted')
    assert.match(response.json<{ message: string }>().message, /region/)
    assert.equal(response.headers['x-ratelimit-tier'], 'public', 'the rejected request is counted')
  }
  for (const url of ['/v1//orders/prepare', '//v1/orders/prepare', '/v1/orders/prepare/', '/v1/orders/../orders/prepare', '/V1/orders/prepare']) {
    const response = await app.inject({ method: 'POST', url, headers: from })
    assert.ok([404, 451].includes(response.statusCode), `${url} does not reach the route (${response.statusCode})`)
  }
  assert.equal((await app.inject({ method: 'POST', url: '/v1/orders/prepare', headers: { 'cf-ipcountry': 'DE' } })).statusCode, 200)
  assert.equal((await app.inject({ url: '/v1/trades?x=/v1/orders/prepare', headers: from })).statusCode, 200, 'unguarded routes stay open')
  await app.close()
})

test('is off by default', async () => {
  const app = createGuardedApp(null)
  assert.equal((await app.inject({ method: 'POST', url: '/v1/orders/prepare', headers: { 'cf-ipcountry': 'US' } })).statusCode, 200)
  await app.close()
})
