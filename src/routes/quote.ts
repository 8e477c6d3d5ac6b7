// GET /v1/markets/{asset}/quote. Not in the specification.

import { Type } from 'typebox'
import { isAddress } from '../base/strkey.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { App } from '../http/app.ts'
import { validationFailure } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import { CACHE_ONE_SECOND, prepareResponse, sendResponse } from '../http/response.ts'
import { LEVERAGE } from '../limits.ts'
import { ref } from '../resources/fields.ts'
import { TradeQuote } from '../resources/trade-quote.ts'
import type { MarginMode } from '../markets/quote.ts'
import type { Venue } from '../markets/venue.ts'
import { EXAMPLE_QUOTE } from './examples.ts'
import { knownAsset } from './known-asset.ts'
import { serialiseBody } from './page-response.ts'
import { addressParameter, trimTrader } from './parameters.ts'

const schema = operation(
  {
    id: 'getQuote',
    tag: 'markets',
    summary: 'Get a quote for an open',
    description: [
      'Returns what opening a position would do: the preview that POST /v1/orders/prepare returns, and the headroom. All figures are of one ledger and',
      'cached for one second. With trader, the quote applies the volume tier, the referral discount, the open positions and the cross margin pool of that',
      'account. The quote does not check whether the account has the collateral or the free margin, nor the limits of GET /v1/markets/{asset}/limits.',
    ].join(' '),
    ok: ref(TradeQuote),
    example: EXAMPLE_QUOTE,
    errors: [400, 404, 502],
  },
  {
    params: Type.Object({ asset: Type.String({ description: 'Asset symbol, case-insensitive.', examples: ['BTC'] }) }),
    querystring: Type.Object({
      direction: Type.Unsafe<'Long' | 'Short'>({ type: 'string', enum: ['Long', 'Short'], description: 'Direction of the position.', examples: ['Long'] }),
      collateral: Type.Unsafe<string>({
        type: 'string', pattern: '^[0-9]+$', maxLength: 39, format: 'i128', description: 'Collateral in USDC, 7-decimal.', examples: ['100000000'],
      }),
      leverage: Type.Unsafe<number>({
        type: 'integer', minimum: LEVERAGE.min, maximum: LEVERAGE.max, description: 'Position size divided by collateral.', examples: [5],
      }),
      trader: Type.Optional(addressParameter('Account (G…) or contract (C…) that would open the position.')),
      marginMode: Type.Optional(Type.Unsafe<MarginMode>({
        type: 'string', enum: ['isolated', 'cross'],
        description:
          'isolated (default): as open_position; cross: as open_position_cross. From generation 2 on, an open first closes the positions of its mode in the '
          + 'other direction.',
      })),
    }),
  },
)

export function quoteRoutes(app: App, parts: { readonly venue: Pick<Venue, 'quote'>; readonly deployment: CurrentDeployment }): void {
  app.get('/v1/markets/:asset/quote', { schema, preValidation: trimTrader }, async (request, reply) => {
    const { symbol } = knownAsset(parts.deployment.current.assets, request.params.asset)
    const { direction, collateral, leverage, trader = null, marginMode = 'isolated' } = request.query
    if (trader !== null && !isAddress(trader)) throw validationFailure('querystring/trader', 'must be an account (G…) or a contract (C…)')
    const terms = { asset: symbol, direction: direction === 'Long' ? 0 : 1, collateral: BigInt(collateral), leverage, marginMode }
    const quote = await parts.venue.quote(terms, trader)
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, quote), { 'cache-control': CACHE_ONE_SECOND }))
  })
}
