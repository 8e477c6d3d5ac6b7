// Remembers that writes fail because of the database itself. Reads may work all the same, so only those who write notice.

import type { Clock } from '../base/clock.ts'
import { WRITE_PROBLEM_HELD_MS } from './bounds.ts'
import { StoreUnavailable } from './store.ts'
import type { DatabaseProblem, Transaction, Writer } from './store.ts'

export interface WriteProblems {
  /** The problem of the last write that failed for such a reason, for WRITE_PROBLEM_HELD_MS. A small write can succeed on a full disk, so none ends it. */
  current(): DatabaseProblem | null
  /** The writer, observed. */
  observe(writer: Writer): Writer
}

/** A lost connection is not remembered: the next statement opens another one. */
export function createWriteProblems(clock: Clock): WriteProblems {
  let last: { readonly problem: DatabaseProblem; readonly atMs: number } | null = null

  async function observed<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (cause) {
      if (cause instanceof StoreUnavailable && cause.problem !== 'unreachable') last = { problem: cause.problem, atMs: clock.elapsedMs() }
      throw cause
    }
  }

  return {
    current: () => (last === null || clock.elapsedMs() - last.atMs >= WRITE_PROBLEM_HELD_MS ? null : last.problem),
    observe: (writer) => ({
      query: (statement, params) => observed(writer.query(statement, params)),
      run: (statement, params) => observed(writer.run(statement, params)),
      transaction: <T>(work: (tx: Transaction) => Promise<T>) => observed(writer.transaction(work)),
    }),
  }
}
