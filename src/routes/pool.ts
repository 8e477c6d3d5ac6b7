// GET /v1/pool, /v1/pool/history. Not in the specification.

import { Type } from 'typebox'
import { CACHE_ONE_SECOND, prepareResponse, sendResponse } from '../http/response.ts'
import type { App } from '../http/app.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS } from '../limits.ts'
import { listPoolSamples } from '../projections/markets/pool-samples.ts'
import { ref } from '../resources/fields.ts'
import { PoolSample, PoolState } from '../resources/pool.ts'
import type { Queryable } from '../store/store.ts'
import type { Venue } from '../markets/venue.ts'
import { pageResponse, serialiseBody } from './page-response.ts'
import { atLedgerParameter, beforeTsParameter, cursorParameter, limitParameter, listOf } from './parameters.ts'

const EXAMPLE_POOL: PoolState = {
  ledger: 1_234_567, aum: '1000000000000', lpPrice: '10000000', lpSupply: '1000000000000', totalUsdc: '1000000000000', usdcBalance: '1000000000000',
  totalFees: '0', unrealizedPnl: '0', reservedPayout: '0', shortfall: '0', bufferBalance: '0', shortfallReserve: '0',
  depositFeeBps: 30, withdrawFeeBps: 30, paused: false,
  caps: { reservedBps: 7_000, assetSideBps: 2_500 },
  headroom: { total: '700000000000', assets: [{ asset: 'BTC', long: '250000000000', short: '250000000000', bindingLong: 'side', bindingShort: 'side' }] },
}

const EXAMPLE_SAMPLE: PoolSample = {
  time: 1_783_339_200, ledger: 1_234_567, aum: '1000000000000', lpPrice: '10000000', lpSupply: '1000000000000', reservedPayout: '0', unrealizedPnl: '0',
  deposits: '50000000000', withdrawals: '0',
}

const getPool = operation(
  {
    id: 'getPool',
    tag: 'pool',
    summary: 'Get the liquidity vault',
    description:
      'Returns the state of the liquidity vault and the remaining headroom for new positions. Read from one ledger and cached for 3 seconds. Caps are ' +
      'cached for five minutes. Values that could not be read are null.',
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
    summary: 'List liquidity vault history',
    description:
      'Returns one sample per five minutes, newest first: share price (`lpPrice`), value (`aum`) and deposits. Intervals in which the vault could not be ' +
      'read are missing; their deposits count in the next sample. With at_ledger, samples that were read before that ledger closed.',
    ok: listOf('samples', ref(PoolSample)),
    example: { samples: [EXAMPLE_SAMPLE] },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed', 503],
  },
  {
    querystring: Type.Object({
      before_ts: beforeTsParameter, at_ledger: atLedgerParameter, limit: limitParameter(PAGE_LIMITS.pool), cursor: cursorParameter,
    }),
  },
)

export function poolRoutes(app: App, parts: { readonly db: Queryable; readonly venue: Venue }): void {
  app.get('/v1/pool', { schema: getPool }, async (request, reply) => {
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, await parts.venue.pool()), { 'cache-control': CACHE_ONE_SECOND }))
  })

  app.get('/v1/pool/history', { schema: listHistory }, async (request, reply) => {
    const { before_ts, at_ledger: atLedger, limit = PAGE_LIMITS.pool.default, cursor } = request.query
    const page = await listPoolSamples(parts.db, { beforeTs: before_ts, atLedger, limit, cursor })
    sendResponse(request, reply, pageResponse(request, reply, page, { samples: page.rows }))
  })
}
