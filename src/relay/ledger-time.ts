// The ledger's time. The network compares a transaction's time bounds with ledger close times, which may be ahead of this machine's clock.

import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import { RpcFailure } from '../chain/failure.ts'
import type { Rpc } from '../chain/rpc.ts'

/** About the shortest time between two ledgers. */
export const LEDGER_TIME_TTL_MS = 1_000
export const LEDGER_TIME_TIMEOUT_MS = 2_000

export interface LedgerTime {
  /**
   * The later of this machine's time and the last close time, in Unix seconds. This machine's time when the node does not respond in time. An old close time
   * is ignored: the next ledger will close at the present time.
   */
  nowSec(): Promise<number>
}

/** Calls within LEDGER_TIME_TTL_MS share one read. */
export function createLedgerTime(parts: { readonly rpc: Rpc; readonly clock: Clock }): LedgerTime {
  const { rpc, clock } = parts
  let lastRead: { readonly atMs: number; readonly closeSec: Promise<number> } | undefined

  async function readCloseTime(): Promise<number> {
    const timeout = new AbortController()
    const timer = clock.setTimer(LEDGER_TIME_TIMEOUT_MS, () => timeout.abort())
    try {
      return (await rpc.getHealth({ signal: timeout.signal })).latestLedgerCloseSec ?? 0
    } catch (error) {
      // Falls back to this machine's time.
      if (error instanceof RpcFailure || timeout.signal.aborted) return 0
      throw error
    } finally {
      timer.cancel()
    }
  }

  return {
    async nowSec() {
      if (lastRead === undefined || clock.elapsedMs() - lastRead.atMs >= LEDGER_TIME_TTL_MS) lastRead = { atMs: clock.elapsedMs(), closeSec: readCloseTime() }
      const closeSec = await lastRead.closeSec
      return Math.max(nowSec(clock), closeSec)
    },
  }
}
