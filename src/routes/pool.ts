// GET /v1/pool, /v1/pool/history. Beyond the specification.

import { Type } from 'typebox'
import { ASSET_SYMBOLS } from '../exchange/assets.ts'
import { CACHE_ONE_SECOND, prepareResponse, sendResponse } from '../http/response.ts'
import type { App } from '../http/app.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS } from '../limits.ts'
import { listPoolSamples } from '../projections/pool-samples.ts'
import { ref } from '../resources/fields.ts'
import { PoolSample, PoolState } from '../resources/pool.ts'
import type { Queryable } from '../store/store.ts'
import type { Venue } from '../venue/venue.ts'
import { pageResponse, serialiseBody } from './page-response.ts'
import { beforeTs, cursor, limit, listOf } from './parameters.ts'

const EXAMPLE_POOL: PoolState = {
  ledger: 1_234_567, aum: '1000000000000', lpPrice: '10000000', lpSupply: '1000000000000', totalUsdc: '1000000000000', usdcBalance: '1000000000000',
  totalFees: '0', unrealizedPnl: '0', reservedPayout: '0', shortfall: '0', depositFeeBps: 30, withdrawFeeBps: 30, paused: false,
  caps: { reservedBps: 7_000, assetSideBps: 2_500 },
  headroom: { total: '700000000000', assets: ASSET_SYMBOLS.slice(0, 1).map((asset) => ({ asset, long: '250000000000', short: '250000000000' })) },
}

const EXAMPLE_SAMPLE: PoolSample = {
  time: 1_783_339_200, ledger: 1_234_567, aum: '1000000000000', lpPrice: '10000000', lpSupply: '1000000000000', reservedPayout: '0', unrealizedPnl: '0',
}

const getPool = operation(
  {
    id: 'getPool',
    tag: 'pool',
    summary: 'The liquidity vault, and what can still be opened against it',
    description: 'Read from the network, out of one ledger, and kept for 3 seconds. Caps are the contract\'s defaults; what could not be read is null.',
    ok: ref(PoolState),
    example: EXAMPLE_POOL,
    errors: [502],
  },
  {},
)

const listHistory = operation(
  {
    id: 'listPoolHistory',
    tag: 'pool',
    summary: 'The liquidity vault over time',
    description: 'One sample for every five minutes in which the gateway could read the vault, newest first.',
    ok: listOf('samples', ref(PoolSample)),
    example: { samples: [EXAMPLE_SAMPLE] },
    headers: ['index', 'next'],
    errors: [400, 503],
  },
  { querystring: Type.Object({ before_ts: beforeTs, limit: limit(PAGE_LIMITS.pool), cursor }) },
)

export function poolRoutes(app: App, parts: { readonly db: Queryable; readonly venue: Venue }): void {
  app.get('/v1/pool', { schema: getPool }, async (request, reply) => {
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, await parts.venue.pool()), { 'cache-control': CACHE_ONE_SECOND }))
  })

  app.get('/v1/pool/history', { schema: listHistory }, async (request, reply) => {
    const { before_ts, limit = PAGE_LIMITS.pool.default, cursor } = request.query
    const page = await listPoolSamples(parts.db, { beforeTs: before_ts, limit, cursor })
    sendResponse(request, reply, pageResponse(request, reply, page, { samples: page.rows }))
  })
}
