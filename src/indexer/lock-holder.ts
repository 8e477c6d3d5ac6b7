// Holds the writer lock: acquires it when it is free and keeps it until it is lost or released.

import type { Store, WriterLock } from '../store/store.ts'

export interface LockHolder {
  /** Returns the lock, acquiring it if necessary; undefined while another process holds it. */
  acquire(): Promise<WriterLock | undefined>
  /** The lock, if it is held. */
  current(): WriterLock | undefined
  /** Releases the lock. Never rejects: a lost connection has already released it. */
  release(): Promise<void>
}

export function createLockHolder(store: Store, name: string): LockHolder {
  let lock: WriterLock | undefined

  async function release(): Promise<void> {
    const held = lock
    lock = undefined
    try {
      await held?.[Symbol.asyncDispose]()
    } catch {
      // The connection is lost, and the lock with it.
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
