// The statements that the gateway's own functions send, caught on their way: what a bare driver is compared with is the same SQL, never a copy of it.

import type { Queryable } from '../../src/store/store.ts'
import type { BareParam } from './bare-driver.ts'

export interface CapturedStatement {
  readonly sql: string
  readonly params: readonly BareParam[]
}

/** What every page statement answers when there is nothing: the head alone. */
const NO_ROWS = { headLedger: null, headSeq: 0, seq: null }

/** Runs `work` against a database that answers nothing, and returns what was sent to it. */
export async function captureStatements(work: (db: Queryable) => Promise<unknown>): Promise<readonly CapturedStatement[]> {
  const caught: CapturedStatement[] = []
  const db: Queryable = {
    async query<Row extends object>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
      caught.push({ sql, params: params as readonly BareParam[] })
      return [NO_ROWS] as unknown as Row[]
    },
  }
  await work(db)
  return caught
}
