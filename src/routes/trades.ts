// GET /v1/trades.

import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { sendResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS } from '../limits.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { listTrades } from '../projections/trades/trades.ts'
import { ref } from '../resources/fields.ts'
import { RealizedTrade } from '../resources/realized-trade.ts'
import type { Queryable } from '../store/store.ts'
import { deploymentParameter, readHistory } from './deployment-parameter.ts'
import { EXAMPLE_TRADE } from './examples.ts'
import { pageResponse } from './page-response.ts'
import { assetParameter, atLedgerParameter, beforeTsParameter, cursorParameter, limitParameter, listOf, traderParameter } from './parameters.ts'

const schema = operation(
  {
    id: 'listTrades',
    tag: 'trades',
    summary: 'List trades',
    description:
      'Returns closed, reduced and liquidated positions, newest first. Fields of the open are null if the position was opened before the index begins. ' +
      'With include_opens it also lists opened positions.',
    ok: listOf('trades', ref(RealizedTrade)),
    example: { trades: [EXAMPLE_TRADE] },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed', 503],
  },
  {
    querystring: Type.Object({
      trader: traderParameter,
      asset: Type.Optional(assetParameter),
      before_ts: beforeTsParameter,
      at_ledger: atLedgerParameter,
      include_opens: Type.Optional(Type.Unsafe<boolean>({ type: 'boolean', default: false, description: 'Also return opened positions.' })),
      limit: limitParameter(PAGE_LIMITS.trades),
      deployment: deploymentParameter,
      cursor: cursorParameter,
    }),
  },
)

export function tradesRoutes(app: App, parts: { readonly db: Queryable; readonly deployment: CurrentDeployment }): void {
  app.get('/v1/trades', { schema }, async (request, reply) => {
    const { query } = request
    const page = await readHistory(parts, query.deployment, (db, deployment) => listTrades(db, {
      deployment,
      trader: query.trader,
      asset: query.asset?.toUpperCase(),
      beforeTs: query.before_ts,
      atLedger: query.at_ledger,
      includeOpens: query.include_opens ?? false,
      cursor: query.cursor,
      limit: query.limit ?? PAGE_LIMITS.trades.default,
    }))
    sendResponse(request, reply, pageResponse(request, reply, page, { trades: page.rows }))
  })
}
