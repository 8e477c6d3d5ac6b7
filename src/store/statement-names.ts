// Names for prepared statements. The server parses a named statement once per connection and may cache its plan. For a page of fifty rows, parsing and
// planning cost as much as finding the rows.

/** The name for a statement's text; undefined when it is not prepared. */
export type StatementNames = (sql: string) => string | undefined

/** Names the first `max` texts only, because each one takes memory on every connection until that is closed. */
export function createStatementNames(max: number, prefix = 'read'): StatementNames {
  const names = new Map<string, string>()
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined || names.size >= max) return known
    const name = `${prefix}_${names.size + 1}`
    names.set(sql, name)
    return name
  }
}
