// Waits until a ledger is indexed, so that clients can read their own writes (docs/decisions/read-your-writes.md). All waiters share the reads of the head:
// one per notification of the indexer, and one per second while anyone waits, because notifications can be lost and a replica can lag.

import type { Clock, Timer } from '../../base/clock.ts'
import { findSurplusHolder } from '../../base/fair-share.ts'
import type { Requester } from '../../base/fair-share.ts'
import { INDEX_WAIT_MS, INDEX_WAITERS_MAX, INDEX_WAITERS_PER_CALLER_MAX } from '../../limits.ts'
import type { Store } from '../../store/store.ts'
import { INDEX_CHANNEL } from './index-state.ts'
import { readLogHead } from '../log/stream-log.ts'

/** Longest delay that a lost notification can cause. */
const FALLBACK_INTERVAL_MS = 1_000

export interface IndexWaiter extends AsyncDisposable {
  /**
   * Resolves with the last indexed ledger (0 when there is none): as soon as it reaches `ledger`, after the timeout, when the signal aborts, or at once when
   * this requester has its share of the waiters. When there are too many, the requester with the most waits less (docs/decisions/fair-shares.md). Rejects when
   * the database cannot be read.
   */
  waitForLedger(ledger: number, requester: Requester, signal: AbortSignal): Promise<number>
  waiterCount(): number
}

export interface IndexWaiterOptions {
  readonly store: Pick<Store, 'read' | 'listen'>
  readonly clock: Clock
  readonly maxWaiters?: number
  readonly maxPerCaller?: number
}

interface Waiter {
  readonly requester: Requester
  readonly ledger: number
  readonly settle: () => void
  readonly fail: (cause: unknown) => void
}

export function createIndexWaiter(options: IndexWaiterOptions): IndexWaiter {
  const { store, clock, maxWaiters = INDEX_WAITERS_MAX, maxPerCaller = INDEX_WAITERS_PER_CALLER_MAX } = options
  const waiters = new Set<Waiter>()
  const countByKey = new Map<string, number>()
  let lastLedger = 0
  let isReading = false
  let readAgain = false
  let fallback: Timer | undefined
  let listening: Promise<(() => Promise<void>) | undefined> | undefined
  let stopped = false

  /** Reads the head, or reads it again after the current read, which may have started before the awaited commit. */
  function requestRead(): void {
    readAgain = true
    if (!isReading) void readHead()
  }

  async function readHead(): Promise<void> {
    isReading = true
    while (readAgain && waiters.size > 0) {
      readAgain = false
      try {
        lastLedger = (await readLogHead(store.read))?.ledger ?? 0
        for (const waiter of waiters) if (waiter.ledger <= lastLedger) waiter.settle()
      } catch (cause) {
        for (const waiter of waiters) waiter.fail(cause)
      }
    }
    isReading = false
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

  /** Starts listening with the first waiter: most gateways never have one. */
  function listen(): void {
    listening ??= store.listen(INDEX_CHANNEL, onNotification).then((stop) => {
      onNotification()
      return stop
    }, () => undefined)
  }

  function countKey(key: string, change: 1 | -1): void {
    const count = (countByKey.get(key) ?? 0) + change
    if (count === 0) countByKey.delete(key)
    else countByKey.set(key, count)
  }

  /** True when one more request may wait. Makes room at the cost of a requester with more waiting requests. */
  function mayWait(requester: Requester): boolean {
    if (stopped || (countByKey.get(requester.key) ?? 0) >= maxPerCaller) return false
    if (waiters.size < maxWaiters) return true
    const surplus = findSurplusHolder(waiters, requester, () => true)
    surplus?.settle()
    return surplus !== undefined
  }

  function addWaiter(ledger: number, requester: Requester, signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      const removeWaiter = (): void => {
        waiters.delete(waiter)
        countKey(requester.key, -1)
        timer.cancel()
        signal.removeEventListener('abort', waiter.settle)
        if (waiters.size > 0) return
        fallback?.cancel()
        fallback = undefined
      }
      const waiter: Waiter = {
        requester,
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
      countKey(requester.key, 1)
      signal.addEventListener('abort', waiter.settle)
    })
  }

  return {
    waiterCount: () => waiters.size,
    async waitForLedger(ledger, requester, signal) {
      if (signal.aborted || !mayWait(requester)) return (await readLogHead(store.read))?.ledger ?? 0
      const reached = addWaiter(ledger, requester, signal)
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
