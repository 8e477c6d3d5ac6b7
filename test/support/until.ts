// Waiting for something that comes about by itself, without time passing.

import { setImmediate, setTimeout } from 'node:timers/promises'

/** What needs nothing but this process comes about within so many turns of the event loop. */
const TURNS_AT_ONCE = 1_000
/** Far longer than anything needs that also waits for a database or a socket, on a machine that is busy with other things. */
const PATIENCE_MS = 60_000

/** Lets the process work until the condition holds; fails with `what` when it does not come about. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS
  for (let turns = 0; ; turns++) {
    if (await condition()) return
    if (performance.now() > deadlineMs) throw new Error(`waited in vain for ${what}`)
    // A loop that only turned would keep a core from whoever is waited for.
    await (turns < TURNS_AT_ONCE ? setImmediate() : setTimeout(1))
  }
}

/** Lets the process work until nobody has been busy for so many turns of the event loop: then only time can make anything happen. */
export async function untilIdle(busy: () => boolean, quietTurns: number): Promise<void> {
  for (let quiet = 0; quiet < quietTurns; quiet++) {
    await setImmediate()
    if (!busy()) continue
    await until(() => !busy(), 'a call of the database to end')
    quiet = -1
  }
}
