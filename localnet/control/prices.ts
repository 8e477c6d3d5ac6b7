// local_setPrice and local_releasePrice: control the publisher's prices.

import { nowSec } from '../../src/base/clock.ts'
import { applyInvocation, latestView } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { AMOUNT, ASSET, optional, readParams, integerBetween } from './params.ts'

/** One year. */
const MAX_AGE_SEC = 365 * 86_400

/**
 * local_setPrice: the publisher writes this price now, even when it is disabled, and holds it. With `ageSeconds`, this and all later attestations of the
 * held price are that old.
 */
export function localSetPrice(controls: Controls): ExtraMethod {
  const { chain, clock, feed, lock } = controls
  return (params) =>
    lock.run(async () => {
      const { asset, price, ageSeconds } = readParams(params, { asset: ASSET, price: AMOUNT, ageSeconds: optional(integerBetween(0, MAX_AGE_SEC)) })
      feed.hold(asset, { price, ageSec: ageSeconds ?? 0 })
      const { publisher } = controls.actors
      const ledger = await applyInvocation(
        chain,
        publisher.client,
        () => {
          const view = latestView(chain)
          // The age is relative to the ledger that closes next.
          const closesAtSec = Math.max(view.closeTimeSec + 1, nowSec(clock) + chain.clockOffsetSec)
          return publisher.writeCall([asset], closesAtSec, view.sequence)
        },
        { footprintName: `price of ${asset}` },
      )
      return { ledger }
    })
}

/** local_releasePrice: the random walk continues from the held price, for one asset or all. */
export function localReleasePrice({ chain, feed, lock }: Controls): ExtraMethod {
  return (params) =>
    lock.run(async () => {
      const { asset } = readParams(params, { asset: optional(ASSET) })
      feed.release(asset)
      return { ledger: latestView(chain).sequence }
    })
}
