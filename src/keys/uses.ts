// When each key was used last: exact in memory at each authentication, written down in groups, so that no request waits for a write.

import type { Clock, Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'

/** How often uses are written down, while there are any. */
export const WRITE_USES_MS = 1_000
/** So many keys' last uses are kept; beyond, the one that came first is left as it was written down. */
export const MAX_KEPT_USES = 20_000
/** At the end the last uses are written down if that takes no longer than this. */
const LAST_WRITE_WAIT_MS = 2_000

export interface Uses extends AsyncDisposable {
  /** Notes that a key is used now. */
  note(keyId: string): void
  /** When this process saw the key used last, milliseconds; undefined when it did not, or has forgotten. */
  lastAtMs(keyId: string): number | undefined
}

export interface UsesOptions {
  readonly clock: Clock
  readonly log: Log
  /** Writes last uses down, milliseconds by key id. Called again only after it has settled. */
  readonly write: (uses: ReadonlyMap<string, number>) => Promise<void>
}

export function createUses({ clock, log, write }: UsesOptions): Uses {
  // Kept when it is written down too: a reader whose statement began before the write still merges the newest.
  const lastAtMs = new Map<string, number>()
  const unwritten = new Set<string>()
  let timer: Timer | undefined
  let writing: Promise<void> | undefined
  let failing = false

  function arm(): void {
    timer ??= clock.setTimer(WRITE_USES_MS, () => {
      timer = undefined
      writing ??= writeDown().finally(() => (writing = undefined))
    })
  }

  async function writeDown(): Promise<void> {
    const group = new Map([...unwritten].map((keyId) => [keyId, lastAtMs.get(keyId) ?? 0]))
    unwritten.clear()
    try {
      await write(group)
      failing = false
    } catch (cause) {
      for (const keyId of group.keys()) unwritten.add(keyId)
      if (!failing) log.warn({ err: cause }, 'when keys were used last cannot be written down; it is kept in memory meanwhile')
      failing = true
    }
    if (unwritten.size > 0) arm()
  }

  return {
    note(keyId) {
      if (!lastAtMs.has(keyId) && lastAtMs.size >= MAX_KEPT_USES) {
        const [oldest = ''] = lastAtMs.keys()
        lastAtMs.delete(oldest)
        unwritten.delete(oldest)
      }
      lastAtMs.set(keyId, clock.nowMs())
      unwritten.add(keyId)
      if (timer === undefined && writing === undefined) arm()
    },
    lastAtMs: (keyId) => lastAtMs.get(keyId),
    async [Symbol.asyncDispose]() {
      const waited = new AbortController()
      const finish = async (): Promise<void> => {
        await writing
        if (unwritten.size > 0) await writeDown()
      }
      await Promise.race([finish(), clock.sleep(LAST_WRITE_WAIT_MS, waited.signal)])
      waited.abort()
      timer?.cancel()
    },
  }
}
