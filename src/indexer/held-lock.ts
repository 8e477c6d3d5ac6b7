// The writer's lock, taken when it is free and kept until it is lost or given back.

import type { Store, WriterLock } from '../store/store.ts'

export interface HeldLock {
  /** The lock, taken now if need be; undefined while another holder has it. */
  hold(): Promise<WriterLock | undefined>
  /** The lock, if it is held. */
  held(): WriterLock | undefined
  /** Gives it back. Never rejects: a lock whose connection is gone has given itself back. */
  release(): Promise<void>
}

export function createHeldLock(store: Store, name: string): HeldLock {
  let lock: WriterLock | undefined

  async function release(): Promise<void> {
    const given = lock
    lock = undefined
    try {
      await given?.[Symbol.asyncDispose]()
    } catch {
      // Its connection is gone, and with it the lock.
    }
  }

  return {
    async hold() {
      if (lock?.lost.aborted === true) await release()
      lock ??= await store.tryLock(name)
      return lock
    },
    held: () => (lock?.lost.aborted === true ? undefined : lock),
    release,
  }
}
