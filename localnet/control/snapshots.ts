// local_snapshot, local_restore, local_reset: save, restore or restart the whole chain. Prices and enabled actors are saved with it.

import { createCache } from '../../src/base/cache.ts'
import type { EnabledActors } from '../actors/actors.ts'
import type { FeedState } from '../actors/price-feed.ts'
import { latestView, resyncActors } from '../controls.ts'
import type { Controls } from '../controls.ts'
import { NEWEST_PROTOCOL, OLDEST_PROTOCOL } from '../ledger/protocol.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { GENERATIONS, setupLabel } from '../setup.ts'
import { BOOLEAN, integerBetween, oneOf, optional, readParams, TEXT } from './params.ts'

/** The chain drops its oldest snapshots too. */
const MAX_SAVED_STATES = 64

interface ActorsState {
  readonly feed: FeedState
  readonly enabledActors: EnabledActors
}

/** The three methods share the saved states. */
export function snapshots(controls: Controls): Readonly<Record<'local_snapshot' | 'local_restore' | 'local_reset', ExtraMethod>> {
  const { chain, feed, lock } = controls
  const states = createCache<string, ActorsState>(MAX_SAVED_STATES)

  function saveState(id: string): void {
    states.set(id, { feed: feed.state(), enabledActors: controls.actors.enabledActors() })
  }

  return {
    local_snapshot: (params) =>
      lock.run(async () => {
        readParams(params, {})
        const id = chain.snapshot()
        saveState(id)
        return { ledger: latestView(chain).sequence, id }
      }),
    local_restore: (params) =>
      lock.run(async () => {
        const { id } = readParams(params, { id: TEXT })
        chain.restore(id)
        const state = states.peek(id)
        // A snapshot from before a restart of the process has no saved state. Then the oracle's prices are used.
        await resyncActors(controls)
        feed.restore(state?.feed ?? null)
        if (state !== undefined) controls.actors.setEnabledActors(state.enabledActors)
        return { ledger: latestView(chain).sequence }
      }),
    local_reset: (params) =>
      lock.run(async () => {
        const { generation, newAddresses, protocol } = readParams(params, {
          generation: optional(oneOf(GENERATIONS)), newAddresses: optional(BOOLEAN), protocol: optional(integerBetween(OLDEST_PROTOCOL, NEWEST_PROTOCOL)),
        })
        const { setup } = controls
        const deployment = setup.deployment + (newAddresses === true ? 1 : 0)
        chain.reset({ genesisLabel: setupLabel({ generation: generation ?? setup.generation, deployment }), protocol: protocol ?? undefined })
        feed.restore(null)
        await resyncActors(controls)
        return { ledger: latestView(chain).sequence }
      }),
  }
}
