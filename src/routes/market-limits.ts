// GET /v1/markets/{asset}/limits. Not in the specification.

import { Type } from 'typebox'
import { CACHE_ONE_SECOND, prepareResponse, sendResponse } from '../http/response.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { App } from '../http/app.ts'
import { operation } from '../http/operation.ts'
import { ref } from '../resources/fields.ts'
import { MarketLimits } from '../resources/market-limits.ts'
import type { Venue } from '../markets/venue.ts'
import { knownAsset } from './known-asset.ts'
import { serialiseBody } from './page-response.ts'

const EXAMPLE: MarketLimits = {
  asset: 'BTC', ledger: 1_234_567, minLeverage: 1, maxLeverage: 10, minCollateral: '100000000', maxPositionSize: '1000000000000',
  initialMarginBps: 400, maintenanceMarginBps: 200, maxPriceAgeSec: 60, maxPriceDeviationBps: 100, slippageToleranceBps: { min: 1, max: 10_000 },
  trailingPercentBps: { min: 1, max: 5_000 }, feeTiers: [{ minVolume: '0', makerRate: '2000', takerRate: '5000' }],
  keeperFee: { base: '0', rate: '1000' },
  openInterest: { long: '12500000000', short: '9000000000' }, assetSideCap: '2500000000000',
  headroom: { long: '2487500000000', short: '2491000000000', bindingLong: 'side', bindingShort: 'side' }, tradingPaused: false, pauseMode: 0,
  assetHalted: false, adlActive: false,
}

const schema = operation(
  {
    id: 'getMarketLimits',
    tag: 'markets',
    summary: 'Get the trading limits of a market',
    description:
      'Returns leverage, size and slippage limits, fee tiers, and open interest caps with the remaining headroom. Read from the network and cached for ' +
      '3 seconds. Values that could not be read are null.',
    ok: ref(MarketLimits),
    example: EXAMPLE,
    errors: [400, 404, 502],
  },
  { params: Type.Object({ asset: Type.String({ description: 'Asset symbol, case-insensitive.', examples: ['BTC'] }) }) },
)

export function marketLimitsRoutes(app: App, parts: { readonly venue: Venue; readonly deployment: CurrentDeployment }): void {
  app.get('/v1/markets/:asset/limits', { schema }, async (request, reply) => {
    const limits = await parts.venue.limits(knownAsset(parts.deployment.current.assets, request.params.asset).symbol)
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, limits), { 'cache-control': CACHE_ONE_SECOND }))
  })
}
