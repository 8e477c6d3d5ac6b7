// GET /v1/markets, /v1/markets/stats, /v1/markets/{asset}, /v1/markets/{asset}/price.

import { Type } from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { Asset } from '../exchange/assets.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { nowSec } from '../base/clock.ts'
import type { App } from '../http/app.ts'
import { CACHE_ONE_SECOND, sendResponse } from '../http/response.ts'
import type { PreparedResponse } from '../http/response.ts'
import { rpcFailure } from '../http/errors.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { varyByMinLedger } from '../http/min-ledger.ts'
import { operation } from '../http/operation.ts'
import { STATS_CACHE_MS } from '../limits.ts'
import type { PriceSnapshot, ServedPrice } from '../markets/price-book.ts'
import type { Prices } from '../markets/prices.ts'
import { readSolvency } from '../projections/positions/bad-debts.ts'
import { readMarketStats } from '../projections/markets/market-stats.ts'
import { ref } from '../resources/fields.ts'
import { Market } from '../resources/market.ts'
import { MarketStats, PoolCapacity, Solvency } from '../resources/market-stats.ts'
import { Price } from '../resources/price.ts'
import type { Queryable } from '../store/store.ts'
import type { Venue } from '../markets/venue.ts'
import { createSnapshotResponse, priceResponse } from './price-response.ts'
import { EXAMPLE_CAPACITY, EXAMPLE_MARKET, EXAMPLE_POOL_CAPACITY, EXAMPLE_PRICE, EXAMPLE_SOLVENCY, EXAMPLE_STATS } from './examples.ts'
import { dayRangeOf, UNKNOWN_RANGE } from '../markets/day-range.ts'
import type { DayRangeReader, DayRanges } from '../markets/day-range.ts'
import { knownAsset } from './known-asset.ts'
import { cachedResponse, stateResponse } from './page-response.ts'
import { atLedgerParameter, listOf } from './parameters.ts'

const LIVE = 'Prices are those of the price shim contract, at most 3 seconds after they were read. `ageSec` and `stale` are as of the second of the response.'

const params = Type.Object({ asset: Type.String({ description: 'Asset symbol, case-insensitive.', examples: ['BTC'] }) })

const listMarkets = operation(
  {
    id: 'listMarkets',
    tag: 'markets',
    summary: 'List markets',
    description: `Returns the assets of the exchange with their oracle prices. ${LIVE}`,
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
    summary: 'List market statistics',
    description:
      'Returns open interest and volume of every supported asset, with zeros if there is no data, what can still be opened, and losses that accounts could ' +
      'not pay. Cached for 5 seconds. As of a ledger, the volume ends with its close time, what could be opened is absent, and the figures of prices are ' +
      'null.',
    ok: Type.Object({
      stats: Type.Array(ref(MarketStats), { description: 'Every asset, in listing order.' }),
      pool: Type.Optional(ref(PoolCapacity)),
      solvency: ref(Solvency),
    }),
    example: { stats: [{ ...EXAMPLE_STATS, capacity: EXAMPLE_CAPACITY }], pool: EXAMPLE_POOL_CAPACITY, solvency: EXAMPLE_SOLVENCY },
    headers: ['index'],
    errors: [400, '400 ledger_not_indexed', 503],
  },
  { querystring: Type.Object({ at_ledger: atLedgerParameter }) },
)

const getMarket = operation(
  {
    id: 'getMarket',
    tag: 'markets',
    summary: 'Get a market',
    description: `Returns an asset with its oracle price. ${LIVE}`,
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
    summary: 'Get the price of a market',
    description: `Returns the oracle price of an asset. ${LIVE}`,
    ok: ref(Price),
    example: EXAMPLE_PRICE,
    headers: ['stale'],
    errors: [400, 404, 502],
  },
  { params },
)

interface MarketsParts {
  readonly prices: Prices
  readonly dayRanges: DayRangeReader
  readonly db: Queryable
  /** For the present statistics, which all callers share. */
  readonly sharedDb: Queryable
  readonly clock: Clock
  readonly deployment: CurrentDeployment
  readonly venue: Pick<Venue, 'capacity'>
}

export function marketsRoutes(app: App, parts: MarketsParts): void {
  const { prices, dayRanges, db, sharedDb, clock, deployment, venue } = parts
  const marketsOf = createSnapshotResponse<DayRanges>((snapshot, days) =>
    JSON.stringify({ markets: deployment.current.assets.all.flatMap((asset) => marketOf(asset, snapshot, days)) }))
  const oneMarket = createAssetResponses<DayRanges>((asset, served, days) => describeMarket(asset, served, days))
  const onePrice = createAssetResponses((_asset, served) => served.price)
  const stats = createTtlCache<PreparedResponse>({ clock, ttlMs: STATS_CACHE_MS, maxEntries: 1 })

  const preparedMarkets = (): PreparedResponse | undefined => {
    const snapshot = prices.cachedSnapshot()
    const days = dayRanges.cached()
    return snapshot === undefined || days === undefined ? undefined : marketsOf(snapshot, days)
  }

  app.get('/v1/markets', { schema: listMarkets, config: { prepared: preparedMarkets } }, (request, reply) => {
    const prepared = preparedMarkets()
    if (prepared !== undefined) return sendResponse(request, reply, prepared)
    return Promise.all([prices.snapshot(), dayRanges.read()]).then((found) => sendResponse(request, reply, marketsOf(...found)))
  })

  app.get('/v1/markets/stats', { schema: listMarketStats }, (request, reply) => {
    const { at_ledger: atLedger } = request.query
    const read = async (from: Queryable): Promise<PreparedResponse> => {
      const assets = deployment.current.assets.symbols
      const stored = Promise.all([readMarketStats(from, { nowSec: nowSec(clock), assets, atLedger }), readSolvency(from, { atLedger })])
      const [[{ rows, head }, solvency], capacity, days] = await Promise.all([
        stored, atLedger === undefined ? venue.capacity() : null, atLedger === undefined ? dayRanges.read() : null,
      ])
      const withCapacity = rows.map((row) => {
        const own = capacity?.assets.get(row.asset)
        const price = prices.current(row.asset)?.price.price
        const range = days === null ? UNKNOWN_RANGE : dayRangeOf(days.get(row.asset), price === undefined ? null : BigInt(price))
        return { ...row, ...range, ...(own === undefined ? {} : { capacity: own }) }
      })
      const body = { stats: withCapacity, ...(capacity === null ? {} : { pool: capacity.pool }), solvency }
      // The serialiser of the schema would put optional members last.
      return stateResponse(JSON.stringify(body), head, CACHE_ONE_SECOND)
    }
    varyByMinLedger(reply)
    const response = atLedger === undefined ? cachedResponse(request, stats, { key: '', read: () => read(sharedDb) }) : read(db)
    if (response instanceof Promise) return response.then((computed) => sendResponse(request, reply, computed))
    return sendResponse(request, reply, response)
  })

  app.get('/v1/markets/:asset', { schema: getMarket }, (request, reply) => {
    const asset = knownAsset(deployment.current.assets, request.params.asset)
    const snapshot = prices.cachedSnapshot()
    const days = dayRanges.cached()
    if (snapshot !== undefined && days !== undefined) return sendResponse(request, reply, oneMarket(asset, snapshot.prices.get(asset.symbol), days))
    return Promise.all([prices.price(asset.symbol), dayRanges.read()]).then((found) => sendResponse(request, reply, oneMarket(asset, ...found)))
  })

  app.get('/v1/markets/:asset/price', { schema: getMarketPrice }, (request, reply) => {
    const asset = knownAsset(deployment.current.assets, request.params.asset)
    const snapshot = prices.cachedSnapshot()
    if (snapshot !== undefined) return sendResponse(request, reply, onePrice(asset, snapshot.prices.get(asset.symbol), undefined))
    return prices.price(asset.symbol).then((served) => sendResponse(request, reply, onePrice(asset, served, undefined)))
  })
}

function describe({ symbol, name, decimals }: Asset): Market['asset'] {
  return { symbol, name, decimals }
}

function marketOf(asset: Asset, snapshot: PriceSnapshot, days: DayRanges): Market[] {
  const served = snapshot.prices.get(asset.symbol)
  return served === undefined ? [] : [describeMarket(asset, served, days)]
}

function describeMarket(asset: Asset, { price }: ServedPrice, days: DayRanges): Market {
  return { asset: describe(asset), oracle: price, ...dayRangeOf(days.get(asset.symbol), BigInt(price.price)) }
}

/** Caches one response per asset until its price, or what else it is built from, changes. Throws 502 `rpc_error` without a price. */
function createAssetResponses<Other = undefined>(
  build: (asset: Asset, served: ServedPrice, other: Other) => object,
): (asset: Asset, served: ServedPrice | undefined, other: Other) => PreparedResponse {
  const built = new Map<string, { readonly served: ServedPrice; readonly other: Other; readonly response: PreparedResponse }>()
  return (asset, served, other) => {
    if (served === undefined) throw rpcFailure(`The oracle price of ${asset.symbol} is unavailable. Retry later.`)
    const cached = built.get(asset.symbol)
    if (cached?.served === served && cached.other === other) return cached.response
    const response = priceResponse(JSON.stringify(build(asset, served, other)), served.outdated)
    built.set(asset.symbol, { served, other, response })
    return response
  }
}
