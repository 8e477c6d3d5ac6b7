/** The values of each key over all rows: parallel arrays for `unnest` in a bulk statement. */
export function columnsOf<Row, Key extends keyof Row>(rows: readonly Row[], keys: readonly Key[]): Row[Key][][] {
  return keys.map((key) => rows.map((row) => row[key]))
}
