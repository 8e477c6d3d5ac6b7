// GET /v1/candles.

import { Type } from 'typebox'
import type { Clock } from '../base/clock.ts'
import { findAsset } from '../exchange/assets.ts'
import type { App } from '../http/app.ts'
import { sendResponse } from '../http/response.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS } from '../limits.ts'
import type { ReadKlines } from '../oracle/klines.ts'
import { listCandles } from '../projections/candles.ts'
import { Candle, CANDLE_INTERVALS, CANDLE_SOURCES } from '../resources/candle.ts'
import type { CandleInterval, CandleSource } from '../resources/candle.ts'
import { ref } from '../resources/fields.ts'
import type { Queryable } from '../store/store.ts'
import { EXAMPLE_CANDLE } from './examples.ts'
import { pageResponse } from './page-response.ts'
import { assetFilter, cursor, limit } from './parameters.ts'

/** Outside klines are kept this long, so that a page that many people look at asks the outside once. */
const KLINES_CACHE_MS = 5_000
const MAX_KEPT_KLINES = 200

const interval = Type.Unsafe<CandleInterval>({ type: 'string', enum: [...CANDLE_INTERVALS], default: '1h', description: 'Width of a bucket' })

const source = Type.Unsafe<CandleSource>({
  type: 'string',
  enum: [...CANDLE_SOURCES],
  description: 'noeracle: the oracle\'s own prices; binance: an outside exchange\'s USDT pair, only while there are no native rows',
})

const schema = operation(
  {
    id: 'listCandles',
    tag: 'candles',
    summary: 'Prices over time',
    description:
      'OHLC buckets of the oracle\'s prices (not of trades), oldest first, the bucket that is still forming included; the Link header continues towards ' +
      'older ones. Where no native row exists for the asset and interval, an outside exchange\'s klines are passed on. An unknown asset has no candles.',
    ok: Type.Object({ candles: Type.Array(ref(Candle)), source }),
    example: { candles: [EXAMPLE_CANDLE], source: 'noeracle' },
    headers: ['index', 'next'],
    errors: [400, 503],
  },
  { querystring: Type.Object({ asset: assetFilter, interval: Type.Optional(interval), limit: limit(PAGE_LIMITS.candles), cursor }) },
)

interface CandlesParts {
  readonly db: Queryable
  readonly readKlines: ReadKlines
  readonly clock: Clock
}

export function candlesRoutes(app: App, parts: CandlesParts): void {
  const outside = createTtlCache<readonly Candle[]>({ clock: parts.clock, ttlMs: KLINES_CACHE_MS, maxEntries: MAX_KEPT_KLINES })

  async function outsideCandles(asset: string, interval: CandleInterval, limit: number): Promise<readonly Candle[]> {
    if (findAsset(asset) === undefined) return []
    return outside.get(`${asset} ${interval} ${limit}`, () => parts.readKlines({ asset, interval, limit }))
  }

  app.get('/v1/candles', { schema }, async (request, reply) => {
    const { interval = '1h', limit = PAGE_LIMITS.candles.default, cursor } = request.query
    const asset = request.query.asset.toUpperCase()
    const page = await listCandles(parts.db, { asset, interval, limit, cursor })
    // A first page without rows means that there are none at all; a later one has only come to the end.
    const native = page.rows.length > 0 || cursor !== undefined
    const candles = native ? page.rows : await outsideCandles(asset, interval, limit)
    const source: CandleSource = native ? 'noeracle' : 'binance'
    sendResponse(request, reply, pageResponse(request, reply, page, { candles, source }))
  })
}
