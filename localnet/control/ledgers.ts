// local_closeLedger, local_advance, local_autoClose: control ledger closes and the ledger's clock.

import { nowSec } from '../../src/base/clock.ts'
import { latestView, step } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { BOOLEAN, optional, readParams, integerBetween } from './params.ts'

/** The most ledgers that one call closes. */
const MAX_CLOSES = 1_000
/** Ten years. */
const MAX_ADVANCE_SEC = 10 * 365 * 86_400

/** local_closeLedger: closes ledgers now. The enabled actors act before each. */
export function localCloseLedger(controls: Controls): ExtraMethod {
  return (params) =>
    controls.lock.run(async () => {
      const { count } = readParams(params, { count: optional(integerBetween(1, MAX_CLOSES)) })
      for (let closed = 0; closed < (count ?? 1); closed++) await step(controls)
      return { ledger: latestView(controls.chain).sequence }
    })
}

/** local_advance: advances the ledger's clock and closes one ledger at least that much after the last. The actors do not act. */
export function localAdvance({ chain, clock, lock }: Controls): ExtraMethod {
  return (params) =>
    lock.run(async () => {
      const { seconds } = readParams(params, { seconds: integerBetween(1, MAX_ADVANCE_SEC) })
      // Ledgers closed in quick succession are ahead of the clock. The step is added to that lead.
      const leadSec = latestView(chain).closeTimeSec - nowSec(clock) - chain.clockOffsetSec
      chain.advance(seconds + Math.max(0, leadSec))
      return { ledger: chain.closeLedger() }
    })
}

/** local_autoClose: starts or stops closing ledgers on a timer. */
export function localAutoClose({ chain, lock, pacer }: Controls): ExtraMethod {
  return (params) =>
    lock.run(async () => {
      const { enabled } = readParams(params, { enabled: BOOLEAN })
      if (enabled) pacer.start()
      else pacer.stop()
      return { ledger: latestView(chain).sequence, enabled: pacer.running }
    })
}
