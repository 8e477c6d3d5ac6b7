// GET /v1/adl/queue.

import { Type } from 'typebox'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { App } from '../http/app.ts'
import { CACHE_ONE_SECOND, prepareResponse, sendResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import { AdlQueue } from '../resources/adl-queue.ts'
import { EXAMPLE_TRADER, ref } from '../resources/fields.ts'
import type { AdlQueues } from '../markets/adl.ts'
import { knownAsset } from './known-asset.ts'
import { serialiseBody } from './page-response.ts'
import { assetParameter, traderParameter } from './parameters.ts'

const EXAMPLE: AdlQueue = {
  asset: 'BTC', updatedAt: 1_783_339_202_481, degraded: false,
  rows: [{
    positionId: 42, trader: EXAMPLE_TRADER, asset: 'BTC', direction: 0, size: '500000000', pnl: '2667828', score: '2665', rank: 1, quintile: 1,
  }],
  supported: true,
}

const schema = operation(
  {
    id: 'getAdlQueue',
    tag: 'positions',
    summary: 'Get the auto-deleveraging queue',
    description:
      'Returns the profitable positions of an asset in the order in which auto-deleveraging closes them. Computed from the ledger and the current price, and ' +
      'cached for 30 seconds. The order is advisory: the contract does not enforce it.',
    ok: ref(AdlQueue),
    example: EXAMPLE,
    errors: [400, 404],
  },
  { querystring: Type.Object({ asset: assetParameter, trader: traderParameter }) },
)

export function adlRoutes(app: App, parts: { readonly adl: Pick<AdlQueues, 'queue'>; readonly deployment: CurrentDeployment }): void {
  app.get('/v1/adl/queue', { schema }, async (request, reply) => {
    const { asset, trader } = request.query
    const queue = await parts.adl.queue(knownAsset(parts.deployment.current.assets, asset).symbol)
    const body = trader === undefined ? queue : { ...queue, rows: queue.rows.filter((row) => row.trader === trader) }
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, body), { 'cache-control': CACHE_ONE_SECOND }))
  })
}
