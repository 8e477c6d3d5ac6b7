// Reads a list to its end, page by page.

import type { Page } from '../../../src/projections/log/page.ts'

/** More pages than any list of a simulation has. */
const PAGES_MAX = 2_000

export async function readWholeList<Row>(read: (cursor: string | undefined) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await read(cursor)
    rows.push(...page.rows)
    if (page.next === null) return rows
    cursor = page.next
  }
  throw new Error(`the list did not end within ${PAGES_MAX} pages`)
}
