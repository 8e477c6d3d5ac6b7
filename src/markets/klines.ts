// Candles of an external exchange, for assets and intervals that have no native ones yet (specification, "Candle"). They are passed through, never stored.
// External hosts are slow, block regions, and return invalid data: every wait, size and retry is bounded, and a failure gives no klines.

import type { Clock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import type { Log } from '../base/log.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { OutsideCandle } from '../projections/candles/candle-rows.ts'
import type { CandleInterval } from '../resources/candle.ts'

/** Time limit per host, including the body. */
export const KLINES_TIMEOUT_MS = 3_000
/** After this long, no other host is tried. */
const KLINES_TOTAL_MS = 6_000
/** Maximum size of a response: a thousand klines take about 180 kB. */
export const KLINES_MAX_BYTES = 1024 * 1024
/** After this many consecutive failures a host is not called for KLINES_OPEN_MS. */
export const KLINES_FAILURES_TO_OPEN = 3
export const KLINES_OPEN_MS = 60_000
/** Maximum concurrent external requests; further ones fail. */
const KLINES_MAX_IN_FLIGHT = 8

/** The most klines that a host returns at once. */
export const KLINES_LIMIT_MAX = 1_000

interface KlinesQuery {
  readonly asset: string
  readonly interval: CandleInterval
  /** At most KLINES_LIMIT_MAX. */
  readonly limit: number
  /** Only klines that open before this time; by default the newest ones. */
  readonly toSec?: number
}

/** Reads klines of the corresponding USDT pair, oldest first. Empty when there is no pair; undefined when no host responds. Never rejects. */
export type ReadKlines = (query: KlinesQuery) => Promise<readonly OutsideCandle[] | undefined>

export interface KlinesOptions {
  /** Base URLs, tried in order; empty disables the fallback. */
  readonly baseUrls: readonly string[]
  readonly deployment: CurrentDeployment
  /** The local network serves klines of every asset, also of those that no public exchange lists. */
  readonly everyAsset?: boolean
  readonly clock: Clock
  readonly log: Log
}

interface Host {
  readonly baseUrl: string
  failures: number
  openUntilMs: number
}

export function createKlines(options: KlinesOptions): ReadKlines {
  const { clock, log } = options
  const hosts: readonly Host[] = options.baseUrls.map((baseUrl) => ({ baseUrl: baseUrl.replace(/\/+$/, ''), failures: 0, openUntilMs: 0 }))
  let inFlight = 0

  async function readFrom(host: Host, path: string, limit: number): Promise<readonly OutsideCandle[] | undefined> {
    try {
      const candles = parseKlines(await fetchBounded(clock, `${host.baseUrl}${path}`)).slice(-limit)
      host.failures = 0
      return candles
    } catch (error) {
      host.failures += 1
      if (host.failures >= KLINES_FAILURES_TO_OPEN) host.openUntilMs = clock.elapsedMs() + KLINES_OPEN_MS
      const reason = error instanceof Error ? error.message : 'unknown'
      log.warn({ host: hostOf(host.baseUrl), reason, failures: host.failures }, 'external klines are not readable')
      return undefined
    }
  }

  function pairOf(symbol: string): string | null {
    const asset = options.deployment.current.assets.find(symbol)
    if (asset === undefined) return null
    return asset.klinesPair ?? (options.everyAsset === true ? `${asset.symbol}USDT` : null)
  }

  return async ({ asset, interval, limit, toSec }) => {
    const pair = pairOf(asset)
    if (pair === null || hosts.length === 0) return []
    if (inFlight >= KLINES_MAX_IN_FLIGHT) return undefined
    const path = `/api/v3/klines?symbol=${pair}&interval=${interval}&limit=${limit}${toSec === undefined ? '' : `&endTime=${toSec * 1_000 - 1}`}`
    const deadlineMs = clock.elapsedMs() + KLINES_TOTAL_MS
    inFlight += 1
    try {
      for (const host of hosts) {
        const nowMs = clock.elapsedMs()
        if (nowMs >= deadlineMs) break
        if (nowMs < host.openUntilMs) continue
        const candles = await readFrom(host, path, limit)
        if (candles !== undefined) return candles
      }
      return undefined
    } finally {
      inFlight -= 1
    }
  }
}

/** GETs a JSON document within the time and size limits. */
function fetchBounded(clock: Clock, url: string): Promise<unknown> {
  const timeoutError = (): Error => new Error(`no response within ${KLINES_TIMEOUT_MS} ms`)
  return withDeadline(clock, { limitMs: KLINES_TIMEOUT_MS, timeoutError }, async (signal) => {
    const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } })
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new Error(`HTTP status ${response.status}`)
    }
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > KLINES_MAX_BYTES) throw new Error(`the response is longer than ${KLINES_MAX_BYTES} bytes`)
      chunks.push(chunk)
    }
    const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return parsed
  })
}

/** A kline is an array: open time (ms), then open, high, low and close as decimal strings, then unused values. */
function parseKlines(response: unknown): readonly OutsideCandle[] {
  if (!Array.isArray(response)) throw new Error('the response is not a list of klines')
  const candles = response.map(parseKline)
  return candles.sort((a, b) => a.time - b.time)
}

function parseKline(kline: unknown): OutsideCandle {
  if (!Array.isArray(kline)) throw new Error('an item is not a kline')
  const [openTimeMs, ...ohlc] = kline.slice(0, 5) as readonly unknown[]
  const [open, high, low, close] = ohlc.map((text) => (typeof text === 'string' && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN))
  const valid = Number.isSafeInteger(openTimeMs) && [open, high, low, close].every((value) => value !== undefined && Number.isFinite(value) && value > 0)
  if (!valid) throw new Error('a kline has invalid numbers')
  return { time: Math.floor(Number(openTimeMs) / 1000), open: open ?? 0, high: high ?? 0, low: low ?? 0, close: close ?? 0 }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'unknown'
}
