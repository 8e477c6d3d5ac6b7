// The markets' figures of the past 24 hours: stored candles, read once per interval for all requests, external history where these are too few, and the
// current price.

import type { Clock } from '../base/clock.ts'
import { maxAmount, minAmount } from '../base/fixed-point.ts'
import type { Log } from '../base/log.ts'
import { createRefreshedValue } from '../base/refreshed-value.ts'
import { backoff } from '../base/retry.ts'
import type { DayFigures } from '../projections/markets/day-figures.ts'

/** Interval between reads of the candles. */
export const DAY_RANGE_INTERVAL_MS = 15_000
const DAY_RANGE_SERVED_MS = 5 * 60_000
const DAY_RANGE_WAIT_MS = 500
/** Interval between reads of the other history, most of which is cached. */
export const DAY_HISTORY_INTERVAL_MS = 15_000
/** After a reading with assets whose history could not be read, the next one is due sooner: each wait is twice the one before, up to the interval. */
export const DAY_HISTORY_RETRY_MS = 1_000
/** Only the first requests after a start wait: later ones get what was read before. */
export const DAY_HISTORY_WAIT_MS = 2_000

export interface DayRange {
  readonly change24h: number | null
  readonly high24h: string | null
  readonly low24h: string | null
}

/** By asset. */
export type DayRanges = ReadonlyMap<string, DayFigures>

export interface DayHistory {
  readonly figures: DayRanges
  /** False: the history of an asset could not be read now. */
  readonly isComplete: boolean
}

export interface DayRangeReader {
  /** The ranges read last, if the stored candles are recent. Returns the same object until something is read again. */
  cached(): DayRanges | undefined
  /** Waits for a limited time; empty while the candles cannot be read. Never rejects. */
  read(): Promise<DayRanges>
}

export const UNKNOWN_RANGE: DayRange = { change24h: null, high24h: null, low24h: null }
const EMPTY: DayRanges = new Map()
/** The change is reported in percent with four decimals. */
const CHANGE_SCALE = 1_000_000n

export function createDayRanges({ clock, log, listed, readFigures, readHistory }: {
  readonly clock: Clock
  readonly log: Log
  /** The assets of the exchange. */
  readonly listed: () => readonly string[]
  /** The figures of those assets whose stored candles go back far enough. */
  readonly readFigures: (assets: readonly string[]) => Promise<DayRanges>
  /** The figures of the other assets, with the help of external history. May be slow. */
  readonly readHistory: (assets: readonly string[]) => Promise<DayHistory>
}): DayRangeReader {
  async function readOrNull<Read>(read: () => Promise<Read>): Promise<Read | null> {
    try {
      return await read()
    } catch (error) {
      log.warn({ err: error }, 'the candles of the past 24 hours could not be read')
      return null
    }
  }

  const stored = createRefreshedValue<DayRanges>({
    clock, freshMs: DAY_RANGE_INTERVAL_MS, staleMs: DAY_RANGE_SERVED_MS, servedMs: DAY_RANGE_SERVED_MS, waitMs: DAY_RANGE_WAIT_MS,
    read: () => readOrNull(() => readFigures(listed())),
  })
  let history = EMPTY
  let dueAtMs = Number.NEGATIVE_INFINITY
  let failures = 0
  const refreshed = createRefreshedValue<DayRanges>({
    clock, freshMs: DAY_HISTORY_RETRY_MS, staleMs: DAY_RANGE_SERVED_MS, servedMs: DAY_RANGE_SERVED_MS, waitMs: DAY_HISTORY_WAIT_MS,
    async read() {
      if (clock.elapsedMs() < dueAtMs) return history
      const known = (await stored.get(''))?.value ?? EMPTY
      const found = await readOrNull(() => readHistory(listed().filter((asset) => !known.has(asset))))
      const isComplete = found?.isComplete === true
      failures = isComplete ? 0 : failures + 1
      dueAtMs = clock.elapsedMs() + (isComplete ? DAY_HISTORY_INTERVAL_MS : backoff({ min: DAY_HISTORY_RETRY_MS, max: DAY_HISTORY_INTERVAL_MS }, failures))
      if (found !== null) history = found.figures
      return history
    },
  })
  const merge = createMerge()
  return {
    cached() {
      const own = stored.fresh('')
      return own === undefined || clock.elapsedMs() >= dueAtMs ? undefined : merge(own, history)
    },
    async read() {
      const [own, other] = await Promise.all([stored.get(''), refreshed.get('')])
      return merge(own?.value ?? EMPTY, other?.value ?? EMPTY)
    },
  }
}

/** Joins the figures of stored candles with others. Returns the same object for the same figures. */
function createMerge(): (own: DayRanges, other: DayRanges) => DayRanges {
  let last: { readonly own: DayRanges; readonly other: DayRanges; readonly merged: DayRanges } | undefined
  return (own, other) => {
    if (last?.own !== own || last.other !== other) last = { own, other, merged: new Map([...other, ...own]) }
    return last.merged
  }
}

/** The day of an asset at this price, 7-decimal. All null without a price of 24 hours ago. */
export function dayRangeOf(figures: DayFigures | undefined, price: bigint | null): DayRange {
  if (figures === undefined) return UNKNOWN_RANGE
  const { reference, high, low } = figures
  return {
    change24h: price === null || reference <= 0n ? null : Number(((price - reference) * CHANGE_SCALE) / reference) / 10_000,
    high24h: String(price === null ? high : maxAmount(high, price)),
    low24h: String(price === null ? low : minAmount(low, price)),
  }
}
