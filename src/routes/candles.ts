// GET /v1/candles.

import { Type } from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
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
import { assetParameter, cursorParameter, limitParameter } from './parameters.ts'

const KLINES_CACHE_MS = 5_000
const KLINES_CACHE_MAX_ENTRIES = 200

const interval = Type.Unsafe<CandleInterval>({ type: 'string', enum: [...CANDLE_INTERVALS], default: '1h', description: 'Candle interval.' })

const source = Type.Unsafe<CandleSource>({
  type: 'string',
  enum: [...CANDLE_SOURCES],
  description: 'noeracle: prices of the exchange\'s oracle. binance: the USDT pair of an external exchange, used if no native candles exist.',
})

const schema = operation(
  {
    id: 'listCandles',
    tag: 'candles',
    summary: 'List candles',
    description:
      'Returns OHLC candles of oracle prices (not of trades), oldest first, including the current incomplete candle. The next page has older ' +
      'candles. If no native candles exist for the asset and interval, klines of an external exchange are returned. An unknown asset has no candles.',
    ok: Type.Object({ candles: Type.Array(ref(Candle), { description: 'Candles, oldest first.' }), source }),
    example: { candles: [EXAMPLE_CANDLE], source: 'noeracle' },
    headers: ['index', 'next'],
    errors: [400, 503],
  },
  {
    querystring: Type.Object({
      asset: assetParameter, interval: Type.Optional(interval), limit: limitParameter(PAGE_LIMITS.candles), cursor: cursorParameter,
    }),
  },
)

interface CandlesParts {
  readonly db: Queryable
  readonly readKlines: ReadKlines
  readonly deployment: CurrentDeployment
  readonly clock: Clock
}

export function candlesRoutes(app: App, parts: CandlesParts): void {
  const klines = createTtlCache<readonly Candle[]>({ clock: parts.clock, ttlMs: KLINES_CACHE_MS, maxEntries: KLINES_CACHE_MAX_ENTRIES })

  async function externalCandles(asset: string, width: CandleInterval, count: number): Promise<readonly Candle[]> {
    if (parts.deployment.current.assets.find(asset) === undefined) return []
    return klines.get(`${asset} ${width} ${count}`, () => parts.readKlines({ asset, interval: width, limit: count }))
  }

  app.get('/v1/candles', { schema }, async (request, reply) => {
    const { query } = request
    const { interval: width = '1h', limit: count = PAGE_LIMITS.candles.default } = query
    const asset = query.asset.toUpperCase()
    const page = await listCandles(parts.db, { asset, interval: width, limit: count, cursor: query.cursor })
    // An empty first page means that no native candles exist. An empty later page is the end of the list.
    const native = page.rows.length > 0 || query.cursor !== undefined
    const candles = native ? page.rows : await externalCandles(asset, width, count)
    const body = { candles, source: (native ? 'noeracle' : 'binance') satisfies CandleSource }
    sendResponse(request, reply, pageResponse(request, reply, page, body))
  })
}
