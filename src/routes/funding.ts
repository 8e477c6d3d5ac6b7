// GET /v1/funding. Not in the specification.

import { Type } from 'typebox'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { sendResponse } from '../http/response.ts'
import type { App } from '../http/app.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS } from '../limits.ts'
import { listFunding } from '../projections/markets/funding.ts'
import { ref } from '../resources/fields.ts'
import { CurrentFunding, FundingRow } from '../resources/funding.ts'
import type { Queryable } from '../store/store.ts'
import type { Venue } from '../markets/venue.ts'
import { EXAMPLE_EVENT } from './examples.ts'
import { pageResponse } from './page-response.ts'
import { assetParameter, beforeTsParameter, cursorParameter, limitParameter } from './parameters.ts'

const EXAMPLE_CURRENT: CurrentFunding = {
  ledger: 1_234_567, rate: '1250', cumulative: '95000', lastAppliedAt: 1_783_339_200, nextTs: 1_783_342_800, predictedRate: '1400',
  openInterestLong: '12500000000', openInterestShort: '9000000000',
  assets: [{ asset: 'BTC', rate: '1250', cumulative: '95000', lastTs: 1_783_339_200, nextTs: 1_783_342_800, predictedRate: '1400' }],
}

const EXAMPLE_ROW: FundingRow = {
  asset: null, fundingRate: '1250', hoursElapsed: '1', ledger: EXAMPLE_EVENT.ledger, ts: EXAMPLE_EVENT.ledgerCloseTs, txHash: EXAMPLE_EVENT.txHash,
}

const getFunding = operation(
  {
    id: 'getFunding',
    tag: 'funding',
    summary: 'Get current and past funding',
    description:
      'On contracts of generation 1 all assets share one funding rate, on generation 2 each asset has its own. `current` is read from the network and ' +
      'cached for 3 seconds. It is null if the network is unavailable. `history` lists every application of funding, newest first. With `asset`, both have ' +
      'only funding of that asset, including funding that all assets share; nothing if the exchange has never had it.',
    ok: Type.Object({
      current: Type.Unsafe<CurrentFunding | null>({ anyOf: [ref(CurrentFunding), { type: 'null' }], description: 'Current funding.' }),
      history: Type.Array(ref(FundingRow), { description: 'Applied funding, newest first.' }),
    }),
    example: { current: EXAMPLE_CURRENT, history: [EXAMPLE_ROW] },
    headers: ['index', 'next'],
    errors: [400, 503],
  },
  {
    querystring: Type.Object({
      asset: Type.Optional(assetParameter), before_ts: beforeTsParameter, limit: limitParameter(PAGE_LIMITS.funding), cursor: cursorParameter,
    }),
  },
)

export function fundingRoutes(app: App, parts: { readonly db: Queryable; readonly deployment: CurrentDeployment; readonly venue: Venue }): void {
  const { db, deployment, venue } = parts
  app.get('/v1/funding', { schema: getFunding }, async (request, reply) => {
    const { before_ts, limit = PAGE_LIMITS.funding.default, cursor } = request.query
    const name = request.query.asset?.toUpperCase()
    const asset = name === undefined ? undefined : { name, isListed: deployment.current.assets.find(name) !== undefined }
    const [all, page] = await Promise.all([venue.funding(), listFunding(db, { asset, beforeTs: before_ts, limit, cursor })])
    const current = all === null || name === undefined ? all : { ...all, assets: all.assets.filter((row) => row.asset === name) }
    sendResponse(request, reply, pageResponse(request, reply, page, { current, history: page.rows }))
  })
}
