// The ledger's time for time bounds. The network compares them with close times, so this machine's clock must not decide how long a transaction is valid.

import type { Clock } from '../../base/clock.ts'
import { nowSec } from '../../base/clock.ts'
import type { LedgerClock } from '../../base/ledger-clock.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { withTimeout } from '../../chain/rpc/with-timeout.ts'

/** About the shortest time between two ledgers. */
export const LEDGER_TIME_TTL_MS = 1_000
export const LEDGER_TIME_TIMEOUT_MS = 2_000
/** A node calls itself unhealthy when its last ledger closed longer ago, so a clock that is further ahead is wrong. */
const AGREEMENT_SEC = 30

export interface BoundsTime {
  /**
   * The present time in Unix seconds, for time bounds. The later of this machine's time and the ledger's (the last close time and what has passed since it was
   * seen), and the ledger's alone when they differ by more than a ledger takes to be seen. This machine's time while no node has reported a ledger: a node
   * whose last ledger is old reports none.
   */
  nowSec(): Promise<number>
}

/** Calls within LEDGER_TIME_TTL_MS share one read. */
export function createBoundsTime(parts: { readonly rpc: Rpc; readonly clock: Clock; readonly ledgerClock: LedgerClock }): BoundsTime {
  const { rpc, clock, ledgerClock } = parts
  let lastRead: { readonly atMs: number; readonly done: Promise<void> } | undefined

  async function readLedger(): Promise<void> {
    try {
      const limits = { limitMs: LEDGER_TIME_TIMEOUT_MS, method: 'getHealth' }
      const { latestLedger: ledger, latestLedgerCloseSec: closeSec } = await withTimeout(clock, limits, (signal) => rpc.getHealth({ signal }))
      if (closeSec !== null) ledgerClock.observe({ ledger, closeSec })
    } catch (error) {
      // The time runs on from the ledger before.
      if (!(error instanceof RpcFailure)) throw error
    }
  }

  return {
    async nowSec() {
      if (lastRead === undefined || clock.elapsedMs() - lastRead.atMs >= LEDGER_TIME_TTL_MS) lastRead = { atMs: clock.elapsedMs(), done: readLedger() }
      await lastRead.done
      const ledgerMs = ledgerClock.nowMs()
      if (ledgerMs === null) return nowSec(clock)
      const ledgerSec = Math.floor(ledgerMs / 1000)
      return nowSec(clock) - ledgerSec > AGREEMENT_SEC ? ledgerSec : Math.max(nowSec(clock), ledgerSec)
    },
  }
}
