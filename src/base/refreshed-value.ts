// A value that takes a slow read: served from memory, and renewed in the background. Requests wait for a read only while none has failed.

import type { Clock } from './clock.ts'
import { waitAtMost } from './deadline.ts'

export interface RefreshedValue<T> {
  /** The value for this key with its age; null while it is unknown. Waits for a limited time. Never rejects unless `read` does. */
  get(key: string): Promise<{ readonly value: T; readonly ageMs: number } | null>
  /** The value for this key, if it is younger than `freshMs`. */
  fresh(key: string): T | undefined
  /** The value for this key as `get` would return it without waiting. Renews it in the background when it is due. */
  known(key: string): T | null
}

export interface RefreshedValueOptions<T> {
  readonly clock: Clock
  /** Null when the value cannot be read now. It must end within a limited time. */
  readonly read: () => Promise<T | null>
  /** A younger value is not read again, and a failed read is not repeated sooner. */
  readonly freshMs: number
  /** Requests for an older value wait for the next read. */
  readonly staleMs: number
  /** An older value is not served. */
  readonly servedMs: number
  /** Time that a read may take before requests no longer wait for it. */
  readonly waitMs: number
}

interface Read<T> {
  readonly key: string
  readonly startedAtMs: number
  readonly done: Promise<T | null>
}

export function createRefreshedValue<T>({ clock, read, freshMs, staleMs, servedMs, waitMs }: RefreshedValueOptions<T>): RefreshedValue<T> {
  let last: { readonly key: string; readonly value: T; readonly readAtMs: number } | null = null
  let inFlight: Read<T> | null = null
  /** The last read, if it failed. */
  let failure: { readonly key: string; readonly atMs: number } | null = null

  async function run(key: string): Promise<T | null> {
    const value = await read()
    failure = value === null ? { key, atMs: clock.elapsedMs() } : null
    if (value !== null) last = { key, value, readAtMs: clock.elapsedMs() }
    return value
  }

  function refresh(key: string): Read<T> {
    if (inFlight?.key === key) return inFlight
    const done = run(key).finally(() => {
      if (inFlight === started) inFlight = null
    })
    const started: Read<T> = { key, startedAtMs: clock.elapsedMs(), done }
    inFlight = started
    // Those who wait get the error; without them, the next request reads again.
    done.catch(() => {})
    return started
  }

  /** Waits for the read, unless it has taken too long already. */
  async function waitFor({ startedAtMs, done }: Read<T>): Promise<void> {
    const remainingMs = startedAtMs + waitMs - clock.elapsedMs()
    if (remainingMs > 0) await waitAtMost(clock, remainingMs, done)
  }

  const ageOf = (key: string): number => (last?.key === key ? clock.elapsedMs() - last.readAtMs : Infinity)
  const youngerThan = (key: string, maxMs: number): T | undefined => (ageOf(key) < maxMs ? last?.value : undefined)

  /** The read that is due, unless one has just failed. */
  function refreshWhenDue(key: string): Read<T> | null {
    if (ageOf(key) < freshMs || (failure?.key === key && clock.elapsedMs() - failure.atMs < freshMs)) return null
    return refresh(key)
  }

  return {
    fresh: (key) => youngerThan(key, freshMs),
    async get(key) {
      const hasFailed = failure?.key === key
      const reading = refreshWhenDue(key)
      if (reading !== null && !hasFailed && ageOf(key) >= staleMs) await waitFor(reading)
      const value = youngerThan(key, servedMs)
      return value === undefined ? null : { value, ageMs: ageOf(key) }
    },
    known(key) {
      refreshWhenDue(key)
      return youngerThan(key, servedMs) ?? null
    },
  }
}
