// GET /api/v3/klines: the outside market's candles, in the form of the exchange that public deployments take them from.

import { PRICED_SYMBOLS } from '../assets.ts'
import { priceText } from '../price-history.ts'
import type { PriceBar, PriceHistory } from '../price-history.ts'
import { jsonResponse } from './http-response.ts'
import type { HttpResponse } from './http-response.ts'

export const KLINES_PATH = '/api/v3/klines'
const QUOTE = 'USDT'
const LIMIT = { default: 500, max: 1_000 } as const
const MINUTE_SEC = 60
/** Weeks start on Monday; the Unix epoch is a Thursday. */
const FIRST_MONDAY_SEC = 4 * 86_400
const WIDTHS_SEC: Readonly<Record<string, number>> = { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400, '1w': 604_800 }

export type ReadKlines = (query: URLSearchParams) => Promise<HttpResponse>

export function createKlines(history: PriceHistory): ReadKlines {
  return async (query) => {
    const symbol = query.get('symbol') ?? ''
    const asset = symbol.endsWith(QUOTE) ? symbol.slice(0, -QUOTE.length) : ''
    const widthSec = WIDTHS_SEC[query.get('interval') ?? '']
    const [limit, startMs, endMs] = [query.get('limit') ?? String(LIMIT.default), query.get('startTime'), query.get('endTime')].map(toInteger)
    if (!PRICED_SYMBOLS.includes(asset)) return refusal(-1121, 'Invalid symbol.')
    if (widthSec === undefined) return refusal(-1120, 'Invalid interval.')
    if (typeof limit !== 'number' || limit < 1 || limit > LIMIT.max || Number.isNaN(startMs) || Number.isNaN(endMs)) return refusal(-1100, 'Illegal parameter.')
    const { fromSec, toSec } = history.range()
    const first = bucketOf(Math.max(fromSec, Math.ceil((startMs ?? 0) / 1_000)) + widthSec - 1, widthSec)
    const last = bucketOf(Math.min(toSec, Math.floor((endMs ?? toSec * 1_000) / 1_000)), widthSec)
    const starts = Array.from({ length: Math.max(0, (last - first) / widthSec + 1) }, (_, index) => first + index * widthSec)
    const wanted = startMs === undefined ? starts.slice(-limit) : starts.slice(0, limit)
    const barOf = await history.barsFrom(asset, wanted[0] ?? toSec)
    return jsonResponse(200, wanted.map((start) => toKline(barOf, start, widthSec)).filter((kline) => kline !== undefined))
  }
}

function toInteger(text: string | null): number | undefined {
  if (text === null) return undefined
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
}

function bucketOf(timeSec: number, widthSec: number): number {
  const shift = widthSec === WIDTHS_SEC['1w'] ? FIRST_MONDAY_SEC : 0
  return timeSec - ((timeSec - shift) % widthSec)
}

function toKline(barOf: (minuteSec: number) => PriceBar | undefined, startSec: number, widthSec: number): unknown[] | undefined {
  let bar: PriceBar | undefined
  for (let minute = startSec; minute < startSec + widthSec; minute += MINUTE_SEC) {
    const next = barOf(minute)
    if (next === undefined) continue
    bar = bar === undefined ? next : { open: bar.open, high: Math.max(bar.high, next.high), low: Math.min(bar.low, next.low), close: next.close }
  }
  if (bar === undefined) return undefined
  const prices = [bar.open, bar.high, bar.low, bar.close].map(priceText)
  return [startSec * 1_000, ...prices, '0', (startSec + widthSec) * 1_000 - 1, '0', 0, '0', '0', '0']
}

function refusal(code: number, msg: string): HttpResponse {
  return jsonResponse(400, { code, msg })
}
