// Sends the writes of a transaction without waiting for each, so that the next one is computed while the database works. It runs them in their order. Few of
// them are sent at a time: a statement with a result overtakes those that concern other tables, so that the database has work while its result is used.

import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Param, Queryable } from './store.ts'

/** Writes that the database has at a time: enough to keep it busy, and few enough that a read is soon answered. */
const SENT_MAX = 3
/** Writes that wait to be sent. Each one may hold the rows of a whole page. */
const HELD_MAX = 48

/** A statement that changes one table. */
const WRITE = /^\s*(?:insert\s+into|update|delete\s+from)\s+(?:\w+\.)?(\w+)/i
const RETURNING = /\breturning\b/i
/** A statement that changes nothing. */
const READ = /^\s*select\b/i

/** The table and words that a statement concerns. */
interface Scope {
  /** The table that it changes; null: none. */
  readonly table: string | null
  /** Its words, among them the names of all its tables. */
  readonly words: ReadonlySet<string>
}

interface HeldWrite extends Scope {
  readonly sql: string
  readonly params: readonly Param[]
}

/** Runs `work` on `tx`. Its writes return at once. Raises the first failure of a statement; the transaction must be rolled back then. */
export async function withWriteBehind<T>(tx: Queryable, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const held: HeldWrite[] = []
  const sent = new Set<Promise<void>>()
  let failure: { readonly cause: unknown } | undefined

  function sendNext(): void {
    const write = held.shift()
    if (write === undefined) return
    const end: Promise<void> = tx.query(write.sql, write.params).then(() => {}, (cause: unknown) => void (failure ??= { cause })).finally(() => {
      sent.delete(end)
      if (failure !== undefined) held.length = 0
      fill()
    })
    sent.add(end)
  }

  function fill(): void {
    while (held.length > 0 && sent.size < SENT_MAX) sendNext()
  }

  async function settle(): Promise<void> {
    while (held.length > 0) sendNext()
    while (sent.size > 0) await Promise.all(sent)
    if (failure !== undefined) throw failure.cause
  }

  async function hold(statement: HeldWrite): Promise<void> {
    held.push(statement)
    fill()
    while (held.length > HELD_MAX) await Promise.race(sent)
    if (failure !== undefined) await settle()
    // Nothing else waits here, so requests and timers would be held up by all that is computed for a page.
    await yieldToEventLoop()
  }

  /** Sends the held writes that must precede a statement. */
  function sendBefore(scope: Scope | undefined): void {
    const last = held.findLastIndex((before) => scope === undefined || isOrdered(before, scope))
    for (let index = 0; index <= last; index++) sendNext()
  }

  async function query<Row extends object>(sql: string, params?: readonly Param[]): Promise<Row[]> {
    const scope = scopeOf(sql)
    if (scope !== undefined && scope.table !== null && params !== undefined && !RETURNING.test(sql)) {
      await hold({ ...scope, sql, params })
      return []
    }
    sendBefore(scope)
    // When a write before it has failed, so does this statement, for no reason of its own.
    return await tx.query<Row>(sql, params).catch((cause: unknown) => settle().then(() => Promise.reject(cause)))
  }

  try {
    const result = await work({ query })
    await settle()
    return result
  } catch (cause) {
    held.length = 0
    await settle()
    throw cause
  }
}

/** Undefined for a statement of another kind, which must follow all writes before it. */
function scopeOf(sql: string): Scope | undefined {
  const table = WRITE.exec(sql)?.[1] ?? null
  return table === null && !READ.test(sql) ? undefined : { table, words: new Set(sql.match(/\w+/g)) }
}

/** True if one of the two statements may concern what the other one changes. */
function isOrdered(a: Scope, b: Scope): boolean {
  return (a.table !== null && b.words.has(a.table)) || (b.table !== null && a.words.has(b.table))
}
