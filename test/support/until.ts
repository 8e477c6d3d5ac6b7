// Waits for conditions in real time, while virtual time does not advance.

import { setImmediate, setTimeout } from 'node:timers/promises'

/** Conditions that depend on this process only hold within this many turns of the event loop. */
const FAST_TURNS = 1_000
/** For conditions that depend on a database or a socket, on a busy machine. */
const TIMEOUT_MS = 60_000

/** Resolves when the condition holds; fails after a minute. */
export async function until(condition: () => boolean | Promise<boolean>, expectation: string): Promise<void> {
  const deadlineMs = performance.now() + TIMEOUT_MS
  for (let turns = 0; ; turns++) {
    if (await condition()) return
    if (performance.now() > deadlineMs) throw new Error(`timed out waiting for ${expectation}`)
    // Spinning would take a core from the work that is awaited.
    await (turns < FAST_TURNS ? setImmediate() : setTimeout(1))
  }
}

/**
 * Repeats `step` until the promise has settled, at most `stepsMax` times, and returns the promise. `idle` resolves when only a step can make something happen.
 */
export async function stepUntilSettled<T>(
  work: Promise<T>, { idle, step, stepsMax }: { readonly idle: () => Promise<void>; readonly step: () => void | Promise<void>; readonly stepsMax: number },
): Promise<T> {
  let isSettled = false
  // The caller handles a rejection.
  const settled = work.then(() => {}, () => {}).then(() => void (isSettled = true))
  for (let steps = 0; steps < stepsMax && !isSettled; steps++) {
    await Promise.race([settled, idle()])
    if (!isSettled) await step()
  }
  return await work
}

/** Resolves when nothing has been busy for this many turns of the event loop. */
export async function untilIdle(busy: () => boolean, quietTurns: number): Promise<void> {
  for (let quiet = 0; quiet < quietTurns; quiet++) {
    await setImmediate()
    if (!busy()) continue
    await until(() => !busy(), 'a database call to end')
    quiet = -1
  }
}

/** Arrivals that tests wait for. */
interface Arrivals {
  /** Something has arrived. */
  changed(): void
  /** Nothing arrives any more: each `wait` without a result rejects. */
  end(): void
  /** Resolves with the result of `find` as soon as it is not undefined. The error names `expectation`; without `limitMs` only the end is an error. */
  wait<Found>(find: () => Found | undefined, expectation: string, limitMs?: number): Promise<Found>
}

/** @param describe - what has arrived, for error messages */
export function createArrivals(describe: () => string): Arrivals {
  const checks = new Set<() => void>()
  let hasEnded = false
  const changed = (): void => checks.forEach((check) => check())

  return {
    changed,
    end() {
      hasEnded = true
      changed()
    },
    async wait<Found>(find: () => Found | undefined, expectation: string, limitMs?: number) {
      const { promise, resolve, reject } = Promise.withResolvers<Found>()
      const fail = (problem: string): void => {
        checks.delete(check)
        reject(new Error(`${problem} ${expectation}: ${describe()}`))
      }
      const check = (): void => {
        const found = find()
        if (found === undefined && !hasEnded) return
        // At once: `find` may take what it returns.
        checks.delete(check)
        if (found === undefined) fail('it ended without')
        else resolve(found)
      }
      const timer = limitMs === undefined ? undefined : globalThis.setTimeout(() => fail('timed out waiting for'), limitMs)
      checks.add(check)
      check()
      return await promise.finally(() => clearTimeout(timer))
    },
  }
}
