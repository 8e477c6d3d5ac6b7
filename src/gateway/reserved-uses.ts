// Connects the caps of keys to the transactions that use them.

import type { Clock } from '../base/clock.ts'
import { settleUse, sweepUses } from '../keys/cap-uses.ts'
import type { Writer } from '../store/store.ts'
import type { ReservedUses } from '../trading/reserved-uses.ts'

/** The reservations that transactions hold from the caps of keys. */
export function reservedUses(db: Writer, clock: Clock): ReservedUses {
  return {
    settle: (tx, hash, outcome) => settleUse(tx, hash, outcome, clock.nowMs()),
    sweep: async () => void (await sweepUses(db, clock.nowMs())),
  }
}
