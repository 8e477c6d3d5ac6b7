// Candles of an outside exchange, for assets and intervals that have no native ones yet (specification, "Candle"). They are passed on and never stored.
// The outside is slow, refuses whole regions and answers nonsense at times: every wait, size and try is bounded, and a failure is an empty list.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { findAsset } from '../exchange/assets.ts'
import type { Candle, CandleInterval } from '../resources/candle.ts'

/** One host may take this long, answer included. */
export const KLINES_TIMEOUT_MS = 3_000
/** No further host is tried after this long. */
export const KLINES_TOTAL_MS = 6_000
/** Largest answer that is read: a thousand klines take about 180 kB. */
export const KLINES_MAX_BYTES = 1024 * 1024
/** After so many failures in a row a host is left alone for a while. */
export const KLINES_FAILURES_TO_OPEN = 3
export const KLINES_OPEN_MS = 60_000
/** Requests to the outside at a time; whoever comes beyond that gets an empty list. */
export const KLINES_MAX_IN_FLIGHT = 8

/** Reads klines of the equivalent USDT pair, oldest first; empty when there is no pair or nobody answers. Never rejects. */
export type ReadKlines = (query: { asset: string; interval: CandleInterval; limit: number }) => Promise<readonly Candle[]>

export interface KlinesOptions {
  /** Base addresses, tried in turn; empty turns the fallback off. */
  readonly baseUrls: readonly string[]
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

  async function ask(host: Host, path: string, limit: number): Promise<readonly Candle[] | undefined> {
    try {
      const candles = parseKlines(await fetchBounded(clock, `${host.baseUrl}${path}`)).slice(-limit)
      host.failures = 0
      return candles
    } catch (error) {
      host.failures += 1
      if (host.failures >= KLINES_FAILURES_TO_OPEN) host.openUntilMs = clock.elapsedMs() + KLINES_OPEN_MS
      const reason = error instanceof Error ? error.message : 'unknown'
      log.warn({ host: hostOf(host.baseUrl), reason, failures: host.failures }, 'outside klines not readable')
      return undefined
    }
  }

  return async ({ asset, interval, limit }) => {
    const pair = findAsset(asset)?.klinesPair ?? null
    if (pair === null || inFlight >= KLINES_MAX_IN_FLIGHT) return []
    const path = `/api/v3/klines?symbol=${pair}&interval=${interval}&limit=${limit}`
    const giveUpAtMs = clock.elapsedMs() + KLINES_TOTAL_MS
    inFlight += 1
    try {
      for (const host of hosts) {
        const nowMs = clock.elapsedMs()
        if (nowMs >= giveUpAtMs) break
        if (nowMs < host.openUntilMs) continue
        const candles = await ask(host, path, limit)
        if (candles !== undefined) return candles
      }
      return []
    } finally {
      inFlight -= 1
    }
  }
}

/** GETs a JSON document within the bounds of time and size. */
async function fetchBounded(clock: Clock, url: string): Promise<unknown> {
  const limit = new AbortController()
  const timer = clock.setTimer(KLINES_TIMEOUT_MS, () => limit.abort(new Error(`no answer within ${KLINES_TIMEOUT_MS} ms`)))
  try {
    const response = await fetch(url, { signal: limit.signal, redirect: 'error', headers: { accept: 'application/json' } })
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new Error(`answered ${response.status}`)
    }
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > KLINES_MAX_BYTES) throw new Error(`answered more than ${KLINES_MAX_BYTES} bytes`)
      chunks.push(chunk)
    }
    const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return parsed
  } finally {
    timer.cancel()
  }
}

/** A kline is an array: open time (ms), open, high, low and close as decimal texts, and more that is not used. */
function parseKlines(answer: unknown): readonly Candle[] {
  if (!Array.isArray(answer)) throw new Error('answered something that is no list of klines')
  const candles = answer.map(parseKline)
  return candles.sort((a, b) => a.time - b.time)
}

function parseKline(kline: unknown): Candle {
  if (!Array.isArray(kline)) throw new Error('answered something that is no kline')
  const [openTimeMs, ...ohlc] = kline.slice(0, 5) as readonly unknown[]
  const [open, high, low, close] = ohlc.map((text) => (typeof text === 'string' && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN))
  const valid = Number.isSafeInteger(openTimeMs) && [open, high, low, close].every((value) => value !== undefined && Number.isFinite(value) && value > 0)
  if (!valid) throw new Error('answered a kline whose numbers do not fit')
  return { time: Math.floor(Number(openTimeMs) / 1000), open: open ?? 0, high: high ?? 0, low: low ?? 0, close: close ?? 0 }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'unknown'
}
