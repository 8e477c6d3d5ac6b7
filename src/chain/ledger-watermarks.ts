// How far the ledger had come when this gateway last saw something of an account: a transaction applied, or its entries read. A node may lag behind that, and
// would then answer with a sequence number that is used up, or take back what was told before.

import type { Clock } from '../base/clock.ts'

/** Accounts that are remembered; the oldest gives way. */
export const MAX_WATERMARKS = 4_096
/** A node calls itself unhealthy when it is further behind than this, so nothing is to be remembered longer. */
export const WATERMARK_TTL_MS = 30_000

export interface LedgerWatermarks {
  /** Something of `account` was seen in `ledger`. */
  record(account: string, ledger: number): void
  /** The ledger below which nothing is to be believed of `account`; 0 when nothing is known. */
  get(account: string): number
}

export function createLedgerWatermarks(clock: Clock): LedgerWatermarks {
  const marks = new Map<string, { readonly ledger: number; readonly atMs: number }>()
  function freshMark(account: string): number {
    const mark = marks.get(account)
    return mark === undefined || clock.elapsedMs() - mark.atMs >= WATERMARK_TTL_MS ? 0 : mark.ledger
  }

  return {
    record(account, ledger) {
      // An older one stays as it is and ends in its time: after a reset of the network it would otherwise be above every ledger for good.
      if (ledger < freshMark(account)) return
      // Again at the end of the line: the map's order is the order of age.
      marks.delete(account)
      marks.set(account, { ledger, atMs: clock.elapsedMs() })
      for (const oldest of marks.keys()) {
        if (marks.size <= MAX_WATERMARKS) break
        marks.delete(oldest)
      }
    },
    get: freshMark,
  }
}
