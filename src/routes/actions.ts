// POST /v1/actions/prepare.

import { actionDefinition } from '../exchange/actions.ts'
import { TRADING_POLICIES } from '../http/app.ts'
import type { App } from '../http/app.ts'
import { operation } from '../http/operation.ts'
import { ActionBody } from '../resources/action-request.ts'
import { ref } from '../resources/fields.ts'
import { PreparedTransaction } from '../resources/prepared-transaction.ts'
import { EXAMPLE_PREPARED } from './examples.ts'
import { preparedCall, sendPrepared } from './prepared-response.ts'
import type { PreparingParts } from './prepared-response.ts'

const prepareAction = operation(
  {
    id: 'prepareAction',
    tag: 'actions',
    summary: 'Prepare an account action',
    description: [
      'Builds and simulates a transaction for cross margin, the liquidity vault, trader vaults or referral, and returns it unsigned, as POST',
      '/v1/orders/prepare does for orders. Sign it and send it to POST /v1/tx/submit.',
    ].join(' '),
    ok: ref(PreparedTransaction),
    example: { ...EXAMPLE_PREPARED, op: 'deposit_cross_margin' },
    errors: [
      400, '400 unsupported_asset', '400 unsupported_by_deployment', '400 simulation_failed', '409 client_id_in_use', 502, '503 unsupported_by_deployment',
      '403 cap_exceeded',
    ],
    cacheable: false,
    requiresKey: true,
    regionGuarded: true,
  },
  { body: ActionBody },
)

export function actionsRoutes(app: App, parts: PreparingParts): void {
  app.post('/v1/actions/prepare', { schema: prepareAction, config: { ...TRADING_POLICIES, requestedCall: preparedCall } }, async (request, reply) => {
    await sendPrepared(request, reply, { ...parts, fields: request.body, definition: actionDefinition(request.body.op) })
  })
}
