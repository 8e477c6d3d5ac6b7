// The names under which statements are prepared. A connection reads the text of a named statement once, and the server may keep its plan: for a page of
// fifty rows both together are as much work as finding the rows.

/** The name of a statement's text; undefined when it stays without one. */
export type StatementNames = (sql: string) => string | undefined

/** Names the first `most` texts: each named one takes memory in every connection for as long as that lives, and texts that were built anew each time would. */
export function createStatementNames(most: number): StatementNames {
  const names = new Map<string, string>()
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined || names.size >= most) return known
    const name = `read_${names.size + 1}`
    names.set(sql, name)
    return name
  }
}
