// GET /v1/oracle/prices, GET /v1/oracle/health, POST /v1/oracle/heartbeat.

import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { excuse, HttpFailure } from '../http/errors.ts'
import { CACHE_NEVER, JSON_TYPE, sendResponse } from '../http/response.ts'
import type { PreparedResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import { KEEPER_REPORT_MAX_BYTES } from '../limits.ts'
import type { OracleHealthReader } from '../markets/oracle-health.ts'
import type { Prices } from '../markets/prices.ts'
import { ref } from '../resources/fields.ts'
import { OracleHealth } from '../resources/oracle-health.ts'
import type { KeeperReport, OracleUnhealthy } from '../resources/oracle-health.ts'
import { Price } from '../resources/price.ts'
import { createSnapshotResponse } from './price-response.ts'
import { EXAMPLE_PRICE } from './examples.ts'
import { FILTER_MAX_LENGTH, listOf } from './parameters.ts'

const listPrices = operation(
  {
    id: 'listOraclePrices',
    tag: 'oracle',
    summary: 'List oracle prices',
    description:
      'Returns the price of each supported asset from the price shim contract, at most 3 seconds after it was read. Prices are served regardless of their ' +
      'age: check `stale`, whether the market still accepts it, and `ageSec`. If a price cannot be read, the last known price is served for up to five ' +
      'minutes with the header x-stale: 1. Assets without any known price are omitted.',
    ok: listOf('prices', ref(Price)),
    example: { prices: [EXAMPLE_PRICE] },
    headers: ['stale'],
    errors: [],
  },
  {},
)

const EXAMPLE_HEALTH: OracleHealth = {
  status: 'ok',
  onchain: { staleAfterSec: 60, staleCount: 0, assets: [{ asset: 'BTC', priceFloat: 108_421.5, ageSec: 4, stale: false, error: null }] },
  keeper: { configured: true, ageMs: 1_250, stale: false, lastReport: { round: 4_217 } },
}

const UNHEALTHY = {
  ok: 'The prices are healthy.',
  degraded: 'A price or the keeper is stale, or no keeper is configured. `onchain` and `keeper` say which.',
  down: 'Every price is stale. The program that publishes prices must be restarted.',
} as const

/** The body of a 503 response. */
const EXAMPLE_DEGRADED: OracleUnhealthy = {
  error: 'oracle_unhealthy', message: UNHEALTHY.degraded,
  status: 'degraded',
  onchain: { staleAfterSec: 60, staleCount: 1, assets: [{ asset: 'BTC', priceFloat: 108_421.5, ageSec: 75, stale: true, error: null }] },
  keeper: { configured: true, ageMs: 1_250, stale: false, lastReport: { round: 4_217 } },
}

const getHealth = operation(
  {
    id: 'getOracleHealth',
    tag: 'oracle',
    summary: 'Get the health of the prices',
    description: 'Returns the age of every price, and when the program that publishes them last reported itself to this instance of the gateway.',
    ok: ref(OracleHealth),
    example: EXAMPLE_HEALTH,
    errors: [400, '503 oracle_unhealthy'],
    errorExamples: { 503: EXAMPLE_DEGRADED },
    cacheable: false,
  },
  {
    querystring: Type.Object({
      strict: Type.Optional(Type.String({ maxLength: FILTER_MAX_LENGTH,
        description: 'Any text returns 503 unless status is ok. Its body has `error` and `message` too.' })),
    }),
  },
)

const reportHeartbeat = operation(
  {
    id: 'reportHeartbeat',
    tag: 'oracle',
    summary: 'Report the keeper',
    description:
      'For the program that publishes prices: stores its report, any JSON object of up to 4 KiB, which GET /v1/oracle/health shows to everyone. Requires the ' +
      'header x-keeper-secret with the secret of this gateway.',
    ok: Type.Null(),
    example: null,
    status: 204,
    errors: [400, '401 unauthorized', '503 heartbeat_disabled'],
    cacheable: false,
  },
  { body: Type.Unsafe<KeeperReport>({ type: 'object', additionalProperties: true, description: 'The report.' }) },
)

const HEARTBEAT_DISABLED = 'This gateway takes no heartbeats. Its operator must configure a secret.'
const KEEPER_UNAUTHORIZED = 'The header x-keeper-secret is missing or wrong. Send the secret of this gateway.'

export function oracleRoutes(app: App, parts: { readonly prices: Prices; readonly oracleHealth: OracleHealthReader }): void {
  const { prices, oracleHealth } = parts
  const responseOf = createSnapshotResponse((snapshot) => JSON.stringify({ prices: Array.from(snapshot.prices.values(), ({ price }) => price) }))

  const preparedPrices = (): PreparedResponse | undefined => {
    const snapshot = prices.cachedSnapshot()
    return snapshot === undefined ? undefined : responseOf(snapshot, undefined)
  }

  app.get('/v1/oracle/prices', { schema: listPrices, config: { prepared: preparedPrices } }, (request, reply) => {
    const prepared = preparedPrices()
    if (prepared !== undefined) return sendResponse(request, reply, prepared)
    return prices.snapshot().then((settled) => sendResponse(request, reply, responseOf(settled, undefined)))
  })

  app.get('/v1/oracle/health', { schema: getHealth }, async (request, reply) => {
    const health = await oracleHealth.health()
    const isStrict = (request.query.strict ?? '') !== ''
    // An answer, and not a failure of this service.
    excuse(reply)
    const isRejected = isStrict && health.status !== 'ok'
    const body: OracleHealth | OracleUnhealthy = isRejected ? { error: 'oracle_unhealthy', message: UNHEALTHY[health.status], ...health } : health
    reply.code(isRejected ? 503 : 200).header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify(body))
  })

  app.post('/v1/oracle/heartbeat', {
    schema: reportHeartbeat,
    bodyLimit: KEEPER_REPORT_MAX_BYTES,
    // Before the body is read.
    onRequest: (request, _reply, done) => {
      const secret = request.headers['x-keeper-secret']
      const result = oracleHealth.checkSecret(typeof secret === 'string' ? secret : undefined)
      if (result === 'heartbeat_disabled') throw new HttpFailure({ status: 503, body: { error: result, message: HEARTBEAT_DISABLED }, isCallersDoing: true })
      if (result === 'unauthorized') throw new HttpFailure({ status: 401, body: { error: result, message: KEEPER_UNAUTHORIZED } })
      done()
    },
  }, (request, reply) => {
    oracleHealth.heartbeat(request.body)
    reply.code(204).header('cache-control', CACHE_NEVER).send()
  })
}
