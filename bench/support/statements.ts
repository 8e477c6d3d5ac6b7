// Captures the statements that the gateway's functions send, so that the bare driver runs the same SQL and not a copy of it.

import { textOf } from '../../src/store/sql.ts'
import type { Statement } from '../../src/store/sql.ts'
import type { ArrayParam, Param, Writable } from '../../src/store/store.ts'
import type { BareParam } from './bare-driver.ts'

export interface CapturedStatement {
  readonly sql: string
  readonly params: readonly BareParam[]
}

/** The row that every page statement returns for an empty log: only the head. */
const NO_ROWS = { headLedger: null, headSeq: 0, seq: null }

/** Runs `work` against an empty database and returns the statements that it sent. */
export async function captureStatements(work: (db: Writable) => Promise<unknown>): Promise<readonly CapturedStatement[]> {
  const captured: CapturedStatement[] = []
  const capture = (statement: Statement | string, params: readonly Param[] = []): void => {
    captured.push({ sql: textOf(statement), params: params.map((param) => (isTypedArray(param) ? param.elements : param)) as readonly BareParam[] })
  }
  const db: Writable = {
    query: async <Row extends object>(statement: Statement<Row> | string, params?: readonly Param[]) => {
      capture(statement, params)
      return [NO_ROWS] as unknown as Row[]
    },
    run: async (statement, params) => capture(statement, params),
  }
  await work(db)
  return captured
}

function isTypedArray(param: Param): param is ArrayParam {
  return typeof param === 'object' && param !== null && 'elements' in param
}
