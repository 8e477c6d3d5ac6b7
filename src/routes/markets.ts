// GET /v1/markets, /v1/markets/stats, /v1/markets/{asset}, /v1/markets/{asset}/price.

import { Type } from 'typebox'
import type { Clock } from '../base/clock.ts'
import { ASSETS } from '../exchange/assets.ts'
import type { Asset } from '../exchange/assets.ts'
import { nowSec } from '../base/clock.ts'
import type { App } from '../http/app.ts'
import { CACHE_ONE_SECOND, indexHeaders, prepareResponse, sendResponse } from '../http/response.ts'
import type { PreparedResponse } from '../http/response.ts'
import { rpcFailure } from '../http/errors.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { varyByMinLedger } from '../http/min-ledger.ts'
import { operation } from '../http/operation.ts'
import { STATS_CACHE_MS } from '../limits.ts'
import type { PriceSnapshot, Prices, ServedPrice } from '../oracle/prices.ts'
import { readMarketStats } from '../projections/market-stats.ts'
import { ref } from '../resources/fields.ts'
import { Market } from '../resources/market.ts'
import { MarketStats } from '../resources/market-stats.ts'
import { Price } from '../resources/price.ts'
import type { Queryable } from '../store/store.ts'
import { createBoardResponse, priceResponse } from './price-response.ts'
import { EXAMPLE_MARKET, EXAMPLE_PRICE, EXAMPLE_STATS } from './examples.ts'
import { knownAsset } from './known-asset.ts'
import { cachedResponse, serialiseBody } from './page-response.ts'
import { listOf } from './parameters.ts'

const LIVE = 'Read from the chain through the price shim and kept for 3 seconds per asset.'

const params = Type.Object({ asset: Type.String({ description: 'Asset symbol, in any case', examples: ['BTC'] }) })

const listMarkets = operation(
  {
    id: 'listMarkets',
    tag: 'markets',
    summary: 'Every market with its price',
    description: `The fourteen assets of the exchange, each with its oracle price. ${LIVE}`,
    ok: listOf('markets', ref(Market)),
    example: { markets: [EXAMPLE_MARKET] },
    headers: ['stale'],
    errors: [],
  },
  {},
)

const listMarketStats = operation(
  {
    id: 'listMarketStats',
    tag: 'markets',
    summary: 'Open interest and volume of every market',
    description: 'One row for every supported asset, zeros where there is no data. Kept for 5 seconds.',
    ok: listOf('stats', ref(MarketStats)),
    example: { stats: [EXAMPLE_STATS] },
    headers: ['index'],
    errors: [503],
  },
  {},
)

const getMarket = operation(
  {
    id: 'getMarket',
    tag: 'markets',
    summary: 'One market with its price',
    description: LIVE,
    ok: ref(Market),
    example: EXAMPLE_MARKET,
    headers: ['stale'],
    errors: [400, 404, 502],
  },
  { params },
)

const getMarketPrice = operation(
  {
    id: 'getMarketPrice',
    tag: 'markets',
    summary: 'The price of one asset',
    description: LIVE,
    ok: ref(Price),
    example: EXAMPLE_PRICE,
    headers: ['stale'],
    errors: [400, 404, 502],
  },
  { params },
)

interface MarketsParts {
  readonly prices: Prices
  readonly db: Queryable
  readonly clock: Clock
}

export function marketsRoutes(app: App, parts: MarketsParts): void {
  const { prices, db, clock } = parts
  const marketsOf = createBoardResponse((board) => JSON.stringify({ markets: ASSETS.flatMap((asset) => marketOf(asset, board)) }))
  const oneMarket = createAssetAnswers((asset, served) => ({ asset: describe(asset), oracle: served.price }))
  const onePrice = createAssetAnswers((_asset, served) => served.price)
  const stats = createTtlCache<PreparedResponse>({ clock, ttlMs: STATS_CACHE_MS, maxEntries: 1 })

  app.get('/v1/markets', { schema: listMarkets }, (request, reply) => {
    const board = prices.cachedSnapshot()
    if (board !== undefined) return sendResponse(request, reply, marketsOf(board))
    return prices.snapshot().then((settled) => sendResponse(request, reply, marketsOf(settled)))
  })

  app.get('/v1/markets/stats', { schema: listMarketStats }, (request, reply) => {
    const read = async (): Promise<PreparedResponse> => {
      const { rows, head } = await readMarketStats(db, { nowSec: nowSec(clock) })
      return prepareResponse(serialiseBody(reply, { stats: rows }), { 'cache-control': CACHE_ONE_SECOND, ...indexHeaders(head) })
    }
    varyByMinLedger(reply)
    const response = cachedResponse(request, stats, { key: '', read })
    if (response instanceof Promise) return response.then((computed) => sendResponse(request, reply, computed))
    return sendResponse(request, reply, response)
  })

  app.get('/v1/markets/:asset', { schema: getMarket }, (request, reply) => {
    const asset = knownAsset(request.params.asset)
    const board = prices.cachedSnapshot()
    if (board !== undefined) return sendResponse(request, reply, oneMarket(asset, board.prices.get(asset.symbol)))
    return prices.price(asset.symbol).then((served) => sendResponse(request, reply, oneMarket(asset, served)))
  })

  app.get('/v1/markets/:asset/price', { schema: getMarketPrice }, (request, reply) => {
    const asset = knownAsset(request.params.asset)
    const board = prices.cachedSnapshot()
    if (board !== undefined) return sendResponse(request, reply, onePrice(asset, board.prices.get(asset.symbol)))
    return prices.price(asset.symbol).then((served) => sendResponse(request, reply, onePrice(asset, served)))
  })
}

function describe({ symbol, name, decimals }: Asset): Market['asset'] {
  return { symbol, name, decimals }
}

function marketOf(asset: Asset, board: PriceSnapshot): Market[] {
  const served = board.prices.get(asset.symbol)
  return served === undefined ? [] : [{ asset: describe(asset), oracle: served.price }]
}

/** The asset of a path; 404 `Unknown asset` otherwise, echoed in upper case. */
/** One prepared answer per asset, built anew when its price or its freshness changes; 502 `rpc_error` where there is no price to serve. */
function createAssetAnswers(build: (asset: Asset, served: ServedPrice) => object): (asset: Asset, served: ServedPrice | undefined) => PreparedResponse {
  const built = new Map<string, { readonly served: ServedPrice; readonly response: PreparedResponse }>()
  return (asset, served) => {
    if (served === undefined) throw rpcFailure(`The price of ${asset.symbol} cannot be read from the chain right now.`)
    const kept = built.get(asset.symbol)
    if (kept?.served === served) return kept.response
    const response = priceResponse(JSON.stringify(build(asset, served)), served.stale)
    built.set(asset.symbol, { served, response })
    return response
  }
}
