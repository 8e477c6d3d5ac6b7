// The rows of a list that is read in pages, newest first. Pure.

type IdOf<Row> = (row: Row) => number | string

/**
 * Puts the newest page before the older rows that were read earlier. `isRestarted`: so many rows are new that some between the page and the earlier rows were
 * never read, so only the page is kept.
 */
export function mergeNewest<Row>(
  rows: readonly Row[], page: { readonly rows: readonly Row[]; readonly hasMore: boolean }, idOf: IdOf<Row>,
): { readonly rows: readonly Row[]; readonly isRestarted: boolean } {
  // Without another page, the page is the whole list.
  if (!page.hasMore) return { rows: page.rows, isRestarted: true }
  const ids = new Set(page.rows.map(idOf))
  // Rows before the last one that both have are those of the page, or no longer exist.
  const last = rows.findLastIndex((row) => ids.has(idOf(row)))
  return { rows: [...page.rows, ...(last === -1 ? [] : rows.slice(last + 1))], isRestarted: last === -1 }
}

/** Appends the rows of an older page. */
export function mergeOlder<Row>(rows: readonly Row[], older: readonly Row[], idOf: IdOf<Row>): readonly Row[] {
  const ids = new Set(rows.map(idOf))
  return [...rows, ...older.filter((row) => !ids.has(idOf(row)))]
}
