// local_closeLedger, local_advance, local_autoClose: a hand on the ledger's clock.

import { nowSec } from '../../src/base/clock.ts'
import { latestView, step } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { BOOLEAN, optional, readParams, integerBetween } from './params.ts'

/** One call closes this many ledgers at most. */
const MAX_CLOSES = 1_000
/** One call steps the clock by ten years at most. */
const MAX_ADVANCE_SEC = 10 * 365 * 86_400

/** local_closeLedger: closes ledgers now; the actors at work take their turn before each. */
export function localCloseLedger(controls: Controls): ExtraMethod {
  return (params) =>
    controls.lock.exclusive(async () => {
      const { count } = readParams(params, { count: optional(integerBetween(1, MAX_CLOSES)) })
      for (let closed = 0; closed < (count ?? 1); closed++) await step(controls)
      return { ledger: latestView(controls.chain).sequence }
    })
}

/** local_advance: steps the ledger's clock and closes one ledger, at least that much after the last; without a turn of the actors. */
export function localAdvance({ chain, clock, lock }: Controls): ExtraMethod {
  return (params) =>
    lock.exclusive(async () => {
      const { seconds } = readParams(params, { seconds: integerBetween(1, MAX_ADVANCE_SEC) })
      // Ledgers that were closed in quick succession have run ahead of the clock; that lead is no part of the step.
      const leadSec = latestView(chain).closeTimeSec - nowSec(clock) - chain.clockOffsetSec
      chain.advance(seconds + Math.max(0, leadSec))
      return { ledger: chain.closeLedger() }
    })
}

/** local_autoClose: stops or starts closing by the clock. */
export function localAutoClose({ chain, lock, pacer }: Controls): ExtraMethod {
  return (params) =>
    lock.exclusive(async () => {
      const { enabled } = readParams(params, { enabled: BOOLEAN })
      if (enabled) pacer.start()
      else pacer.stop()
      return { ledger: latestView(chain).sequence, enabled: pacer.running }
    })
}
