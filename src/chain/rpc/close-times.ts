// The order of ledgers by their close times. Seconds may repeat from protocol 30 on; milliseconds never do. Ledgers are ordered by sequence, and their close
// times only show whether two of them can belong to one chain.

import type { LedgerHeader } from '../codec/ledger-header.ts'

/** A ledger and its close time. */
export interface ClosedLedger {
  readonly ledger: number
  /** Unix seconds. */
  readonly closeSec: number
  /** Unix milliseconds; null: its header has only seconds. Absent: unknown. */
  readonly closeMs?: number | null
}

/** Public networks take longer than this for a ledger. */
export const MIN_LEDGER_MS = 1_000
/** Maximum excess of ledgers over what the time between them allows at the shortest interval. */
export const BURST_LEDGERS = 50

/**
 * True if both ledgers can belong to one chain: close times rise with sequences, and over more than BURST_LEDGERS by `minLedgerMs` each. Up to a ledger whose
 * header has only seconds, they rise by a second each.
 */
export function areOrdered(one: ClosedLedger, other: ClosedLedger, minLedgerMs: number): boolean {
  const [earlier, later] = one.ledger <= other.ledger ? [one, other] : [other, one]
  const ledgers = later.ledger - earlier.ledger
  const seconds = later.closeSec - earlier.closeSec
  if (ledgers === 0) return seconds === 0
  if (later.closeMs === null) return seconds >= ledgers
  const maxElapsedMs = (later.closeMs ?? later.closeSec * 1_000 + 999) - (earlier.closeMs ?? earlier.closeSec * 1_000)
  return seconds >= 0 && maxElapsedMs >= Math.max(ledgers, (ledgers - BURST_LEDGERS) * minLedgerMs)
}

/** True if `next` closed after the ledger before it. Headers without milliseconds are of a time when seconds did not repeat. */
export function closedAfter(before: LedgerHeader, next: LedgerHeader): boolean {
  if (before.closeMs !== null && next.closeMs !== null) return next.closeMs > before.closeMs
  const mayRepeat = next.closeMs !== null || next.newer !== null
  return mayRepeat ? next.closeSec >= before.closeSec : next.closeSec > before.closeSec
}
