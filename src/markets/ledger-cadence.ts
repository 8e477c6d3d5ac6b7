// Times the look for the next ledger: rarely while none is expected, often around the time at which one closes.

import type { Clock } from '../base/clock.ts'

/** The longest delay: prices are read again before they expire. */
export const CADENCE_MAX_MS = 2_000
/** The delay around the expected close, which bounds the load on nodes. */
export const CADENCE_MIN_MS = 200
/** Weight of an observed interval between ledgers in the estimate. */
const WEIGHT = 0.2
const INTERVAL_MAX_MS = 10_000
/** The interval of public networks, until two ledgers were seen. */
const INTERVAL_DEFAULT_MS = 5_000

export interface LedgerCadence {
  /** Records the ledger that a node reports now. */
  observe(ledger: number): void
  /** Milliseconds until the next read. */
  delayMs(): number
}

export function createLedgerCadence(clock: Pick<Clock, 'elapsedMs'>): LedgerCadence {
  /** The highest ledger, and when it was first seen. */
  let last: { readonly ledger: number; readonly seenAtMs: number } | null = null
  let intervalMs: number | null = null

  return {
    observe(ledger) {
      const nowMs = clock.elapsedMs()
      const advanced = last === null ? 0 : ledger - last.ledger
      if (last !== null && advanced > 0) {
        const sample = Math.min(INTERVAL_MAX_MS, Math.max(CADENCE_MIN_MS, (nowMs - last.seenAtMs) / advanced))
        intervalMs = intervalMs === null ? sample : intervalMs + WEIGHT * (sample - intervalMs)
      }
      // After a reset the ledgers begin again. A node that lags a little reports nothing about the next close.
      if (last === null || advanced > 0 || nowMs - last.seenAtMs > INTERVAL_MAX_MS) last = { ledger, seenAtMs: nowMs }
    },
    delayMs() {
      if (last === null) return CADENCE_MAX_MS
      const expectedMs = intervalMs ?? INTERVAL_DEFAULT_MS
      const sinceMs = clock.elapsedMs() - last.seenAtMs
      const untilCloseMs = expectedMs - sinceMs - CADENCE_MIN_MS
      if (untilCloseMs > CADENCE_MIN_MS) return Math.min(CADENCE_MAX_MS, untilCloseMs)
      // A ledger that is late by more than its interval may be late by any time.
      return sinceMs < 2 * expectedMs + CADENCE_MIN_MS ? CADENCE_MIN_MS : CADENCE_MAX_MS / 2
    },
  }
}
