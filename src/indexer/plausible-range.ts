// Figures that cannot be true. Ledgers close at least a second apart, and none closes in the future.

import type { NodeFault } from '../chain/node-fault.ts'
import type { Anchor } from '../projections/anchors.ts'
import type { LedgerCloseTime } from '../projections/index-state.ts'
import type { NodeRange } from './chain-identity.ts'

/** Why a range contradicts itself or the clock; undefined when it is plausible. `latestCloseMaxSec` null: any close time is. */
export function findImpossible({ oldest, oldestLedger, latest, latestLedger }: NodeRange, latestCloseMaxSec: number | null): NodeFault | undefined {
  if (oldestLedger > latestLedger) return 'inverted_range'
  if (latestCloseMaxSec !== null && latest !== null && latest.closeSec > latestCloseMaxSec) return 'future_close_time'
  return oldest !== null && latest !== null && !isOrdered(oldest, latest) ? 'impossible_range' : undefined
}

/** Whether a range can belong to the chain of an anchor, judged by close times alone. A range that cannot is another chain's, or a lie. */
export function isPlausibleAfter(anchor: Anchor | null, { latest, latestLedger }: NodeRange, latestCloseMaxSec: number | null): boolean {
  if (anchor === null || anchor.closeSec === null) return true
  const known = { ledger: anchor.ledger, closeSec: anchor.closeSec }
  if (latest === null) return latestCloseMaxSec === null || latestLedger <= anchor.ledger || latestLedger - anchor.ledger <= latestCloseMaxSec - anchor.closeSec
  return known.ledger <= latest.ledger ? isOrdered(known, latest) : isOrdered(latest, known)
}

/** Whether `later` can follow `earlier` on one chain. */
function isOrdered(earlier: LedgerCloseTime, later: LedgerCloseTime): boolean {
  const ledgers = later.ledger - earlier.ledger
  const seconds = later.closeSec - earlier.closeSec
  return ledgers === 0 ? seconds === 0 : seconds >= ledgers
}
