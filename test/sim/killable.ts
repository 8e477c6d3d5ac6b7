// A simulated process as a sequence of operations that may be killed before or after each. A killed process gets no responses, and nothing it started takes
// effect any more.

import { createCallCounter } from '../support/tracked-store.ts'

/** Thrown inside a transaction of a killed process, so that the database rolls it back as for a lost connection. */
class ProcessKilled extends Error {
  override readonly name = 'ProcessKilled'
}

export interface Killable {
  isDead(): boolean
  kill(): void
  onKilled(callback: () => void): void
  /**
   * Runs one operation between two checkpoints. Does not start `work` after a kill and never resolves after one. While `isBusy`, virtual time does not advance.
   */
  run<T>(work: () => Promise<T>, isBusy: boolean): Promise<T>
  /** Settles as `work` does, or rejects when the process is killed: for work that must not stay open. */
  whileAlive<T>(work: () => Promise<T>): Promise<T>
  /** A point at which the process may be killed. */
  checkpoint(): void
  /** The number of running calls that virtual time waits for. */
  busy(): number
  /** Counts `work` as such a call. */
  track<T>(work: () => Promise<T>): Promise<T>
}

/** `isLast` decides at each checkpoint whether the process is killed there. */
export function createKillable(isLast: () => boolean): Killable {
  const killed = Promise.withResolvers<never>()
  killed.promise.catch(() => {})
  const callbacks: (() => void)[] = []
  let isDead = false
  const { running, track } = createCallCounter()

  function kill(): void {
    if (isDead) return
    isDead = true
    killed.reject(new ProcessKilled('this process was killed'))
    for (const callback of callbacks) callback()
  }

  function checkpoint(): void {
    if (!isDead && isLast()) kill()
  }

  const never = <T>(): Promise<T> => new Promise(() => {})
  return {
    isDead: () => isDead,
    kill,
    onKilled: (callback) => void callbacks.push(callback),
    async run(work, isBusy) {
      checkpoint()
      if (isDead) return never()
      try {
        const value = await (isBusy ? track(work) : work())
        checkpoint()
        return isDead ? await never() : value
      } catch (error) {
        checkpoint()
        if (isDead) return never()
        throw error
      }
    },
    whileAlive: (work) => Promise.race([work(), killed.promise]),
    checkpoint,
    busy: running,
    track,
  }
}
