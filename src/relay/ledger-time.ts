// What time it is on the ledger. The network judges a transaction's end by its own close times, which may be ahead of this machine's clock.

import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import { RpcFailure } from '../chain/failure.ts'
import type { Rpc } from '../chain/rpc.ts'

/** An answer is good for about as long as the shortest time between two ledgers. */
export const LEDGER_TIME_TTL_MS = 1_000
/** Nobody's preparation waits longer for the time than this. */
export const LEDGER_TIME_TIMEOUT_MS = 2_000

export interface LedgerTime {
  /**
   * The later of this machine's time and the last close time, Unix seconds; this machine's alone where the node does not tell in time. A ledger that is
   * behind is not followed: its next close time will be the present.
   */
  nowSec(): Promise<number>
}

/** One call at a time, shared by all who ask meanwhile and shortly after. */
export function createLedgerTime(parts: { readonly rpc: Rpc; readonly clock: Clock }): LedgerTime {
  const { rpc, clock } = parts
  let lastRead: { readonly atMs: number; readonly closeSec: Promise<number> } | undefined

  async function readCloseTime(): Promise<number> {
    const giveUp = new AbortController()
    const timer = clock.setTimer(LEDGER_TIME_TIMEOUT_MS, () => giveUp.abort())
    try {
      return (await rpc.getHealth({ signal: giveUp.signal })).latestLedgerCloseSec ?? 0
    } catch (error) {
      // An unhealthy node has no close time worth following.
      if (error instanceof RpcFailure || giveUp.signal.aborted) return 0
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
