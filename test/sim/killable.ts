// What a process is to a simulation: somebody who does one thing after the other through doors, and may die before or after any of them. A dead one is not
// told so: what it asked is never answered, and nothing of what it wants happens any more.

import { createCallCounter } from '../support/tracked-store.ts'

/** Raised inside a transaction of a process that dies in it, so that the database rolls it back as it does for a connection that is gone. */
class ProcessDied extends Error {
  override readonly name = 'ProcessDied'
}

export interface Killable {
  isDead(): boolean
  kill(): void
  /** Called when it dies. */
  onKilled(callback: () => void): void
  /**
   * Passes a door: two steps, before and after, at each of which it may die. `work` does not begin when it is dead before, and nobody hears of its end when
   * it is dead after. While `isBusy`, virtual time stands still.
   */
  run<T>(work: () => Promise<T>, isBusy: boolean): Promise<T>
  /** Ends as `work` does, or with an error as soon as the process is dead: for what must not be left open. */
  whileAlive<T>(work: () => Promise<T>): Promise<T>
  /** One step without a door. */
  checkpoint(): void
  /** How many calls are under way that virtual time waits for. */
  busy(): number
  /** Counts as such a call. */
  track<T>(work: () => Promise<T>): Promise<T>
}

/** `isLast` is asked at each step whether it is the last one. */
export function createKillable(isLast: () => boolean): Killable {
  const died = Promise.withResolvers<never>()
  died.promise.catch(() => {})
  const callbacks: (() => void)[] = []
  let isDead = false
  const { running, track } = createCallCounter()

  function die(): void {
    if (isDead) return
    isDead = true
    died.reject(new ProcessDied('this process is dead'))
    for (const callback of callbacks) callback()
  }

  function step(): void {
    if (!isDead && isLast()) die()
  }

  const never = <T>(): Promise<T> => new Promise(() => {})
  return {
    isDead: () => isDead,
    kill: die,
    onKilled: (callback) => void callbacks.push(callback),
    async run(work, isBusy) {
      step()
      if (isDead) return never()
      try {
        const value = await (isBusy ? track(work) : work())
        step()
        return isDead ? await never() : value
      } catch (error) {
        step()
        if (isDead) return never()
        throw error
      }
    },
    whileAlive: (work) => Promise.race([work(), died.promise]),
    checkpoint: step,
    busy: running,
    track,
  }
}
