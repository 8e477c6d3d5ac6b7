// Inserts of many rows in one statement.

import type { Element } from './binary-arrays.ts'
import type { ColumnType, SelectList, Sql, Statement, Table } from './sql.ts'
import { sql } from './sql.ts'
import type { ArrayParam, Param, Queryable, Writable } from './store.ts'
import { arrayOf } from './store.ts'

interface Inputs {
  readonly 'bigint': number | bigint
  readonly 'integer': number
  readonly 'smallint': number
  readonly 'double precision': number
  readonly 'numeric': string | number | bigint
  readonly 'text': string
  readonly 'boolean': boolean
  readonly 'bytea': never
  /** As JSON text. */
  readonly 'jsonb': string
}

/** The type of a value that may be written to a column. */
type InputOf<Type extends ColumnType> =
  Type extends `${infer Given extends ColumnType}?` ? InputOf<Given> | null : Type extends keyof Inputs ? Inputs[Type] : never

/** The key of a row whose value fits the column. */
type KeyFor<Row, Type extends ColumnType> = { [Key in keyof Row]: Row[Key] extends InputOf<Type> ? Key : never }[keyof Row]
/**
 * The source of a column's values: a key of the rows, a function of a row, one value for all rows, or SQL, in which `$n` is the n-th column. Columns with SQL
 * follow all others.
 */
type Source<Row, Type extends ColumnType> = KeyFor<Row, Type> | ((row: Row) => InputOf<Type>) | { readonly all: InputOf<Type> } | Sql

/** The columns of an insert, each with the source of its values. */
export type InsertedColumns<Of extends Table, Row> = { readonly [Name in keyof Of['columns']]?: Source<Row, Of['columns'][Name]> }

/** Inserts the rows. `conflict` is SQL: `on conflict …`. */
export async function insertRows<Of extends Table, Row>(
  tx: Writable, table: Of, rows: readonly Row[], inserted: InsertedColumns<Of, NoInfer<Row>>, conflict?: Statement,
): Promise<void> {
  if (rows.length === 0) return
  await tx.run(statementOf(table, inserted, conflict), paramsOf(table, rows, inserted))
}

/** Inserts the rows and returns columns of those that were inserted. */
export async function insertReturning<Of extends Table, Row, Returned extends object>(
  tx: Queryable, table: Of, rows: readonly Row[], inserted: InsertedColumns<Of, NoInfer<Row>>, returned: SelectList<Returned>, conflict?: Statement,
): Promise<Returned[]> {
  if (rows.length === 0) return []
  return await tx.query<Returned>(sql`${statementOf(table, inserted, conflict)} returning ${returned as SelectList<never>}`, paramsOf(table, rows, inserted))
}

type ColumnsOf<Of extends Table> = readonly (keyof Of['columns'] & string)[]

/** SQL: changes the row that has the same key. `replace` are columns that take the new values, `add` those that the new values are added to. */
export function updateOnConflict<Of extends Table>(
  table: Of, key: ColumnsOf<Of>, { replace = [], add = [] }: { readonly replace?: ColumnsOf<Of>; readonly add?: ColumnsOf<Of> },
): Sql {
  const replaced = replace.map((column) => `${column} = excluded.${column}`)
  const added = add.map((column) => `${column} = ${table.name}.${column} + excluded.${column}`)
  return sql`on conflict (${sql.join(key, ', ')}) do update set ${sql.join([...replaced, ...added], ', ')}`
}

type AnySource = string | ((row: unknown) => Element) | { readonly all: Element } | Sql

function sourcesOf(inserted: object): readonly (readonly [column: string, source: AnySource])[] {
  return Object.entries(inserted) as [string, AnySource][]
}

function paramsOf(table: Table, rows: readonly unknown[], inserted: object): Param[] {
  return sourcesOf(inserted).flatMap(([column, source]): Param[] => {
    if (typeof source === 'object') return 'all' in source ? [source.all] : []
    const read = typeof source === 'function' ? source : (row: unknown): Element => (row as Readonly<Record<string, Element>>)[source] as Element
    return [arrayOf(arrayType(table, column), rows.map(read))]
  })
}

/** Documents are sent as text. */
function arrayType(table: Table, column: string): ArrayParam['type'] {
  const type = typeOf(table, column)
  return type === 'jsonb' ? 'text' : type as ArrayParam['type']
}

function typeOf(table: Table, column: string): string {
  const type = table.columns[column] ?? 'text'
  return type.endsWith('?') ? type.slice(0, -1) : type
}

interface Known {
  /** The SQL that it was built from. */
  readonly parts: readonly (Statement | undefined)[]
  readonly statement: Statement
}

const statements = new WeakMap<Table, Map<string, Known>>()

/** The statement for these columns, built once. */
function statementOf(table: Table, inserted: object, conflict: Statement | undefined): Statement<never> {
  const sources = sourcesOf(inserted)
  const shape = sources.map(([column, source]) => `${column} ${typeof source === 'object'}`).join()
  const parts = [conflict, ...sources.flatMap(([, source]) => (typeof source === 'object' && 'parts' in source ? [source] : []))]
  const known = statements.get(table) ?? new Map<string, Known>()
  statements.set(table, known)
  const before = known.get(shape)
  if (before?.parts.every((part, index) => part === parts[index]) === true) return before.statement as Statement<never>
  const statement = buildInsert(table, sources, conflict)
  known.set(shape, { parts, statement })
  return statement
}

/** Calls `unnest` for each array in the select list: in `from`, the database would copy every array into a temporary table first. */
function buildInsert(table: Table, sources: readonly (readonly [string, AnySource])[], conflict: Statement | undefined): Statement<never> {
  const values = sources.map(([column, source], index) => {
    const type = typeOf(table, column)
    if (typeof source === 'object') return 'all' in source ? `$${index + 1}::${type}` : source
    return type === 'jsonb' ? `unnest($${index + 1}::text[])::jsonb` : `unnest($${index + 1}::${type}[])`
  })
  const names = sources.map(([column]) => `"${column}"`)
  return sql`${sql.insertInto(table)} (${sql.join(names, ', ')}) select ${sql.join(values, ', ')} ${conflict ?? ''}`
}
