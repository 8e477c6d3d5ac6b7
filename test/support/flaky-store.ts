// A real store whose calls and notifications a test can interrupt.

import { StoreUnavailable } from '../../src/store/store.ts'
import type { Store } from '../../src/store/store.ts'
import { createCallCounter, wrapStore } from './tracked-store.ts'
import { untilIdle } from './until.ts'

export interface FlakyStore {
  readonly store: Store
  /** `down` fails every call; `hangs` blocks every call until the next state. */
  set(state: 'up' | 'down' | 'hangs'): void
  /** Number of calls that reached the database. */
  statements(): number
  /** Resolves when a call is blocked. */
  waitForBlockedCall(): Promise<void>
  /** Resolves when every call that reached the database has ended. */
  idle(): Promise<void>
  /** Drops all further notifications without notice to the listeners. */
  dropNotifications(): void
  /** Reports to the listeners whether notifications arrive; drops them while not. */
  setListening(listening: boolean): void
}

export function createFlakyStore(real: Store): FlakyStore {
  let state: 'up' | 'down' | 'hangs' = 'up'
  let unblocked = Promise.withResolvers<void>()
  let blocked = Promise.withResolvers<void>()
  let statements = 0
  const calls = createCallCounter()
  let isListening = true
  let dropsNotifications = false
  const listeners = new Set<(isListening: boolean) => void>()

  async function run<T>(work: () => Promise<T>): Promise<T> {
    if (state === 'hangs') {
      blocked.resolve()
      await unblocked.promise
    }
    if (state === 'down') throw new StoreUnavailable('the database is down')
    statements += 1
    return await calls.track(work)
  }

  return {
    store: {
      ...wrapStore(real, run),
      async listen(channel, callback, { onConnected = () => {}, ...options } = {}) {
        const stop = await real.listen(channel,
          (payload) => (isListening && !dropsNotifications ? callback(payload) : undefined),
          { ...options, onConnected: (now) => (isListening ? onConnected(now) : undefined) })
        listeners.add(onConnected)
        return async () => {
          listeners.delete(onConnected)
          await stop()
        }
      },
    },
    set(next) {
      state = next
      if (state === 'hangs') return
      unblocked.resolve()
      unblocked = Promise.withResolvers<void>()
      blocked = Promise.withResolvers<void>()
    },
    waitForBlockedCall: () => blocked.promise,
    // Unblocked calls start in the next turn of the event loop.
    idle: () => untilIdle(() => calls.running() > 0, 1),
    statements: () => statements,
    dropNotifications() {
      dropsNotifications = true
    },
    setListening(next) {
      isListening = next
      for (const onListening of listeners) onListening(next)
    },
  }
}
