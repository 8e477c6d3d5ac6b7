// local_snapshot, local_restore, local_reset: the whole chain, kept, put back, or begun anew. The actors' world is kept with it.

import type { EnabledActors } from '../actors/actors.ts'
import type { FeedState } from '../actors/price-feed.ts'
import { latestView, resyncActors } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { readParams, TEXT } from './params.ts'

/** The chain drops its oldest snapshots too; what is remembered here beside them is little. */
const MAX_SAVED_STATES = 64

interface ActorsState {
  readonly feed: FeedState
  readonly enabledActors: EnabledActors
}

/** The three methods share what they remember. */
export function snapshots(controls: Controls): Readonly<Record<'local_snapshot' | 'local_restore' | 'local_reset', ExtraMethod>> {
  const { chain, actors, feed, lock } = controls
  const worlds = new Map<string, ActorsState>()

  function saveState(id: string): void {
    worlds.set(id, { feed: feed.state(), enabledActors: actors.enabledActors() })
    const [oldest] = worlds.keys()
    if (worlds.size > MAX_SAVED_STATES && oldest !== undefined) worlds.delete(oldest)
  }

  return {
    local_snapshot: (params) =>
      lock.exclusive(async () => {
        readParams(params, {})
        const id = chain.snapshot()
        saveState(id)
        return { ledger: latestView(chain).sequence, id }
      }),
    local_restore: (params) =>
      lock.exclusive(async () => {
        const { id } = readParams(params, { id: TEXT })
        chain.restore(id)
        const world = worlds.get(id)
        // A snapshot from before a restart of the process comes without the actors' world: the oracle's prices are all that is known of it.
        await resyncActors(controls)
        feed.restore(world?.feed ?? null)
        if (world !== undefined) actors.setEnabledActors(world.enabledActors)
        return { ledger: latestView(chain).sequence }
      }),
    local_reset: (params) =>
      lock.exclusive(async () => {
        readParams(params, {})
        chain.reset()
        feed.restore(null)
        await resyncActors(controls)
        return { ledger: latestView(chain).sequence }
      }),
  }
}
