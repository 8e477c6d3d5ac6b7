// GET /v1/oracle/prices.

import type { App } from '../http/app.ts'
import { sendResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import type { Prices } from '../oracle/prices.ts'
import { ref } from '../resources/fields.ts'
import { Price } from '../resources/price.ts'
import { createBoardResponse } from './price-response.ts'
import { EXAMPLE_PRICE } from './examples.ts'
import { listOf } from './parameters.ts'

const listPrices = operation(
  {
    id: 'listOraclePrices',
    tag: 'oracle',
    summary: 'Prices of every asset',
    description:
      'The price that the exchange\'s price shim holds for each supported asset, kept for 3 seconds per asset. A price is never rejected for its age: ' +
      'look at its timestamp. An asset that cannot be read right now is served with its last known price and the header x-stale: 1 for up to five ' +
      'minutes; one that was never read is left out.',
    ok: listOf('prices', ref(Price)),
    example: { prices: [EXAMPLE_PRICE] },
    headers: ['stale'],
    errors: [],
  },
  {},
)

export function oracleRoutes(app: App, parts: { readonly prices: Prices }): void {
  const responseOf = createBoardResponse((board) => JSON.stringify({ prices: Array.from(board.prices.values(), ({ price }) => price) }))

  app.get('/v1/oracle/prices', { schema: listPrices }, (request, reply) => {
    const board = parts.prices.cachedSnapshot()
    if (board !== undefined) return sendResponse(request, reply, responseOf(board))
    return parts.prices.snapshot().then((settled) => sendResponse(request, reply, responseOf(settled)))
  })
}
