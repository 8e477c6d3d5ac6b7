// Candles of a series: native ones, and before the first of them those of an external exchange. External history that cannot change any more is cached, so
// that a range is requested once.

import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { toCandles } from '../projections/candles/candle-rows.ts'
import type { CandleRange, CandleSpan, OutsideCandle } from '../projections/candles/candle-rows.ts'
import { bucketEnd, bucketStart, nextBucketStart } from '../projections/candles/candles.ts'
import type { Head } from '../projections/log/page.ts'
import type { Candle, CandleInterval } from '../resources/candle.ts'
import { KLINES_LIMIT_MAX } from './klines.ts'
import type { ReadKlines } from './klines.ts'

/** Klines of the present bucket change. */
const OPEN_CACHE_MS = 5_000
/** Klines of the past do not, but the external exchange may correct them. */
const CLOSED_CACHE_MS = 24 * 3_600_000
/** Each is a list of at most a thousand klines; two for every series. */
const CLOSED_CACHE_MAX = 256
const OPEN_CACHE_MAX = 200

/** The chunks of the longest page, one before it, and one beyond a hole; a host that reports more holes is not followed further. */
const PAST_CHUNKS_MAX = 10

interface CandleQuery {
  readonly asset: string
  readonly interval: CandleInterval
  /** Inclusive; undefined: no bound. */
  readonly fromSec?: number | undefined
  /** Exclusive; undefined: up to the present. */
  readonly toSec?: number | undefined
  /** The newest candles of the range. */
  readonly limit: number
}

interface CandlePage {
  /** In ascending order. */
  readonly candles: readonly Candle[]
  /** The range has candles before this time, or may have some that cannot be read now; null: there are none. */
  readonly olderSec: number | null
  /** False: external candles could not be read, so older ones are unknown. */
  readonly isComplete: boolean
  /** True when the series has native candles, of the range or not. */
  readonly hasNative: boolean
  /** The newest bucket before the range, with or without a price; null: unknown or none. */
  readonly previous: number | null
  readonly head: Head
}

export interface CandleHistory {
  /** Rejects when the database cannot be read. External candles that cannot be read are missing. */
  read(query: CandleQuery): Promise<CandlePage>
}

export interface CandleHistoryOptions {
  readonly readSpan: (range: CandleRange) => Promise<CandleSpan>
  readonly readKlines: ReadKlines
  readonly deployment: CurrentDeployment
  readonly clock: Clock
}

export function createCandleHistory({ readSpan, readKlines, deployment, clock }: CandleHistoryOptions): CandleHistory {
  const open = createTtlCache<readonly OutsideCandle[]>({ clock, ttlMs: OPEN_CACHE_MS, maxEntries: OPEN_CACHE_MAX })
  const closed = createTtlCache<readonly OutsideCandle[]>({ clock, ttlMs: CLOSED_CACHE_MS, maxEntries: CLOSED_CACHE_MAX })

  /** Klines of one chunk. Undefined when no host responds, which is not cached. */
  async function readChunk(
    cache: typeof open, { asset, interval }: CandleQuery, { limit, toSec }: { readonly limit: number; readonly toSec?: number },
  ): Promise<readonly OutsideCandle[] | undefined> {
    try {
      return await cache.get(`${asset} ${interval} ${toSec ?? ''} ${limit}`, async () => {
        const klines = await readKlines({ asset, interval, limit, ...(toSec === undefined ? {} : { toSec }) })
        if (klines === undefined) throw new KlinesUnavailable()
        return klines
      })
    } catch (error) {
      if (error instanceof KlinesUnavailable) return undefined
      throw error
    }
  }

  /**
   * The external candles of a span that ends before `endSec`, ascending, with at least one before the span if there is one. Read in chunks of a fixed size that
   * are counted back from `endSec`, newest first: every request for the same past reads the same chunks. Chunks without a kline between older and newer ones
   * are skipped, so a hole of any length costs one request.
   */
  async function readPast(query: CandleQuery, endSec: number, span: { readonly fromSec: number; readonly toSec: number }): Promise<Outside> {
    const chunkSec = KLINES_LIMIT_MAX * bucketEnd(0, query.interval)
    const endOfChunk = (timeSec: number): number => endSec - Math.max(0, Math.floor((endSec - timeSec) / chunkSec)) * chunkSec
    const chunks: (readonly OutsideCandle[])[] = []
    for (let toSec = endOfChunk(span.toSec); toSec > 0;) {
      if (chunks.length === PAST_CHUNKS_MAX) return { candles: chunks.toReversed().flat(), isComplete: false }
      const fromSec = toSec - chunkSec
      const klines = await readChunk(closed, query, { limit: KLINES_LIMIT_MAX, toSec })
      if (klines === undefined) return { candles: chunks.toReversed().flat(), isComplete: false }
      const within = klines.filter(({ time }) => time >= fromSec && time < toSec)
      chunks.push(within)
      if (within.some(({ time }) => time < span.fromSec)) break
      const older = klines.findLast(({ time }) => time < fromSec)
      // The external history begins here.
      if (within.length === 0 && older === undefined) break
      toSec = within.length > 0 || older === undefined ? fromSec : endOfChunk(older.time + 1)
    }
    return { candles: chunks.toReversed().flat(), isComplete: true }
  }

  async function readOutside(query: CandleQuery, span: CandleSpan): Promise<Outside> {
    if (deployment.current.assets.find(query.asset) === undefined) return NO_OUTSIDE
    if (span.firstTime !== null) {
      if (span.fromSec >= span.firstTime) return NO_OUTSIDE
      return await readPast(query, span.firstTime, { fromSec: span.fromSec, toSec: Math.min(span.toSec, span.firstTime) })
    }
    const present = bucketStart(nowSec(clock), query.interval)
    if (isNewest(query)) {
      const klines = await readChunk(open, query, { limit: query.limit })
      return klines === undefined ? { ...NO_OUTSIDE, isComplete: false } : { ...NO_OUTSIDE, candles: klines }
    }
    const newest = span.toSec > present ? (await readChunk(open, query, { limit: 1 })) ?? [] : []
    const { candles, isComplete } = await readPast(query, present, { fromSec: span.fromSec, toSec: Math.min(span.toSec, present) })
    return { candles: [...candles, ...newest.filter(({ time }) => time >= present)], isComplete }
  }

  /** Without native candles the present is that of the clock. */
  function placeEmpty(span: CandleSpan, { interval, fromSec = 0, toSec, limit }: CandleQuery): CandleSpan {
    const end = bucketEnd(bucketStart(nowSec(clock), interval), interval)
    const until = toSec === undefined ? end : Math.min(end, nextBucketStart(toSec, interval))
    const since = Math.max(nextBucketStart(fromSec, interval), until - limit * bucketEnd(0, interval))
    return { ...span, ledgerTs: span.ledgerTs ?? nowSec(clock), toSec: until, fromSec: since }
  }

  return {
    async read(query) {
      // One more than requested: whether there are more.
      const wider = { ...query, limit: query.limit + 1 }
      const found = await readSpan({ ...wider, isListed: deployment.current.assets.find(query.asset) !== undefined })
      const wanted = found.firstTime === null ? placeEmpty(found, wider) : found
      const first = await readOutside(wider, wanted)
      const span = found.firstTime === null ? endWithOutside(wanted, first.candles, wider) : wanted
      // External history ended before the span, which begins earlier now. Its chunks are cached.
      const mustReadAgain = span.fromSec < wanted.fromSec && first.isComplete && !isNewest(wider)
      const outside = mustReadAgain ? await readOutside({ ...wider, toSec: span.toSec }, span) : first
      const rows = toCandles(span, outside.candles)
      const candles = rows.slice(-query.limit)
      const hasPrevious = span.before !== null || outside.candles.some(({ time }) => time < span.fromSec)
      // Without a candle the next page begins where this one ends.
      const firstSec = candles[0]?.time ?? wanted.toSec
      const hasOlder = rows.length > candles.length || (!outside.isComplete && firstSec > wanted.fromSec)
      return {
        candles, olderSec: hasOlder ? firstSec : null, isComplete: outside.isComplete, hasNative: found.firstTime !== null,
        previous: hasPrevious ? Math.min(span.fromSec, span.toSec) - bucketEnd(0, query.interval) : null, head: span.head,
      }
    },
  }
}

/** One request has everything: the newest klines. */
function isNewest({ fromSec, toSec, limit }: CandleQuery): boolean {
  return fromSec === undefined && toSec === undefined && limit <= KLINES_LIMIT_MAX
}

/** Candles of an external exchange, in ascending order. */
interface Outside {
  readonly candles: readonly OutsideCandle[]
  /** False: older ones could not be read. */
  readonly isComplete: boolean
}

const NO_OUTSIDE: Outside = { candles: [], isComplete: true }

/** External history ends with its last candle, also when the clocks differ. */
function endWithOutside(span: CandleSpan, outside: readonly OutsideCandle[], { interval, fromSec = 0, limit }: CandleQuery): CandleSpan {
  const toSec = Math.min(span.toSec, bucketEnd(outside.at(-1)?.time ?? 0, interval))
  return { ...span, toSec, fromSec: Math.max(nextBucketStart(fromSec, interval), toSec - limit * bucketEnd(0, interval)) }
}

class KlinesUnavailable extends Error {
  override readonly name = 'KlinesUnavailable'
}
