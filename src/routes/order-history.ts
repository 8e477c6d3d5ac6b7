// GET /v1/orders/{orderId}, GET /v1/account/me/orders/history: orders from their placement to their end, from the index.

import { Type } from 'typebox'
import type { TOptional, TUnsafe } from 'typebox'
import type { App } from '../http/app.ts'
import { callerKey } from '../http/caller.ts'
import { HttpFailure } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import { CACHE_REVALIDATE, indexHeaders, prepareResponse, sendResponse } from '../http/response.ts'
import { PAGE_LIMITS } from '../limits.ts'
import type { OrderWarnings } from '../markets/order-warnings.ts'
import { listOrderHistory, readOrder } from '../projections/orders/order-history.ts'
import { ref } from '../resources/fields.ts'
import { EXAMPLE_ORDER, Order, ORDER_LIFE_STATUSES } from '../resources/order.ts'
import type { OrderLifeStatus } from '../resources/order.ts'
import type { Queryable } from '../store/store.ts'
import { privatePageResponse, serialiseBody } from './page-response.ts'
import { assetParameter, atLedgerParameter, cursorParameter, FILTER_MAX_LENGTH, limitParameter, listOf } from './parameters.ts'

const DETAILS =
  'Placement details are read from the ledger shortly after the placement was indexed, and kept. They are null until then, and where the ledger no longer ' +
  'has them.'

const deployment: TOptional<TUnsafe<string>> = Type.Optional(
  Type.Unsafe<string>({
    type: 'string',
    minLength: 1,
    maxLength: FILTER_MAX_LENGTH,
    description: 'Name of a deployment, or of an epoch. Order ids begin at 1 in each deployment. By default, the served one.',
  }),
)

const getOrder = operation(
  {
    id: 'getOrder',
    tag: 'orders',
    summary: 'Get an order',
    description: `Returns an order of any account from its placement to its end, with what its execution did. ${DETAILS}`,
    ok: ref(Order),
    example: EXAMPLE_ORDER,
    headers: ['index'],
    errors: [400, '400 ledger_not_indexed', '404 order_not_found', 503],
  },
  {
    params: Type.Object({ orderId: Type.Unsafe<number>({ type: 'integer', minimum: 1, description: 'On-chain order id.', examples: [17] }) }),
    querystring: Type.Object({ deployment, at_ledger: atLedgerParameter }),
  },
)

const listHistory = operation(
  {
    id: 'listAccountOrderHistory',
    tag: 'account',
    summary: 'List your orders',
    description:
      `Returns the orders of your account in every state, newest first. ${DETAILS} Orders are sorted by id, so that one that becomes known late, like a ` +
      'stop-limit order of generation 1, takes its place among the others.',
    ok: listOf('orders', ref(Order)),
    example: { orders: [EXAMPLE_ORDER] },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed'],
    requiresKey: true,
  },
  {
    querystring: Type.Object({
      status: Type.Optional(Type.Unsafe<OrderLifeStatus>({
        type: 'string',
        enum: [...ORDER_LIFE_STATUSES],
        description: 'Return only orders in this state; with at_ledger, those that were in it then. Such a page may be short and still have a next one.',
      })),
      asset: Type.Optional(assetParameter),
      deployment,
      at_ledger: atLedgerParameter,
      limit: limitParameter(PAGE_LIMITS.orderHistory),
      cursor: cursorParameter,
    }),
  },
)

const ORDER_NOT_FOUND = 'No order has this id, or its ledger is not indexed yet. Send that ledger as X-Min-Ledger.'

export function orderHistoryRoutes(
  app: App, { db, recentDb, orderWarnings }: { readonly db: Queryable; readonly recentDb: Queryable; readonly orderWarnings: Pick<OrderWarnings, 'addKnown'> },
): void {
  /** Warnings concern the market as it is now, so only current orders of the served deployment have them. A read of the index never waits for the network. */
  const warn = (order: Order, { atLedger, name }: { readonly atLedger: number | undefined; readonly name: string | undefined }): Order =>
    (atLedger === undefined && name === undefined ? orderWarnings.addKnown(order) : order)

  app.get('/v1/orders/:orderId', { schema: getOrder }, async (request, reply) => {
    const { orderId } = request.params
    const { deployment: name, at_ledger: atLedger } = request.query
    const { order, head } = await readOrder(db, { orderId, deployment: name, atLedger }, recentDb)
    if (order === null) throw new HttpFailure({ status: 404, body: { error: 'order_not_found', message: ORDER_NOT_FOUND, orderId } })
    const text = serialiseBody(reply, warn(order, { atLedger, name }))
    sendResponse(request, reply, prepareResponse(text, { 'cache-control': CACHE_REVALIDATE, ...indexHeaders(head) }))
  })

  app.get('/v1/account/me/orders/history', { schema: listHistory, config: { requiresKey: true } }, async (request, reply) => {
    const { status, asset, deployment: name, at_ledger: atLedger, cursor, limit = PAGE_LIMITS.orderHistory.default } = request.query
    const trader = callerKey(request).owner
    const page = await listOrderHistory(db, { trader, status, asset: asset?.toUpperCase(), deployment: name, atLedger, cursor, limit })
    sendResponse(request, reply, privatePageResponse(request.raw.url ?? '', reply, page, { orders: page.rows.map((row) => warn(row, { atLedger, name })) }))
  })
}
