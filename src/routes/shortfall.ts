// GET /v1/account/shortfall. Public, like the chain.

import { Type } from 'typebox'
import { isAddress } from '../base/strkey.ts'
import type { App } from '../http/app.ts'
import { validationFailure } from '../http/errors.ts'
import { CACHE_ONE_SECOND, prepareResponse, sendResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import { EXAMPLE_TRADER, ref } from '../resources/fields.ts'
import { Shortfall } from '../resources/shortfall.ts'
import type { MarketStatus } from '../markets/market-status.ts'
import { serialiseBody } from './page-response.ts'
import { addressParameter } from './parameters.ts'

const EXAMPLE: Shortfall = { address: EXAMPLE_TRADER, owed: '0', reserve: '0', supported: true }

const schema = operation(
  {
    id: 'getShortfall',
    tag: 'pool',
    summary: 'Get the profit that the pool owes an account',
    description: 'Returns what the pool could not pay when the account closed positions with a profit. Read from the contract and cached for 5 seconds.',
    ok: ref(Shortfall),
    example: EXAMPLE,
    errors: [400],
  },
  {
    querystring: Type.Object({
      address: addressParameter('Account (G…) or contract (C…).'),
    }),
  },
)

export function shortfallRoutes(app: App, parts: { readonly marketStatus: Pick<MarketStatus, 'shortfall'> }): void {
  app.get('/v1/account/shortfall', { schema }, async (request, reply) => {
    const { address } = request.query
    if (!isAddress(address)) throw validationFailure('querystring/address', 'must be an account (G…) or a contract (C…)')
    const body = await parts.marketStatus.shortfall(address)
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, body), { 'cache-control': CACHE_ONE_SECOND }))
  })
}
