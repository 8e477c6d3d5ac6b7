// POST /v1/orders/prepare.

import { operationDefinition } from '../exchange/operations.ts'
import { TRADING_POLICIES } from '../http/app.ts'
import type { App } from '../http/app.ts'
import { operation } from '../http/operation.ts'
import { ref } from '../resources/fields.ts'
import { OrderRequest } from '../resources/order-request.ts'
import { PreparedTransaction } from '../resources/prepared-transaction.ts'
import { EXAMPLE_PREPARED } from './examples.ts'
import { preparedCall, sendPrepared } from './prepared-response.ts'
import type { PreparingParts } from './prepared-response.ts'

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
    errors: [
      400, '400 unsupported_asset', '400 unsupported_by_deployment', '400 simulation_failed', '409 client_id_in_use', 502, '503 unsupported_by_deployment',
      '403 cap_exceeded',
    ],
    cacheable: false,
    requiresKey: true,
    regionGuarded: true,
  },
  { body: OrderRequest },
)

export function ordersRoutes(app: App, parts: PreparingParts): void {
  app.post('/v1/orders/prepare', { schema: prepareOrder, config: { ...TRADING_POLICIES, requestedCall: preparedCall } }, async (request, reply) => {
    await sendPrepared(request, reply, { ...parts, fields: request.body, definition: operationDefinition(request.body.op) })
  })
}
