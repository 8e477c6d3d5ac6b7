// Waiting for something that comes about by itself, without time passing.

import { setImmediate } from 'node:timers/promises'

/** Far more turns of the event loop than anything inside one process needs. */
const TURNS_MAX = 100_000

/** Lets the process work until the condition holds; fails with `what` when it does not come about. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (let turns = 0; turns < TURNS_MAX; turns++) {
    if (condition()) return
    await setImmediate()
  }
  throw new Error(`waited in vain for ${what}`)
}
