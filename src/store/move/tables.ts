// What there is to move, from the catalogue: a new migration needs no change here.

import { quoteIdentifier } from '../values.ts'
import type { Queryable } from '../store.ts'

export interface Table {
  /** Schema and name, quoted. */
  readonly name: string
  /** Columns of the primary key, quoted, in its order. */
  readonly key: readonly string[]
  /** All columns that can be written, quoted, in the table's order. */
  readonly columns: readonly string[]
}

export interface Content {
  readonly rows: number
  /** Equal for equal rows in any order. */
  readonly checksum: string
}

/** Without the copy of a rebuild that is under way: the target begins it again. */
const USER_SCHEMAS = "n.nspname not in ('pg_catalog', 'information_schema', 'shadow') and n.nspname not like 'pg\\_%' and n.nspname not like 'side\\_%'"
const NOT_OF_AN_EXTENSION = "not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')"
/** The migrations of the target are its own. */
const MIGRATIONS = 'public.migrations'

interface TableRow {
  readonly schema: string
  readonly name: string
  readonly key: readonly string[] | null
  readonly columns: readonly string[]
}

/** The tables of the program, each after those that it refers to. */
export async function readTables(db: Queryable): Promise<readonly Table[]> {
  const rows = await db.query<TableRow>(`
    select n.nspname as schema, c.relname as name,
      (select jsonb_agg(a.attname order by k.position)
        from pg_index i cross join unnest(i.indkey::int2[]) with ordinality k (number, position)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
        where i.indrelid = c.oid and i.indisprimary) as key,
      (select jsonb_agg(a.attname order by a.attnum)
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and ${USER_SCHEMAS} and ${NOT_OF_AN_EXTENSION}
    order by 1, 2`)
  const references = await db.query<{ source: string; target: string }>(`
    select sn.nspname || '.' || s.relname as source, tn.nspname || '.' || t.relname as target
    from pg_constraint k
    join pg_class s on s.oid = k.conrelid join pg_namespace sn on sn.oid = s.relnamespace
    join pg_class t on t.oid = k.confrelid join pg_namespace tn on tn.oid = t.relnamespace
    where k.contype = 'f' and k.conrelid <> k.confrelid`)
  const own = rows.filter(({ schema, name }) => `${schema}.${name}` !== MIGRATIONS)
  return sortByReferences(own, references).map(({ schema, name, key, columns }) => ({
    name: `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`,
    key: (key ?? []).map(quoteIdentifier),
    columns: columns.map(quoteIdentifier),
  }))
}

function sortByReferences(tables: readonly TableRow[], references: readonly { source: string; target: string }[]): readonly TableRow[] {
  const nameOf = ({ schema, name }: TableRow): string => `${schema}.${name}`
  const sorted: TableRow[] = []
  let waiting = [...tables]
  while (waiting.length > 0) {
    const names = new Set(waiting.map(nameOf))
    const ready = waiting.filter((table) => !references.some(({ source, target }) => source === nameOf(table) && names.has(target)))
    if (ready.length === 0) throw new Error(`tables refer to each other: ${[...names].join(', ')}`)
    sorted.push(...ready)
    waiting = waiting.filter((table) => !ready.includes(table))
  }
  return sorted
}

/** Everything in the database that was not created by an extension: tables, views, sequences. */
export async function readRelations(db: Queryable): Promise<readonly string[]> {
  const rows = await db.query<{ name: string }>(`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and ${USER_SCHEMAS} and ${NOT_OF_AN_EXTENSION} order by 1`)
  return rows.map(({ name }) => name)
}

export async function countRows(db: Queryable, { name }: Table): Promise<number> {
  const [row] = await db.query<{ rows: number }>(`select count(*) as rows from ${name}`)
  return row?.rows ?? 0
}

export async function readContent(db: Queryable, { name }: Table): Promise<Content> {
  const [content] = await db.query<Content>(`
    select count(*) as rows, coalesce(sum(('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint), 0)::text as checksum from ${name} t`)
  return content ?? { rows: 0, checksum: '0' }
}

/** The values of all sequences by name; null for one that was never used. */
export async function readSequences(db: Queryable): Promise<ReadonlyMap<string, string | null>> {
  const rows = await db.query<{ name: string; value: string | null }>(`
    select quote_ident(schemaname) || '.' || quote_ident(sequencename) as name, last_value::text as value from pg_sequences
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`)
  return new Map(rows.map(({ name, value }) => [name, value]))
}
