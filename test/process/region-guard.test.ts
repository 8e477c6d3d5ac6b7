// The region guard and the client address behind Caddy with the project's own configuration, with and without a CDN in front of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { createApp } from '../../src/http/app.ts'
import { createRequestLimits } from '../../src/http/request-limits.ts'
import { startCaddy, WITHOUT_CADDY } from './load-balancers.ts'

const COUNTRY = 'x-client-country'
const REGION = 'x-client-region'
const HEADER_NAMES = { GEO_COUNTRY_HEADER: COUNTRY, GEO_REGION_HEADER: REGION }

interface Behind extends AsyncDisposable {
  /** Status of a trading request. */
  trade(headers: Readonly<Record<string, string>>): Promise<number>
  /** The client address that the gateway counts. */
  address(headers: Readonly<Record<string, string>>): Promise<string>
}

/** A guarded server behind Caddy. `trusted` are the addresses of the CDN; the test itself connects from the loopback address. */
async function createBehindCaddy(trusted: string | null): Promise<Behind> {
  const [clock, random] = [createSystemClock(), createSystemRandom()]
  const limits = { public: 1_000, standard: 1_000, market_maker: 1_000 }
  const app = createApp({
    clock, random, log: silentLog, webOrigins: [], trustProxy: 2, errorRules: [],
    requestLimits: createRequestLimits({ clock, limits, addressCeiling: 1_000 }),
    regionGuard: { country: COUNTRY, region: REGION },
  })
  app.get('/readyz', () => ({ status: 'ready' }))
  app.get('/v1/address', (request) => ({ address: request.caller.network.bucket }))
  app.post('/v1/orders/prepare', { config: { regionGuarded: true } }, () => ({ reached: true }))
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  const caddy = await startCaddy([port], trusted === null ? HEADER_NAMES : { ...HEADER_NAMES, TRUSTED_PROXIES: trusted })
  return {
    async trade(headers) {
      const response = await fetch(`${caddy.url}/v1/orders/prepare`, { method: 'POST', headers })
      await response.arrayBuffer()
      return response.status
    },
    async address(headers) {
      const response = await fetch(`${caddy.url}/v1/address`, { headers })
      return ((await response.json()) as { readonly address: string }).address
    },
    async [Symbol.asyncDispose]() {
      await caddy[Symbol.asyncDispose]()
      await app.close()
    },
  }
}

test('behind a CDN and Caddy, the region and the address that the CDN reports count', { skip: WITHOUT_CADDY }, async () => {
  await using behind = await createBehindCaddy('192.0.2.0/24 127.0.0.1/32 ::1/128')
  const client = { 'x-forwarded-for': '198.51.100.7' }
  assert.equal(await behind.trade({ ...client, [COUNTRY]: 'US' }), 451)
  assert.equal(await behind.trade({ ...client, [COUNTRY]: 'CA', [REGION]: 'ON' }), 451)
  assert.equal(await behind.trade({ ...client, [COUNTRY]: 'DE' }), 200)
  assert.equal(await behind.trade(client), 200, 'clients of unknown region are served')
  assert.equal(await behind.address(client), '198.51.100.7')
  assert.equal(await behind.address({ 'x-forwarded-for': '203.0.113.1, 198.51.100.7' }), '198.51.100.7', 'an entry that the client added does not count')
})

test('behind Caddy alone, clients choose neither their region nor their address', { skip: WITHOUT_CADDY }, async () => {
  await using behind = await createBehindCaddy(null)
  for (const country of ['US', 'DE']) assert.equal(await behind.trade({ [COUNTRY]: country, [REGION]: 'ON' }), 200, country)
  for (const spoofed of ['198.51.100.7', '203.0.113.1, 198.51.100.7']) assert.equal(await behind.address({ 'x-forwarded-for': spoofed }), '127.0.0.1', spoofed)
})
