// GET /v1/orders/open. Unlike the caller's own open orders, these are read from the index, so they have no details but cover every account.

import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { sendResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS } from '../limits.ts'
import { listPlacedOrders } from '../projections/orders/orders.ts'
import { EXAMPLE_TRADER, EXAMPLE_TX_HASH, ref } from '../resources/fields.ts'
import { PlacedOrderRow } from '../resources/placed-order.ts'
import type { Queryable } from '../store/store.ts'
import { pageResponse } from './page-response.ts'
import { atLedgerParameter, cursorParameter, limitParameter, listOf, traderParameter } from './parameters.ts'

const EXAMPLE: PlacedOrderRow = {
  orderId: 17, trader: EXAMPLE_TRADER, triggerPrice: '1050000000000', status: 'open', ledger: 1_234_567, ts: 1_783_339_200, txHash: EXAMPLE_TX_HASH,
}

const STATUS_FILTERS = ['open', 'all'] as const

const schema = operation(
  {
    id: 'listOrders',
    tag: 'positions',
    summary: 'List orders',
    description:
      'Returns the orders of all accounts on the current market contract whose placement was reported by an event, newest first. Placement events have ' +
      'neither asset, direction nor size.',
    ok: listOf('orders', ref(PlacedOrderRow)),
    example: { orders: [EXAMPLE] },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed', 503],
  },
  {
    querystring: Type.Object({
      trader: traderParameter,
      status: Type.Optional(Type.Unsafe<(typeof STATUS_FILTERS)[number]>({
        type: 'string', enum: [...STATUS_FILTERS], default: 'open', description: 'open: orders that have neither been executed nor cancelled.',
      })),
      at_ledger: atLedgerParameter,
      limit: limitParameter(PAGE_LIMITS.placedOrders),
      cursor: cursorParameter,
    }),
  },
)

export function openOrdersRoutes(app: App, parts: { readonly db: Queryable }): void {
  app.get('/v1/orders/open', { schema }, async (request, reply) => {
    const { trader, status = 'open', at_ledger: atLedger, limit = PAGE_LIMITS.placedOrders.default, cursor } = request.query
    const page = await listPlacedOrders(parts.db, { trader, openOnly: status === 'open', atLedger, limit, cursor })
    sendResponse(request, reply, pageResponse(request, reply, page, { orders: page.rows }))
  })
}
