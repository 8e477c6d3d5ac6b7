// What markets report of the past 24 hours: stored candles, read once per interval for all requests, and the current price.

import type { Clock } from '../base/clock.ts'
import { maxAmount, minAmount } from '../base/fixed-point.ts'
import type { Log } from '../base/log.ts'
import { createRefreshedValue } from '../base/refreshed-value.ts'
import type { DayFigures } from '../projections/day-figures.ts'

/** Interval between reads of the candles. */
export const DAY_RANGE_INTERVAL_MS = 15_000
const DAY_RANGE_SERVED_MS = 5 * 60_000
const DAY_RANGE_WAIT_MS = 500

export interface DayRange {
  readonly change24h: number | null
  readonly high24h: string | null
  readonly low24h: string | null
}

/** By asset. */
export type DayRanges = ReadonlyMap<string, DayFigures>

export interface DayRangeReader {
  /** What was read last, if it is recent. Returns the same object until it is read again. */
  cached(): DayRanges | undefined
  /** Waits for a limited time; empty while the candles cannot be read. Never rejects. */
  read(): Promise<DayRanges>
}

export const UNKNOWN_RANGE: DayRange = { change24h: null, high24h: null, low24h: null }
const EMPTY: DayRanges = new Map()
/** The change is reported in percent with four decimals. */
const CHANGE_SCALE = 1_000_000n

export function createDayRanges({ clock, log, readFigures }: {
  readonly clock: Clock
  readonly log: Log
  readonly readFigures: () => Promise<DayRanges>
}): DayRangeReader {
  const ranges = createRefreshedValue<DayRanges>({
    clock, freshMs: DAY_RANGE_INTERVAL_MS, staleMs: DAY_RANGE_SERVED_MS, servedMs: DAY_RANGE_SERVED_MS, waitMs: DAY_RANGE_WAIT_MS,
    async read() {
      try {
        return await readFigures()
      } catch (error) {
        log.warn({ err: error }, 'the candles of the past 24 hours could not be read')
        return null
      }
    },
  })
  return {
    cached: () => ranges.fresh(''),
    read: async () => (await ranges.get(''))?.value ?? EMPTY,
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
