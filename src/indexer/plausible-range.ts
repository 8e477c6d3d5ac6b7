// Figures that cannot be true. Close times rise with ledgers, and none is in the future.

import { areOrdered } from '../chain/close-times.ts'
import type { NodeFault } from '../chain/node-fault.ts'
import type { Anchor } from '../projections/anchors.ts'
import { closedLedger } from './chain-identity.ts'
import type { NodeRange } from './chain-identity.ts'
import type { CheckedPage } from './events-page.ts'

/** Limits of close times. */
export interface CloseTimeLimits {
  /** The latest close time that can be true, Unix seconds; null: any can. */
  readonly latestMaxSec: number | null
  /** The shortest interval between ledgers, as an average over many. */
  readonly minLedgerMs: number
}

/** Why a range contradicts itself or the clock; undefined when it is plausible. */
export function findImpossible({ oldest, oldestLedger, latest, latestLedger }: NodeRange, limits: CloseTimeLimits): NodeFault | undefined {
  if (oldestLedger > latestLedger) return 'inverted_range'
  if (limits.latestMaxSec !== null && latest !== null && latest.closeSec > limits.latestMaxSec) return 'future_close_time'
  return oldest !== null && latest !== null && !areOrdered(oldest, latest, limits.minLedgerMs) ? 'impossible_range' : undefined
}

/** True if the events of a page can be as many ledgers apart as they say. */
export function areEventsPlausible({ events }: CheckedPage, { minLedgerMs }: CloseTimeLimits): boolean {
  const [first] = events
  const last = events.at(-1)
  return first === undefined || last === undefined || areOrdered(first, last, minLedgerMs)
}

/** True if a range can belong to the chain of an anchor, judged by close times alone. A range that cannot is another chain's, or a lie. */
export function isPlausibleAfter(anchor: Anchor | null, { latest, latestLedger }: NodeRange, limits: CloseTimeLimits): boolean {
  if (anchor === null || anchor.closeSec === null) return true
  const known = closedLedger(anchor, anchor.closeSec)
  if (latest !== null) return areOrdered(known, latest, limits.minLedgerMs)
  if (limits.latestMaxSec === null || latestLedger <= anchor.ledger) return true
  return areOrdered(known, { ledger: latestLedger, closeSec: limits.latestMaxSec }, limits.minLedgerMs)
}
