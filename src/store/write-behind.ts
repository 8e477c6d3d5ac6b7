// Sends the writes of a transaction without waiting for each, so that the next one is computed while the database works. It runs them in their order. Few of
// them are sent at a time: a statement with a result overtakes those that concern other tables, so that the database has work while its result is used.

import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Statement, Table } from './sql.ts'
import type { Param, Writable } from './store.ts'

/** Writes that the database has at a time: enough to keep it busy, and few enough that a read is soon answered. */
const SENT_MAX = 3
/** Writes that wait to be sent. Each one may hold the rows of a whole page. */
const HELD_MAX = 48

interface HeldWrite {
  readonly statement: Statement | string
  readonly params: readonly Param[] | undefined
}

/** Runs `work` on `tx`. Its writes return at once. Raises the first failure of a statement; the transaction must be rolled back then. */
export async function withWriteBehind<T>(tx: Writable, work: (tx: Writable) => Promise<T>): Promise<T> {
  const held: HeldWrite[] = []
  const sent = new Set<Promise<void>>()
  let failure: { readonly cause: unknown } | undefined

  function sendNext(): void {
    const write = held.shift()
    if (write === undefined) return
    const end: Promise<void> = tx.run(write.statement, write.params).catch((cause: unknown) => void (failure ??= { cause })).finally(() => {
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

  async function run(statement: Statement | string, params?: readonly Param[]): Promise<void> {
    held.push({ statement, params })
    fill()
    while (held.length > HELD_MAX) await Promise.race(sent)
    if (failure !== undefined) await settle()
    // Nothing else waits here, so requests and timers would be held up by all that is computed for a page.
    await yieldToEventLoop()
  }

  async function query<Row extends object>(statement: Statement<Row> | string, params?: readonly Param[]): Promise<Row[]> {
    // Sends the held writes that must precede it.
    const last = held.findLastIndex((before) => isOrdered(before.statement, statement))
    for (let index = 0; index <= last; index++) sendNext()
    // When a write before it has failed, so does this statement, for no reason of its own.
    return await tx.query<Row>(statement, params).catch((cause: unknown) => settle().then(() => Promise.reject(cause)))
  }

  try {
    const result = await work({ query, run })
    await settle()
    return result
  } catch (cause) {
    held.length = 0
    await settle()
    throw cause
  }
}

/** True if one of the two statements may concern what the other one changes. The tables of a plain text are unknown. */
function isOrdered(a: Statement | string, b: Statement | string): boolean {
  if (typeof a === 'string' || typeof b === 'string') return true
  return isAnyIn(a.changes, b.tables) || isAnyIn(b.changes, a.tables)
}

function isAnyIn(some: ReadonlySet<Table>, all: ReadonlySet<Table>): boolean {
  for (const table of some) if (all.has(table)) return true
  return false
}
