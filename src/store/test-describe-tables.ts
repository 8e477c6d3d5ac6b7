// The tables as the code names them, from the database's catalog.

import type { Queryable } from './store.ts'

interface Column {
  readonly schema: string
  readonly table: string
  readonly column: string
  readonly type: string
}

const HEADING = `// The tables of the database, with the type of each column; \`?\` when it may be null. Generated: refresh it with
//   npm run golden

import type { Table } from './sql.ts'

function table<const Of extends Table['columns']>(schema: string, name: string, columns: Of): Table<Of> {
  return { schema, name, columns }
}
`
const LINE_LENGTH = 140

/** The name of each schema's tables in code: \`tx\` is a transaction there. */
const NAMES: Readonly<Record<string, string>> = { idx: 'idx', keys: 'keyTables', tx: 'txTables' }

/** The source text of tables.ts. */
export async function describeTables(db: Queryable): Promise<string> {
  const columns = await db.query<Column>(`
    select nspname as schema, relname as table, attname as column, format_type(atttypid, null) || case when attnotnull then '' else '?' end as type
    from pg_attribute join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace
    where relkind = 'r' and attnum > 0 and not attisdropped and nspname = any($1::text[]) order by nspname, relname, attnum`, [Object.keys(NAMES)])
  const schemas = [...Map.groupBy(columns, ({ schema }) => schema)]
  return [HEADING, ...schemas.map(([schema, own]) => describeTablesOf(schema, own))].join('\n')
}

function describeTablesOf(schema: string, columns: readonly Column[]): string {
  const tables = [...Map.groupBy(columns, ({ table }) => table)].map(([name, own]) => {
    const lines = wrap(own.map(({ column, type }) => `${column}: '${type}',`)).map((line) => `    ${line}\n`)
    return `  ${name}: table('${schema}', '${name}', {\n${lines.join('')}  }),\n`
  })
  return `/** The tables of the schema \`${schema}\`. */\nexport const ${NAMES[schema]} = {\n${tables.join('')}}\n`
}

function wrap(words: readonly string[]): readonly string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < LINE_LENGTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
