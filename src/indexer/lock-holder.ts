// The writer's lock, taken when it is free and kept until it is lost or given back.

import type { Store, WriterLock } from '../store/store.ts'

export interface LockHolder {
  /** The lock, taken now if need be; undefined while another holder has it. */
  acquire(): Promise<WriterLock | undefined>
  /** The lock, if it is held. */
  current(): WriterLock | undefined
  /** Gives it back. Never rejects: a lock whose connection is gone has given itself back. */
  release(): Promise<void>
}

export function createLockHolder(store: Store, name: string): LockHolder {
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
    async acquire() {
      if (lock?.lost.aborted === true) await release()
      lock ??= await store.tryLock(name)
      return lock
    },
    current: () => (lock?.lost.aborted === true ? undefined : lock),
    release,
  }
}
