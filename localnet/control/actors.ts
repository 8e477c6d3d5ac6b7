import { latestView } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { BOOLEAN, optional, readParams } from './params.ts'

/** local_actors: enables and disables actors, and returns which are enabled. Pending transactions are applied before it returns. */
export function localActors(controls: Controls): ExtraMethod {
  const { chain, lock } = controls
  return (params) =>
    lock.run(async () => {
      const { actors } = controls
      const requested = readParams(params, { publisher: optional(BOOLEAN), keeper: optional(BOOLEAN), traders: optional(BOOLEAN) })
      const before = actors.enabledActors()
      actors.setEnabledActors({
        publisher: requested.publisher ?? before.publisher,
        keeper: requested.keeper ?? before.keeper,
        traders: requested.traders ?? before.traders,
      })
      if (chain.pending() > 0) chain.closeLedger()
      return { ledger: latestView(chain).sequence, ...actors.enabledActors() }
    })
}
