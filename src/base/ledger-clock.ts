// The ledger's time, from the close times of the latest ledgers that nodes report. It runs with this machine's monotonic clock and does not depend on its time
// of day, which it checks: time bounds, ages and X-Timestamp are wrong by as much as that is.

import type { Clock } from './clock.ts'
import { nowSec } from './clock.ts'
import { silentLog } from './log.ts'
import type { Log } from './log.ts'

export interface LedgerTime {
  /** The ledger's time now, Unix milliseconds; null before the first ledger. Some seconds late: a ledger is seen after it closed. */
  nowMs(): number | null
  /** Seconds by which this machine's clock is ahead of it; negative: behind. Null until ledgers have closed at the pace of time for a minute. */
  skewSec(): number | null
}

export interface LedgerClock extends LedgerTime {
  /** Takes the latest ledger of a node. */
  observe(ledger: { readonly ledger: number; readonly closeSec: number }): void
}

/** Ledgers are seen earlier or later after they closed, by less than this. A larger difference is another time. */
const JITTER_MS = 30_000
/** A node that catches up reports close times that run faster than time: over CHECKED_MS by more than this. */
const DRIFT_MAX_MS = 10_000
const CHECKED_MS = 60_000
/** After this long without a newer ledger an earlier one counts: the network was reset. */
const FORGOTTEN_MS = 60_000

/** A clock that is more wrong refuses every request with a right X-Timestamp. */
const SKEW_MAX_SEC = 30

/** True when this machine's clock is known to be wrong. */
export function isSkewed(time: LedgerTime): boolean {
  const skewSec = time.skewSec()
  return skewSec !== null && Math.abs(skewSec) > SKEW_MAX_SEC
}

/** The present time in Unix seconds: the clock's, or the ledger's when the clock is known to be wrong. */
export function presentSec(clock: Clock, time: LedgerTime): number {
  const ledgerMs = time.nowMs()
  return ledgerMs !== null && isSkewed(time) ? Math.floor(ledgerMs / 1000) : nowSec(clock)
}

/** Logs once when the clock of this machine is wrong, and once when it is right again. */
export function createLedgerClock({ clock, log = silentLog }: { readonly clock: Clock; readonly log?: Log }): LedgerClock {
  let last: { readonly ledger: number; readonly atMs: number } | null = null
  /** Ledger time minus monotonic time. */
  let offsetMs: number | null = null
  /** Since when close times have kept the pace of time. */
  let steady = { sinceMs: 0, offsetMs: 0 }
  let isChecked = false
  let isReported = false

  function estimate(seenOffsetMs: number, nowMs: number): void {
    if (offsetMs === null || Math.abs(seenOffsetMs - offsetMs) > JITTER_MS) {
      offsetMs = seenOffsetMs
      isChecked = false
    }
    // The ledger that was seen earliest after it closed is the best estimate.
    offsetMs = Math.max(offsetMs, seenOffsetMs)
    if (Math.abs(seenOffsetMs - steady.offsetMs) > DRIFT_MAX_MS) steady = { sinceMs: nowMs, offsetMs: seenOffsetMs }
    if (nowMs - steady.sinceMs >= CHECKED_MS) isChecked = true
  }

  const time: LedgerTime = {
    nowMs: () => (offsetMs === null ? null : clock.elapsedMs() + offsetMs),
    skewSec: () => (offsetMs === null || !isChecked ? null : Math.round((clock.nowMs() - clock.elapsedMs() - offsetMs) / 1000)),
  }

  function report(): void {
    const aheadSec = time.skewSec()
    if (aheadSec === null || isSkewed(time) === isReported) return
    isReported = !isReported
    if (isReported) log.error({ aheadSec }, 'the clock of this machine differs from the ledger\'s time: synchronize it')
    else log.info({ aheadSec }, 'the clock of this machine agrees with the ledger\'s time again')
  }

  return {
    ...time,
    observe({ ledger, closeSec }) {
      const nowMs = clock.elapsedMs()
      if (last !== null && ledger <= last.ledger && nowMs - last.atMs < FORGOTTEN_MS) return
      if (last === null) steady = { sinceMs: nowMs, offsetMs: closeSec * 1000 - nowMs }
      last = { ledger, atMs: nowMs }
      estimate(closeSec * 1000 - nowMs, nowMs)
      report()
    },
  }
}
