// GET /udf/config, /udf/time, /udf/symbols, /udf/search and /udf/history: a TradingView UDF datafeed.

import { Type } from 'typebox'
import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import { toFloat } from '../base/fixed-point.ts'
import type { Asset } from '../exchange/assets.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { CACHE_ONE_SECOND, CACHE_REVALIDATE, indexHeaders, prepareResponse, sendResponse } from '../http/response.ts'
import type { App } from '../http/app.ts'
import { operation } from '../http/operation.ts'
import { UDF_BARS_MAX } from '../limits.ts'
import { displayDecimals } from '../markets/display-decimals.ts'
import type { Prices } from '../markets/prices.ts'
import type { CandleHistory } from '../markets/candle-history.ts'
import type { Candle, CandleInterval } from '../resources/candle.ts'
import { ref } from '../resources/fields.ts'
import { UdfConfiguration, UdfFound, UdfHistory, UdfSymbol } from '../resources/udf.ts'
import type { UdfError } from '../resources/udf.ts'
import { serialiseBody } from './page-response.ts'

/** Candle intervals by UDF resolution. Charts may omit the 1 before a letter. */
const INTERVALS: Readonly<Record<string, CandleInterval>> = {
  1: '1m', 5: '5m', 15: '15m', 60: '1h', 240: '4h', '1D': '1d', D: '1d', '1W': '1w', W: '1w',
}
const RESOLUTIONS = ['1', '5', '15', '60', '240', '1D', '1W']

const CONFIGURATION: UdfConfiguration = {
  supported_resolutions: RESOLUTIONS, supports_group_request: false, supports_marks: false, supports_search: true, supports_timescale_marks: false,
  supports_time: true,
}

const SEARCH_MAX = 30
const TEXT_MAX_LENGTH = 32

const EXCHANGE = 'perpetual'
const UNKNOWN_SYMBOL: UdfError = { s: 'error', errmsg: 'unknown_symbol' }
const UNKNOWN_RESOLUTION: UdfError = { s: 'error', errmsg: `resolution must be one of ${RESOLUTIONS.join(', ')}` }
const HISTORY_UNAVAILABLE: UdfError = { s: 'error', errmsg: 'Older bars cannot be read now. Retry later.' }

const symbol = Type.String({ minLength: 1, maxLength: TEXT_MAX_LENGTH, description: 'Asset symbol, case-insensitive.', examples: ['BTC'] })
const resolution = Type.String({ minLength: 1, maxLength: 8, description: `Bar width: ${RESOLUTIONS.join(', ')}.`, examples: ['60'] })
const time = (description: string, example: number) => Type.Unsafe<number>({ type: 'integer', description, examples: [example] })

const EXAMPLE_FOUND: UdfFound = { symbol: 'BTC', full_name: 'BTC', description: 'Bitcoin', exchange: EXCHANGE, ticker: 'BTC', type: 'crypto' }
const FEED = 'Part of a TradingView UDF datafeed. Set the datafeed URL of your chart to /udf.'

const getConfiguration = operation(
  {
    id: 'udfConfig', tag: 'charts', summary: 'Get the datafeed configuration', description: `Returns the capabilities of the datafeed. ${FEED}`,
    ok: ref(UdfConfiguration), example: CONFIGURATION, errors: [],
  },
  {},
)

const getTime = operation(
  {
    id: 'udfTime', tag: 'charts', summary: 'Get the server time',
    description: `Returns the server time in Unix seconds. ${FEED}`, ok: Type.Integer({ description: 'Server time, Unix seconds.' }),
    example: 1_783_339_200, errors: [],
  },
  {},
)

const getSymbol = operation(
  {
    id: 'udfSymbols', tag: 'charts', summary: 'Resolve a symbol', description: `Returns the chart settings of a market. ${FEED}`, ok: ref(UdfSymbol),
    example: describe({ symbol: 'BTC', name: 'Bitcoin' }, 65_000), errors: [400],
  },
  { querystring: Type.Object({ symbol }) },
)

const search = operation(
  {
    id: 'udfSearch', tag: 'charts', summary: 'Search symbols',
    description: 'Returns markets whose symbol or name contains the text, case-insensitive. Without a text, returns all markets.',
    ok: Type.Array(ref(UdfFound)), example: [EXAMPLE_FOUND], errors: [400],
  },
  {
    querystring: Type.Object({
      query: Type.Optional(Type.String({ maxLength: TEXT_MAX_LENGTH, description: 'Text to search for in symbols and names.' })),
      limit: Type.Optional(Type.Unsafe<number>({ type: 'integer', minimum: 1, description: `Maximum number of results, at most ${SEARCH_MAX}.` })),
    }),
  },
)

const getHistory = operation(
  {
    id: 'udfHistory', tag: 'charts', summary: 'List bars',
    description:
      'Returns OHLC bars of oracle prices with the volume of trades in USDC, including the current incomplete bar, as /v1/candles does: every interval has a ' +
      'bar, and bars before the first native one are those of an external exchange. `to` is exclusive. With `countback`, returns that many bars before `to` ' +
      `and ignores \`from\`. Returns at most the ${UDF_BARS_MAX} newest bars.`,
    ok: ref(UdfHistory),
    example: { s: 'ok', t: [1_783_339_200], o: [65_000.5], h: [65_010], l: [64_990.25], c: [65_005], v: [4_800] },
    headers: ['index'],
    errors: [400, 503],
  },
  {
    querystring: Type.Object({
      symbol,
      resolution,
      from: time('Earliest bar start, Unix seconds.', 1_783_252_800),
      to: time('Bars start before this time, Unix seconds.', 1_783_339_200),
      countback: Type.Optional(Type.Unsafe<number>({ type: 'integer', minimum: 1, description: 'Number of bars to return before `to`.' })),
    }),
  },
)

export function udfRoutes(
  app: App, parts: { readonly history: CandleHistory; readonly prices: Prices; readonly clock: Clock; readonly deployment: CurrentDeployment },
): void {
  const configuration = prepareResponse(JSON.stringify(CONFIGURATION), { 'cache-control': CACHE_REVALIDATE })

  app.get('/udf/config', { schema: getConfiguration }, (request, reply) => sendResponse(request, reply, configuration))

  app.get('/udf/time', { schema: getTime }, (request, reply) => {
    sendResponse(request, reply, prepareResponse(String(nowSec(parts.clock)), { 'cache-control': CACHE_ONE_SECOND }))
  })

  app.get('/udf/symbols', { schema: getSymbol }, (request, reply) => {
    const asset = parts.deployment.current.assets.find(request.query.symbol.toUpperCase())
    const price = asset === undefined ? undefined : parts.prices.cachedSnapshot()?.prices.get(asset.symbol)?.price.priceFloat
    const body: UdfSymbol = asset === undefined ? { ...UNKNOWN_SYMBOL } : describe(asset, price)
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, body), { 'cache-control': CACHE_REVALIDATE }))
  })

  app.get('/udf/search', { schema: search }, (request, reply) => {
    const { query = '', limit = SEARCH_MAX } = request.query
    const text = query.toUpperCase()
    const matching = parts.deployment.current.assets.all.filter((asset) => asset.symbol.includes(text) || asset.name.toUpperCase().includes(text))
    const found = matching.slice(0, Math.min(limit, SEARCH_MAX))
    const rows: UdfFound[] = found.map(({ symbol: name, name: description }) => ({
      ...EXAMPLE_FOUND, symbol: name, full_name: name, ticker: name, description,
    }))
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, rows), { 'cache-control': CACHE_REVALIDATE }))
  })

  app.get('/udf/history', { schema: getHistory, config: { readsMany: true } }, async (request, reply) => {
    const { query } = request
    const asset = parts.deployment.current.assets.find(query.symbol.toUpperCase())
    const interval = INTERVALS[query.resolution.toUpperCase()]
    const limit = Math.min(query.countback ?? UDF_BARS_MAX, UDF_BARS_MAX)
    const { candles, previous, isComplete, head } = await parts.history.read({
      asset: asset?.symbol ?? '', interval: interval ?? '1m', limit, toSec: boundedTime(query.to),
      fromSec: query.countback === undefined ? boundedTime(query.from) : undefined,
    })
    let body: UdfHistory = toColumns(candles)
    if (candles.length === 0) body = previous === null ? { s: 'no_data' } : { s: 'no_data', nextTime: previous }
    if (candles.length === 0 && !isComplete) body = { ...HISTORY_UNAVAILABLE }
    if (interval === undefined) body = { ...UNKNOWN_RESOLUTION }
    if (asset === undefined) body = { ...UNKNOWN_SYMBOL }
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, body), { 'cache-control': CACHE_REVALIDATE, ...indexHeaders(head) }))
  })
}

function toColumns(candles: readonly Candle[]): UdfHistory {
  const column = (name: 'time' | 'open' | 'high' | 'low' | 'close'): number[] => candles.map((candle) => candle[name])
  const v = candles.map(({ volume }) => toFloat(BigInt(volume)))
  return { s: 'ok', t: column('time'), o: column('open'), h: column('high'), l: column('low'), c: column('close'), v }
}

/** Charts ask for any time, also before 1970. */
function boundedTime(sec: number): number {
  return Math.min(Math.max(sec, 0), Number.MAX_SAFE_INTEGER)
}

function describe({ symbol: name, name: description }: Pick<Asset, 'symbol' | 'name'>, price: number | undefined): UdfSymbol {
  return {
    name, ticker: name, description, type: 'crypto', exchange: EXCHANGE, listed_exchange: EXCHANGE, session: '24x7', timezone: 'Etc/UTC', format: 'price',
    minmov: 1, pricescale: 10 ** displayDecimals(price), has_intraday: true, intraday_multipliers: ['1', '5', '15', '60', '240'], has_daily: true,
    has_weekly_and_monthly: true, weekly_multipliers: ['1'], monthly_multipliers: [], supported_resolutions: RESOLUTIONS, visible_plots_set: 'ohlcv',
    data_status: 'streaming',
  }
}
