// Sends the writes of a transaction without waiting for each, so that the next one is computed and sent while the database works. It runs them in their
// order: a read sees all writes before it.

import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Queryable } from './store.ts'

/** Writes that may be sent ahead of their results. Each one may hold the rows of a whole page. */
const PENDING_MAX = 16

/** A statement that returns no rows. */
const WRITE = /^\s*(?:insert|update|delete)\b(?!.*\breturning\b)/is

/** Runs `work` on `tx`. Its writes return at once. Raises the first failure of a statement; the transaction must be rolled back then. */
export async function withWriteBehind<T>(tx: Queryable, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const pending: Promise<void>[] = []
  let failure: { readonly cause: unknown } | undefined

  /** Resolves when at most `count` writes are pending. */
  async function waitFor(count: number): Promise<void> {
    while (pending.length > count) await pending.shift()
    if (failure !== undefined) throw failure.cause
  }

  async function query<Row extends object>(sql: string, params: Parameters<Queryable['query']>[1]): Promise<Row[]> {
    if (params === undefined || !WRITE.test(sql)) {
      // When a write before it has failed, so does this statement, for no reason of its own.
      return await tx.query<Row>(sql, params).catch((cause: unknown) => waitFor(0).then(() => Promise.reject(cause)))
    }
    pending.push(tx.query(sql, params).then(() => {}, (cause: unknown) => void (failure ??= { cause })))
    await waitFor(PENDING_MAX)
    // Nothing else waits here, so requests and timers would be held up by all that is computed for a page.
    await yieldToEventLoop()
    return []
  }

  try {
    return await work({ query })
  } finally {
    await waitFor(0)
  }
}
