// GET /v1/candles.

import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { validationFailure } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import { sendResponse } from '../http/response.ts'
import { PAGE_LIMITS } from '../limits.ts'
import type { CandleHistory } from '../markets/candle-history.ts'
import { seqFromCursor } from '../projections/log/log-list.ts'
import { encodeCursor } from '../projections/log/page.ts'
import type { Page } from '../projections/log/page.ts'
import { Candle, CANDLE_INTERVALS, CANDLE_SOURCES } from '../resources/candle.ts'
import type { CandleInterval, CandleSource } from '../resources/candle.ts'
import { ref } from '../resources/fields.ts'
import { EXAMPLE_CANDLE } from './examples.ts'
import { pageResponse } from './page-response.ts'
import { assetParameter, cursorParameter, limitParameter } from './parameters.ts'

/** Far in the future, and within the range of every date. */
const TIME_MAX = 4_294_967_295

const interval = Type.Unsafe<CandleInterval>({ type: 'string', enum: [...CANDLE_INTERVALS], default: '1h', description: 'Candle interval.' })

const time = (description: string) => Type.Optional(Type.Unsafe<number>({ type: 'integer', minimum: 0, maximum: TIME_MAX, description }))

const source = Type.Unsafe<CandleSource>({
  type: 'string',
  enum: [...CANDLE_SOURCES],
  description: 'noeracle: the page has native candles. binance: it has only those of the USDT pair of an external exchange, or the asset is unknown.',
})

const schema = operation(
  {
    id: 'listCandles',
    tag: 'candles',
    summary: 'List candles',
    description:
      'Returns OHLC candles of oracle prices (not of trades) and the volume of trades, oldest first, including the current incomplete candle: the newest ' +
      '`limit` candles of the range. The next page has older candles. Every interval has a candle; one without a price repeats the close before it. ' +
      'Before the first native candle, klines of an external exchange are returned, marked by their `source`. An unknown asset has none. ' +
      'While they cannot be read, a page ends early or is empty, with `hasMore` true: repeat its `nextCursor` later.',
    ok: Type.Object({ candles: Type.Array(ref(Candle), { description: 'Candles, oldest first.' }), source }),
    example: { candles: [EXAMPLE_CANDLE], source: 'noeracle' },
    headers: ['index', 'next'],
    errors: [400, 503],
  },
  {
    querystring: Type.Object({
      asset: assetParameter, interval: Type.Optional(interval), from: time('Return only candles that start at or after this time, Unix seconds.'),
      to: time('Return only candles that start before this time, Unix seconds.'), limit: limitParameter(PAGE_LIMITS.candles), cursor: cursorParameter,
    }),
  },
)

export function candlesRoutes(app: App, { history }: { readonly history: CandleHistory }): void {
  app.get('/v1/candles', { schema }, async (request, reply) => {
    const { query } = request
    const { interval: width = '1h', limit: count = PAGE_LIMITS.candles.default } = query
    if ((query.from ?? 0) > (query.to ?? TIME_MAX)) throw validationFailure('querystring/from', 'must not be after to')
    const asset = query.asset.toUpperCase()
    const kind = `candles-${asset}-${width}`
    const before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : seqFromCursor(kind, query.cursor)
    const toSec = Math.min(query.to ?? Number.MAX_SAFE_INTEGER, before)
    const { candles, olderSec, hasNative, head } = await history.read({
      asset, interval: width, limit: count, fromSec: query.from, toSec: toSec === Number.MAX_SAFE_INTEGER ? undefined : toSec,
    })
    const page: Page<Candle> = { rows: candles, next: olderSec === null ? null : encodeCursor(kind, [olderSec]), head, gaps: [] }
    const isNative = candles.length === 0 ? hasNative : candles.some((candle) => candle.source !== 'binance')
    sendResponse(request, reply, pageResponse(request, reply, page, { candles, source: (isNative ? 'noeracle' : 'binance') satisfies CandleSource }))
  })
}
