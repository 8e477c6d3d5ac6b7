// Parameters of statements that write or look up many rows.

import type { ArrayParam } from '../store/store.ts'
import { arrayOf } from '../store/store.ts'

/**
 * The values of each key over all rows: parallel arrays for `unnest`, with the types to which the statement casts them. An insert calls `unnest` for each array
 * in its select list: in `from`, the database would copy every array into a temporary table first.
 */
export function arraysOf<Row>(rows: readonly Row[], types: { readonly [Key in keyof Row]?: ArrayParam['type'] }): ArrayParam[] {
  const entries = Object.entries(types) as [keyof Row, ArrayParam['type']][]
  return entries.map(([key, type]) => arrayOf(type, rows.map((row) => row[key] as ArrayParam['elements'][number])))
}
