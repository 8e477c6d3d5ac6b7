// Shows whether an instance is alive: it holds a lock with its name, which the database releases when the process dies.

import type { Store, WriterLock } from '../store/store.ts'

export interface Presence extends AsyncDisposable {
  /** Takes the lock of this instance, unless it holds it. */
  show(): Promise<void>
  /** False when another instance, or an earlier process, has died. Its leases are over. */
  isAlive(instance: string): Promise<boolean>
}

export function createPresence(store: Pick<Store, 'tryLock' | 'isLocked'>, instance: string): Presence {
  let lock: WriterLock | undefined
  return {
    async show() {
      if (lock?.lost.aborted === false) return
      await lock?.[Symbol.asyncDispose]()
      lock = await store.tryLock(lockName(instance))
    },
    isAlive: (other) => store.isLocked(lockName(other)),
    async [Symbol.asyncDispose]() {
      await lock?.[Symbol.asyncDispose]()
      lock = undefined
    },
  }
}

function lockName(instance: string): string {
  return `submissions of ${instance}`
}
