// GET /v1/oracle/prices.

import type { App } from '../http/app.ts'
import { sendResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import type { Prices } from '../oracle/prices.ts'
import { ref } from '../resources/fields.ts'
import { Price } from '../resources/price.ts'
import { createSnapshotResponse } from './price-response.ts'
import { EXAMPLE_PRICE } from './examples.ts'
import { listOf } from './parameters.ts'

const listPrices = operation(
  {
    id: 'listOraclePrices',
    tag: 'oracle',
    summary: 'List oracle prices',
    description:
      'Returns the price of each supported asset from the price shim contract, cached for 3 seconds per asset. Prices are served regardless of their age: ' +
      'check `timestamp`. If a price cannot be read, the last known price is served for up to five minutes with the header x-stale: 1. Assets without ' +
      'any known price are omitted.',
    ok: listOf('prices', ref(Price)),
    example: { prices: [EXAMPLE_PRICE] },
    headers: ['stale'],
    errors: [],
  },
  {},
)

export function oracleRoutes(app: App, parts: { readonly prices: Prices }): void {
  const responseOf = createSnapshotResponse((snapshot) => JSON.stringify({ prices: Array.from(snapshot.prices.values(), ({ price }) => price) }))

  app.get('/v1/oracle/prices', { schema: listPrices }, (request, reply) => {
    const snapshot = parts.prices.cachedSnapshot()
    if (snapshot !== undefined) return sendResponse(request, reply, responseOf(snapshot))
    return parts.prices.snapshot().then((settled) => sendResponse(request, reply, responseOf(settled)))
  })
}
