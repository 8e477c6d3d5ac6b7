// Waiting until a ledger is indexed, so that whoever wrote something can read it (docs/decisions/read-your-writes.md). All who wait share the looks: one at
// each notification of the indexer, and one a second while anybody waits, because a notification may be missed and a replica may be late.

import type { Clock, Timer } from '../base/clock.ts'
import { INDEX_WAIT_MS, INDEX_WAITERS_MAX, INDEX_WAITERS_PER_CALLER_MAX } from '../limits.ts'
import type { Store } from '../store/store.ts'
import { INDEX_CHANNEL } from './index-state.ts'
import { readLogHead } from './stream-log.ts'

/** How long a missed notification can delay an answer. */
const FALLBACK_INTERVAL_MS = 1_000

export interface IndexWaiter extends AsyncDisposable {
  /**
   * Resolves with the last indexed ledger (0 while there is none): as soon as it is `ledger` or a later one, else when the time is up or the signal aborts; at
   * once when too many wait already, in all or of this caller. Rejects when the database cannot be read.
   */
  waitForLedger(ledger: number, caller: string, signal: AbortSignal): Promise<number>
  /** How many wait. */
  waiterCount(): number
}

export interface IndexWaiterOptions {
  readonly store: Pick<Store, 'read' | 'listen'>
  readonly clock: Clock
  readonly maxWaiters?: number
  readonly maxPerCaller?: number
}

interface Waiter {
  readonly ledger: number
  readonly settle: () => void
  readonly fail: (cause: unknown) => void
}

export function createIndexWaiter(options: IndexWaiterOptions): IndexWaiter {
  const { store, clock, maxWaiters = INDEX_WAITERS_MAX, maxPerCaller = INDEX_WAITERS_PER_CALLER_MAX } = options
  const waiters = new Set<Waiter>()
  const byCaller = new Map<string, number>()
  /** As it was seen last. */
  let lastLedger = 0
  let reading = false
  let readAgain = false
  let fallback: Timer | undefined
  let listening: Promise<(() => Promise<void>) | undefined> | undefined
  let stopped = false

  /** One look at a time; whoever asks during one gets another behind it, because the first may have read before what he waits for was committed. */
  function requestRead(): void {
    readAgain = true
    if (!reading) void readUntilIdle()
  }

  async function readUntilIdle(): Promise<void> {
    reading = true
    while (readAgain && waiters.size > 0) {
      readAgain = false
      try {
        lastLedger = (await readLogHead(store.read))?.ledger ?? 0
        for (const waiter of waiters) if (waiter.ledger <= lastLedger) waiter.settle()
      } catch (cause) {
        for (const waiter of waiters) waiter.fail(cause)
      }
    }
    reading = false
  }

  function onNotification(): void {
    if (waiters.size > 0) requestRead()
  }

  function scheduleFallback(): void {
    fallback ??= clock.setTimer(FALLBACK_INTERVAL_MS, () => {
      fallback = undefined
      if (waiters.size === 0) return
      requestRead()
      scheduleFallback()
    })
  }

  /** Listens from the first waiter on: most gateways never have one. */
  function listen(): void {
    listening ??= store.listen(INDEX_CHANNEL, onNotification).then((stop) => {
      onNotification()
      return stop
    }, () => undefined)
  }

  function count(caller: string, change: 1 | -1): void {
    const waiting = (byCaller.get(caller) ?? 0) + change
    if (waiting === 0) byCaller.delete(caller)
    else byCaller.set(caller, waiting)
  }

  function hasRoom(caller: string): boolean {
    return !stopped && waiters.size < maxWaiters && (byCaller.get(caller) ?? 0) < maxPerCaller
  }

  function addWaiter(ledger: number, caller: string, signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      const removeWaiter = (): void => {
        waiters.delete(waiter)
        count(caller, -1)
        timer.cancel()
        signal.removeEventListener('abort', waiter.settle)
        if (waiters.size > 0) return
        fallback?.cancel()
        fallback = undefined
      }
      const waiter: Waiter = {
        ledger,
        settle() {
          removeWaiter()
          resolve(lastLedger)
        },
        fail(cause) {
          removeWaiter()
          reject(cause)
        },
      }
      const timer = clock.setTimer(INDEX_WAIT_MS, waiter.settle)
      waiters.add(waiter)
      count(caller, 1)
      signal.addEventListener('abort', waiter.settle, { once: true })
    })
  }

  return {
    waiterCount: () => waiters.size,
    async waitForLedger(ledger, caller, signal) {
      if (signal.aborted || !hasRoom(caller)) return (await readLogHead(store.read))?.ledger ?? 0
      const reached = addWaiter(ledger, caller, signal)
      listen()
      scheduleFallback()
      requestRead()
      return await reached
    },
    async [Symbol.asyncDispose]() {
      stopped = true
      for (const waiter of waiters) waiter.settle()
      const stop = await listening
      await stop?.()
    },
  }
}
