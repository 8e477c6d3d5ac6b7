// Figures that cannot be true. Close times rise with ledgers, and none is in the future.

import type { Clock } from '../../base/clock.ts'
import { nowSec } from '../../base/clock.ts'
import { areOrdered } from '../../chain/rpc/close-times.ts'
import type { NodeFault } from '../../chain/rpc/node-fault.ts'
import type { Anchor } from '../../projections/state/anchors.ts'
import { closedLedger } from './chain-identity.ts'
import type { NodeRange } from './chain-identity.ts'
import type { ChainTrust } from './confirmation.ts'
import { BadPage } from '../pages/events-page.ts'
import type { CheckedPage } from '../pages/events-page.ts'

/** Checks of a node's reports by its own figures, the clock and an indexed ledger. Each throws BadPage for figures that cannot be true. */
export interface Plausibility {
  /** A range that contradicts itself or the clock. */
  assertPossible(range: NodeRange): void
  /** A range that cannot belong to the chain of the anchor, judged by close times alone. It is another chain's, or a lie. */
  assertFollows(anchor: Anchor | null, range: NodeRange): void
  /** A page whose ledgers, or those of its events, are more than their close times allow. */
  assertPage(page: CheckedPage): void
}

export function createPlausibility(clock: Clock, { closeAheadSec, minLedgerMs }: Pick<ChainTrust, 'closeAheadSec' | 'minLedgerMs'>): Plausibility {
  /** The latest close time that can be true; null: any can. */
  const latestMaxSec = (): number | null => (closeAheadSec === null ? null : nowSec(clock) + closeAheadSec)

  function findImpossible({ oldest, oldestLedger, latest, latestLedger }: NodeRange): NodeFault | undefined {
    const maxSec = latestMaxSec()
    if (oldestLedger > latestLedger) return 'inverted_range'
    if (maxSec !== null && latest !== null && latest.closeSec > maxSec) return 'future_close_time'
    return oldest !== null && latest !== null && !areOrdered(oldest, latest, minLedgerMs) ? 'impossible_range' : undefined
  }

  function follows(anchor: Anchor | null, { latest, latestLedger }: NodeRange): boolean {
    if (anchor === null || anchor.closeSec === null) return true
    const known = closedLedger(anchor, anchor.closeSec)
    if (latest !== null) return areOrdered(known, latest, minLedgerMs)
    const maxSec = latestMaxSec()
    return maxSec === null || latestLedger <= anchor.ledger || areOrdered(known, { ledger: latestLedger, closeSec: maxSec }, minLedgerMs)
  }

  function assertPossible(range: NodeRange): void {
    const fault = findImpossible(range)
    if (fault !== undefined) throw new BadPage(fault, 'the node reports an impossible range of ledgers')
  }

  return {
    assertPossible,
    assertFollows(anchor, range) {
      if (!follows(anchor, range)) throw new BadPage('impossible_range', 'the node\'s latest ledger contradicts an indexed one')
    },
    assertPage(page) {
      assertPossible(page)
      const [first] = page.events
      const last = page.events.at(-1)
      if (first === undefined || last === undefined || areOrdered(first, last, minLedgerMs)) return
      throw new BadPage('bad_events', 'the page has more ledgers than its close times allow')
    },
  }
}
