// When each key was used last: exact in memory at each authentication, written down in groups, so that no request waits for a write.

import type { Clock, Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'

/** How often uses are written down, while there are any. */
export const FLUSH_INTERVAL_MS = 1_000
/** So many keys' last uses are kept; beyond, the one that came first is left as it was written down. */
export const MAX_TRACKED_KEYS = 20_000
/** At the end the last uses are written down if that takes no longer than this. */
const FINAL_FLUSH_TIMEOUT_MS = 2_000

export interface LastUsedTracker extends AsyncDisposable {
  /** Notes that a key is used now. */
  record(keyId: string): void
  /** When this process saw the key used last, milliseconds; undefined when it did not, or has forgotten. */
  lastAtMs(keyId: string): number | undefined
}

export interface LastUsedTrackerOptions {
  readonly clock: Clock
  readonly log: Log
  /** Writes last uses down, milliseconds by key id. Called again only after it has settled. */
  readonly write: (uses: ReadonlyMap<string, number>) => Promise<void>
}

export function createLastUsedTracker({ clock, log, write }: LastUsedTrackerOptions): LastUsedTracker {
  // Kept when it is written down too: a reader whose statement began before the write still merges the newest.
  const lastAtMs = new Map<string, number>()
  const unwritten = new Set<string>()
  let timer: Timer | undefined
  let flushing: Promise<void> | undefined
  let writeFailing = false

  function scheduleFlush(): void {
    timer ??= clock.setTimer(FLUSH_INTERVAL_MS, () => {
      timer = undefined
      flushing ??= flush().finally(() => (flushing = undefined))
    })
  }

  async function flush(): Promise<void> {
    const group = new Map([...unwritten].map((keyId) => [keyId, lastAtMs.get(keyId) ?? 0]))
    unwritten.clear()
    try {
      await write(group)
      writeFailing = false
    } catch (cause) {
      for (const keyId of group.keys()) unwritten.add(keyId)
      if (!writeFailing) log.warn({ err: cause }, 'when keys were used last cannot be written down; it is kept in memory meanwhile')
      writeFailing = true
    }
    if (unwritten.size > 0) scheduleFlush()
  }

  return {
    record(keyId) {
      if (!lastAtMs.has(keyId) && lastAtMs.size >= MAX_TRACKED_KEYS) {
        const [oldest = ''] = lastAtMs.keys()
        lastAtMs.delete(oldest)
        unwritten.delete(oldest)
      }
      lastAtMs.set(keyId, clock.nowMs())
      unwritten.add(keyId)
      if (timer === undefined && flushing === undefined) scheduleFlush()
    },
    lastAtMs: (keyId) => lastAtMs.get(keyId),
    async [Symbol.asyncDispose]() {
      const waited = new AbortController()
      const finish = async (): Promise<void> => {
        await flushing
        if (unwritten.size > 0) await flush()
      }
      await Promise.race([finish(), clock.sleep(FINAL_FLUSH_TIMEOUT_MS, waited.signal)])
      waited.abort()
      timer?.cancel()
    },
  }
}
