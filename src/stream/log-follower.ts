// Publishes each notification's rows or reads the log for them. Reads it too when none came for an interval, because notifications can be lost.

import type { Clock, Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { INDEX_CHANNEL } from '../projections/state/index-state.ts'
import type { Store } from '../store/store.ts'

/** The longest delay that a lost notification can cause. */
const FALLBACK_INTERVAL_MS = 1_000

export interface FollowerOptions {
  readonly store: Pick<Store, 'listen'>
  readonly clock: Clock
  readonly log: Log
  /** Parses a notification that will probably be published next. */
  readonly prepareNotified: (payload: string) => void
  /** Publishes the rows that the notification carries. False when the log has to be read instead. */
  readonly publishNotified: (payload: string) => boolean
  readonly catchUp: () => Promise<void>
}

/** Follows the log until the signal aborts. Never rejects. */
export async function followLog({ store, clock, log, prepareNotified, publishNotified, catchUp }: FollowerOptions, signal: AbortSignal): Promise<void> {
  let woken = Promise.withResolvers<void>()
  const wake = (): void => woken.resolve()
  let fallback: Timer | undefined
  const onNotification = (payload: string): void => {
    if (!publishNotified(payload)) return wake()
    // What was published follows all that was before it, so nothing is missing. A read now would only delay the next commit.
    if (fallback === undefined) return
    fallback.cancel()
    fallback = clock.setTimer(FALLBACK_INTERVAL_MS, wake)
  }
  signal.addEventListener('abort', wake, { once: true })
  const stopListening = await store.listen(INDEX_CHANNEL, onNotification, { prepare: prepareNotified }).catch(() => undefined)
  let failing = false
  while (!signal.aborted) {
    woken = Promise.withResolvers<void>()
    try {
      await catchUp()
      if (failing) log.info({}, 'the stream reads the log again')
      failing = false
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'the stream cannot read the log: retrying; clients receive the missing frames later')
      failing = true
    }
    fallback = clock.setTimer(FALLBACK_INTERVAL_MS, wake)
    await woken.promise
    fallback.cancel()
    fallback = undefined
  }
  await stopListening?.()
}

/** Runs `work` one call at a time. Calls during a run share one further run: the current one may have read before what they wait for was committed. */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let requested = false

  async function run(): Promise<void> {
    try {
      do {
        requested = false
        await work()
      } while (requested)
    } finally {
      // Cleared here and not in a later microtask: a call in between would be lost.
      running = undefined
    }
  }

  return () => {
    if (running !== undefined) requested = true
    return (running ??= run())
  }
}
