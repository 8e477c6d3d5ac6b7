import { latestView } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { BOOLEAN, optional, readParams } from './params.ts'

/** local_actors: turns actors on and off, and answers who is at work. What the others still had under way is on the ledger when it answers. */
export function localActors({ chain, actors, lock }: Controls): ExtraMethod {
  return (params) =>
    lock.exclusive(async () => {
      const given = readParams(params, { publisher: optional(BOOLEAN), keeper: optional(BOOLEAN), traders: optional(BOOLEAN) })
      const before = actors.enabledActors()
      actors.setEnabledActors({
        publisher: given.publisher ?? before.publisher,
        keeper: given.keeper ?? before.keeper,
        traders: given.traders ?? before.traders,
      })
      if (chain.pending() > 0) chain.closeLedger()
      return { ledger: latestView(chain).sequence, ...actors.enabledActors() }
    })
}
