/**
 * The values of each key over all rows: parallel arrays for `unnest` in a bulk statement. An insert calls `unnest` for each array in its select list: in
 * `from`, the database would copy every array into a temporary table first.
 */
export function columnsOf<Row, Key extends keyof Row>(rows: readonly Row[], keys: readonly Key[]): Row[Key][][] {
  return keys.map((key) => rows.map((row) => row[key]))
}
