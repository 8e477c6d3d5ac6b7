// GET /v1/trades.

import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { sendResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS } from '../limits.ts'
import { listTrades } from '../projections/trades.ts'
import { ref } from '../resources/fields.ts'
import { RealizedTrade } from '../resources/realized-trade.ts'
import type { Queryable } from '../store/store.ts'
import { EXAMPLE_TRADE } from './examples.ts'
import { pageResponse } from './page-response.ts'
import { assetFilter, beforeTs, cursor, limit, listOf, trader } from './parameters.ts'

const schema = operation(
  {
    id: 'listTrades',
    tag: 'trades',
    summary: 'Realised trades',
    description: 'Closed and liquidated positions, newest first. The opening leg\'s fields are null when the open predates the index.',
    ok: listOf('trades', ref(RealizedTrade)),
    example: { trades: [EXAMPLE_TRADE] },
    headers: ['index', 'next'],
    errors: [400, 503],
  },
  { querystring: Type.Object({ trader, asset: Type.Optional(assetFilter), before_ts: beforeTs, limit: limit(PAGE_LIMITS.trades), cursor }) },
)

export function tradesRoutes(app: App, parts: { readonly db: Queryable }): void {
  app.get('/v1/trades', { schema }, async (request, reply) => {
    const { query } = request
    const page = await listTrades(parts.db, {
      trader: query.trader,
      asset: query.asset?.toUpperCase(),
      beforeTs: query.before_ts,
      cursor: query.cursor,
      limit: query.limit ?? PAGE_LIMITS.trades.default,
    })
    sendResponse(request, reply, pageResponse(request, reply, page, { trades: page.rows }))
  })
}
