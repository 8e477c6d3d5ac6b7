// Evidence that the network was reset: a node's headers contradict the anchors, check after check, and the other chain keeps growing by hashes that chain.

import type { Clock } from '../../base/clock.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { LedgerHeader } from '../../chain/codec/ledger-header.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Anchor } from '../../projections/state/anchors.ts'
import { readHeader, readRange, readTip, relate } from './chain-identity.ts'
import { createConfirmation } from './confirmation.ts'
import type { ChainTrust } from './confirmation.ts'
import { BadPage } from '../pages/events-page.ts'

/** A single ledger proves nothing: it contains no hash of another one that was read. */
const MIN_HEADERS = 2

export interface ResetEvidence {
  /** Adds the last headers of a node whose chain contradicts the anchors. True once a reset is proven. */
  add(tip: readonly LedgerHeader[], call: CallOptions): Promise<boolean>
  /** True if any of several nodes still serves the chain of these anchors, or may do so. */
  isRefuted(anchors: readonly Anchor[], call: CallOptions): Promise<boolean>
  reset(): void
}

export function createResetEvidence({ rpc, clock, trust }: { readonly rpc: Rpc; readonly clock: Clock; readonly trust: ChainTrust }): ResetEvidence {
  const { confirmMs, minLedgerMs } = trust
  const confirmation = createConfirmation(clock, confirmMs)
  let first: LedgerHeader | undefined
  let last: LedgerHeader | undefined

  /** True when the node still has the last header of the previous check. */
  async function continues(previous: LedgerHeader, tip: readonly LedgerHeader[], call: CallOptions): Promise<boolean> {
    const found = tip.find(({ sequence }) => sequence === previous.sequence) ?? (await readHeader(rpc, previous.sequence, call))
    return found?.hash === previous.hash
  }

  return {
    async add(tip, call) {
      const newest = tip.at(-1)
      if (newest === undefined || tip.length < MIN_HEADERS) return false
      if (last !== undefined && !(await continues(last, tip, call))) {
        confirmation.reset()
        first = undefined
      }
      first ??= newest
      last = newest
      const hasGrown = confirmMs === 0 || newest.sequence > first.sequence
      return confirmation.confirm() && hasGrown
    },
    async isRefuted(anchors, call) {
      for (let endpoint = 0; rpc.endpoints > 1 && endpoint < rpc.endpoints; endpoint++) {
        try {
          const pinned = { ...call, endpoint }
          const range = await readRange(rpc, pinned)
          if ((await relate(rpc, anchors, { range, tip: await readTip(rpc, range, pinned), minLedgerMs }, pinned)) === 'same') return true
        } catch (error) {
          if (!(error instanceof RpcFailure) && !(error instanceof BadPage)) throw error
          // Its headers cannot be read, so it may serve the known chain, after an upgrade of the network.
          if (error instanceof RpcFailure && error.newer !== undefined) return true
        }
      }
      return false
    },
    reset() {
      confirmation.reset()
      first = undefined
      last = undefined
    },
  }
}
