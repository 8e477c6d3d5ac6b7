// The last use of each key: tracked in memory at each authentication, and stored in batches, so that no request waits for a write.

import type { Clock, Timer } from '../base/clock.ts'
import { waitAtMost } from '../base/deadline.ts'
import type { Log } from '../base/log.ts'

/** Interval at which new uses are stored. */
export const FLUSH_INTERVAL_MS = 1_000
/** The maximum number of keys in memory; the key tracked first is evicted. */
export const MAX_TRACKED_KEYS = 20_000
/** The last flush at shutdown is abandoned after this time. */
const FINAL_FLUSH_TIMEOUT_MS = 2_000

export interface LastUsedTracker extends AsyncDisposable {
  /** Records a use of the key now. */
  record(keyId: string): void
  /** The last use in this process, in Unix milliseconds; undefined when there is none in memory. */
  lastAtMs(keyId: string): number | undefined
}

export interface LastUsedTrackerOptions {
  readonly clock: Clock
  readonly log: Log
  /** Stores last uses: Unix milliseconds by key id. Calls do not overlap. */
  readonly write: (uses: ReadonlyMap<string, number>) => Promise<void>
}

export function createLastUsedTracker({ clock, log, write }: LastUsedTrackerOptions): LastUsedTracker {
  // Entries stay after the write: a reader whose statement began before it still needs the newest time.
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
    const batch = new Map([...unwritten].map((keyId) => [keyId, lastAtMs.get(keyId) ?? 0]))
    unwritten.clear()
    try {
      await write(batch)
      writeFailing = false
    } catch (cause) {
      for (const keyId of batch.keys()) unwritten.add(keyId)
      if (!writeFailing) log.warn({ err: cause }, 'the last uses of API keys cannot be stored: keeping them in memory and retrying')
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
      const finish = async (): Promise<void> => {
        await flushing
        if (unwritten.size > 0) await flush()
      }
      await waitAtMost(clock, FINAL_FLUSH_TIMEOUT_MS, finish())
      timer?.cancel()
    },
  }
}
