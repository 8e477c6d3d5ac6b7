// POST /v1/orders/prepare.

import { operationCall } from '../exchange/operations.ts'
import { TRADING_POLICIES } from '../http/app.ts'
import type { App } from '../http/app.ts'
import { callerKey } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import type { Prepare } from '../relay/prepare.ts'
import { ref } from '../resources/fields.ts'
import { OrderRequest } from '../resources/order-request.ts'
import { PreparedTransaction } from '../resources/prepared-transaction.ts'
import { EXAMPLE_PREPARED } from './examples.ts'
import { requireSupportedAsset } from './known-asset.ts'
import { sendPrepared } from './prepared-response.ts'

const prepareOrder = operation(
  {
    id: 'prepareOrder',
    tag: 'orders',
    summary: 'Prepare an order transaction',
    description: [
      'Builds and simulates a transaction for the owner of the key and returns it unsigned. Sign it unchanged and send it to POST /v1/tx/submit. It uses the',
      'next sequence number of the account and is valid for 300 seconds. If the simulation fails, the response is 400 simulation_failed with the contract',
      'error.',
    ].join(' '),
    ok: ref(PreparedTransaction),
    example: EXAMPLE_PREPARED,
    errors: [400, '400 unsupported_asset', '400 simulation_failed', 502],
    cacheable: false,
    requiresKey: true,
    regionGuarded: true,
  },
  { body: OrderRequest },
)

export function ordersRoutes(app: App, parts: { readonly prepare: Prepare }): void {
  app.post('/v1/orders/prepare', { schema: prepareOrder, config: TRADING_POLICIES }, async (request, reply) => {
    const order = request.body
    requireSupportedAsset(order)
    const trader = callerKey(request).owner
    const call = { op: order.op, trader, contract: 'market', ...operationCall(order, trader) } as const
    await sendPrepared(request, reply, { prepare: parts.prepare, call })
  })
}
