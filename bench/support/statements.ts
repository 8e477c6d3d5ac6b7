// Captures the statements that the gateway's functions send, so that the bare driver runs the same SQL and not a copy of it.

import type { Queryable } from '../../src/store/store.ts'
import type { BareParam } from './bare-driver.ts'

export interface CapturedStatement {
  readonly sql: string
  readonly params: readonly BareParam[]
}

/** The row that every page statement returns for an empty log: only the head. */
const NO_ROWS = { headLedger: null, headSeq: 0, seq: null }

/** Runs `work` against an empty database and returns the statements that it sent. */
export async function captureStatements(work: (db: Queryable) => Promise<unknown>): Promise<readonly CapturedStatement[]> {
  const captured: CapturedStatement[] = []
  const db: Queryable = {
    async query<Row extends object>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
      captured.push({ sql, params: params as readonly BareParam[] })
      return [NO_ROWS] as unknown as Row[]
    },
  }
  await work(db)
  return captured
}
