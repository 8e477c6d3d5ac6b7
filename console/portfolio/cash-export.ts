// Collects the whole cash ledger, page by page, as the lines of a file.

import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { RateLimited } from '../../client/src/index.ts'
import type { Answer, CashMovement, Client } from '../../client/src/index.ts'
import { after } from '../clock.ts'
import { problemOf, retryAfterSec } from '../problems.ts'
import type { Problem } from '../problems.ts'
import { CSV_HEADER, csvLine } from './csv.ts'

interface LedgerInput {
  readonly limit: number
  readonly cursor?: string
  readonly kind?: CashMovement['kind']
}
interface LedgerBody {
  readonly ledger: readonly CashMovement[]
  readonly gaps: readonly unknown[]
  readonly nextCursor: string | null
}
export type ReadLedger = (client: Client, input: LedgerInput) => Promise<Answer<LedgerBody>>

/** Rows of one file. A longer ledger continues in the next part. */
export const EXPORT_ROWS_MAX = 50_000
const PAGE_ROWS = 500

export type Exporting =
  | { readonly kind: 'idle' }
  | { readonly kind: 'working'; readonly rows: number; readonly waitSec: number | null }
  /** `next`: the cursor of the rows that follow; null when the file ends with the oldest. */
  | { readonly kind: 'done'; readonly rows: number; readonly gaps: number; readonly next: string | null; readonly part: number }
  | { readonly kind: 'failed'; readonly problem: Problem }

export interface CashExport {
  readonly state: ReadonlySignal<Exporting>
  /** Reads from the newest row, or continues after the last file. Calls `save` with the file's text. */
  run(client: Client, read: ReadLedger, options: { readonly isNextPart: boolean; readonly save: (text: string, part: number) => void }): Promise<void>
  cancel(): void
}

export function createCashExport(): CashExport {
  const state = signal<Exporting>({ kind: 'idle' })
  /** Number of the latest run. Earlier ones end without a file. */
  let latestRun = 0

  /** A page, after as many waits for the rate limit as it takes; null after the run was cancelled. */
  async function readPage(read: () => Promise<Answer<LedgerBody>>, run: number, rows: number): Promise<LedgerBody | null> {
    while (run === latestRun) {
      try {
        const { body } = await read()
        return run === latestRun ? body : null
      } catch (error) {
        if (run !== latestRun) return null
        const waitSec = error instanceof RateLimited ? retryAfterSec(error) : null
        if (waitSec === null) throw error
        state.value = { kind: 'working', rows, waitSec }
        await new Promise<void>((resolve) => after(waitSec * 1000, resolve))
      }
    }
    return null
  }

  return {
    state,
    async run(client, read, { isNextPart, save }) {
      const previous = state.peek()
      const continued = isNextPart && previous.kind === 'done' ? previous : null
      const part = (continued?.part ?? 0) + 1
      const run = ++latestRun
      const lines: string[] = []
      let cursor = continued?.next ?? null
      let gaps = 0
      state.value = { kind: 'working', rows: 0, waitSec: null }
      try {
        do {
          const from = cursor
          const body = await readPage(() => read(client, { limit: PAGE_ROWS, ...(from === null ? {} : { cursor: from }) }), run, lines.length)
          if (body === null) return
          lines.push(...body.ledger.map(csvLine))
          gaps += body.gaps.length
          cursor = body.nextCursor
          state.value = { kind: 'working', rows: lines.length, waitSec: null }
        } while (cursor !== null && lines.length < EXPORT_ROWS_MAX)
        save(CSV_HEADER + lines.join(''), part)
        state.value = { kind: 'done', rows: lines.length, gaps, next: cursor, part }
      } catch (error) {
        if (run === latestRun) state.value = { kind: 'failed', problem: problemOf(error) }
      }
    },
    cancel() {
      latestRun += 1
      state.value = { kind: 'idle' }
    },
  }
}
