// A real store whose doors a test can shut: every call then fails, or waits until it is opened again.

import { StoreUnavailable } from '../../src/store/store.ts'
import type { Queryable, Store } from '../../src/store/store.ts'

export interface FlakyStore {
  readonly store: Store
  /** `down` fails every call, `hangs` lets none end, `up` lets all through. */
  set(state: 'up' | 'down' | 'hangs'): void
  /** Statements that were let through so far. */
  statements(): number
  /** Resolves when a call waits at a shut door. */
  waitForBlockedCall(): Promise<void>
  /** Resolves when every call that was let through has ended. */
  idle(): Promise<void>
  /** From now on nothing that is notified arrives, and nobody is told of it. */
  dropNotifications(): void
  /** Tells the listeners whether they are heard; while not, they hear nothing. */
  setListening(heard: boolean): void
}

export function createFlakyStore(real: Store): FlakyStore {
  let state: 'up' | 'down' | 'hangs' = 'up'
  let opened = Promise.withResolvers<void>()
  let waits = Promise.withResolvers<void>()
  let statements = 0
  const underWay = new Set<Promise<unknown>>()
  let heard = true
  let lost = false
  const listeners = new Set<(heard: boolean) => void>()

  async function pass<T>(work: () => Promise<T>): Promise<T> {
    if (state === 'hangs') {
      waits.resolve()
      await opened.promise
    }
    if (state === 'down') throw new StoreUnavailable('the database is down')
    statements += 1
    const working = work()
    underWay.add(working)
    try {
      return await working
    } finally {
      underWay.delete(working)
    }
  }

  const flaky = (db: Queryable): Queryable => ({ query: (sql, params) => pass(() => db.query(sql, params)) })
  return {
    store: {
      ...real,
      read: flaky(real.read),
      write: { ...flaky(real.write), transaction: (work) => pass(() => real.write.transaction(work)) },
      async listen(channel, callback, onHeard = () => {}) {
        const stop = await real.listen(channel, (payload) => (heard && !lost ? callback(payload) : undefined), (now) => (heard ? onHeard(now) : undefined))
        listeners.add(onHeard)
        return async () => {
          listeners.delete(onHeard)
          await stop()
        }
      },
    },
    set(next) {
      state = next
      if (state === 'hangs') return
      opened.resolve()
      opened = Promise.withResolvers<void>()
      waits = Promise.withResolvers<void>()
    },
    waitForBlockedCall: () => waits.promise,
    async idle() {
      // Those that waited begin in the turn after the door was opened.
      await new Promise<void>((resolve) => void setImmediate(resolve))
      await Promise.allSettled(underWay)
    },
    statements: () => statements,
    dropNotifications() {
      lost = true
    },
    setListening(next) {
      heard = next
      for (const onHeard of listeners) onHeard(next)
    },
  }
}
