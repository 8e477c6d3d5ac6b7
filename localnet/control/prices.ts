// local_setPrice and local_releasePrice: a hand on the publisher's prices.

import { nowSec } from '../../src/base/clock.ts'
import { applyInvocation, latestView } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { AMOUNT, ASSET, optional, readParams, integerBetween } from './params.ts'

/** A year; older attestations make no difference to anyone. */
const MAX_AGE_SEC = 365 * 86_400

/**
 * local_setPrice: the publisher writes this price now and holds it there, also while it is turned off otherwise. With `ageSeconds` the attestation is that
 * old, in this write and in those that follow while the price is held.
 */
export function localSetPrice({ chain, clock, actors, feed, lock }: Controls): ExtraMethod {
  return (params) =>
    lock.exclusive(async () => {
      const { asset, price, ageSeconds } = readParams(params, { asset: ASSET, price: AMOUNT, ageSeconds: optional(integerBetween(0, MAX_AGE_SEC)) })
      feed.hold(asset, { price, ageSec: ageSeconds ?? 0 })
      const { publisher } = actors
      const ledger = await applyInvocation(
        chain,
        publisher.client,
        () => {
          const view = latestView(chain)
          // The age is counted at the ledger that is about to close.
          const closesAtSec = Math.max(view.closeTimeSec + 1, nowSec(clock) + chain.clockOffsetSec)
          return publisher.writeCall([asset], closesAtSec, view.sequence)
        },
        { footprintName: `price of ${asset}` },
      )
      return { ledger }
    })
}

/** local_releasePrice: the walk goes on from the held price, for one asset or for all. */
export function localReleasePrice({ chain, feed, lock }: Controls): ExtraMethod {
  return (params) =>
    lock.exclusive(async () => {
      const { asset } = readParams(params, { asset: optional(ASSET) })
      feed.release(asset)
      return { ledger: latestView(chain).sequence }
    })
}
