// Select lists that also are the types of their rows: a column is written once, and one that its table does not have is a compile error.

import { sql } from './sql.ts'
import type { ColumnType, SelectList, Sql, Table } from './sql.ts'

interface Values {
  readonly 'bigint': number
  readonly 'integer': number
  readonly 'smallint': number
  readonly 'double precision': number
  /** Digits. */
  readonly 'numeric': string
  readonly 'text': string
  readonly 'boolean': boolean
  readonly 'bytea': Uint8Array
  /** Parsed. */
  readonly 'jsonb': unknown
}

/** The type of a column's values, as both engines return them (store.ts). */
type ValueOf<Type extends ColumnType> =
  Type extends `${infer Given extends ColumnType}?` ? ValueOf<Given> | null
    : Type extends `${infer Element extends keyof Values}[]` ? readonly Values[Element][]
      : Type extends keyof Values ? Values[Type] : never

/** A value of SQL that is no column. */
export interface Expression<out Value> {
  readonly expression: Sql
  /** Only the compiler reads this. */
  readonly value?: Value
}

/** A value that SQL computes: `expression<string | null>(sql`…`)`. */
export function expression<Value>(text: Sql): Expression<Value> {
  return { expression: text }
}

/** The type of a column that says more than its table: `['payload', type<Payload | null>]`. */
export function type<Value>(value?: Value): Value | undefined {
  return value
}

type Entry<Name extends string> = Name | readonly [Name, () => unknown] | Expression<unknown>
type EntryValue<Of extends Table, E> =
  E extends keyof Of['columns'] ? ValueOf<Of['columns'][E]>
    : E extends readonly [string, () => infer Value] ? Exclude<Value, undefined>
      : E extends Expression<infer Value> ? Value : never

/** The select list of columns of a table with this alias, by their names in a row. */
export function columns<Of extends Table, const Entries extends Readonly<Record<string, Entry<keyof Of['columns'] & string>>>>(
  _table: Of, alias: string, entries: Entries,
): SelectList<{ readonly [Name in keyof Entries]: EntryValue<Of, Entries[Name]> }> {
  const values = Object.entries<Entry<string>>(entries)
  return selectList(Object.fromEntries(values.map(([name, entry]) => [name, textOfEntry(entry, alias)])))
}

function textOfEntry(entry: Entry<string>, alias: string): Sql | string {
  if (typeof entry === 'string') return `${alias}.${entry}`
  return 'expression' in entry ? entry.expression : `${alias}.${entry[0]}`
}

/** The same select list in an outer join, which has a row of nulls where it finds none. */
export function outerJoined<Row extends object>(list: SelectList<Row>): SelectList<Row | { readonly [Name in keyof Row]: null }> {
  return list
}

/** The select list of values that SQL computes, by their names in a row. */
export function expressions<const Entries extends Readonly<Record<string, Expression<unknown>>>>(
  entries: Entries,
): SelectList<{ readonly [Name in keyof Entries]: Entries[Name] extends Expression<infer Value> ? Value : never }> {
  return selectList(Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, entry.expression])))
}

/** The type of the rows of a select list. */
export type RowOf<List extends SelectList> = List extends SelectList<infer Row> ? Row : never

/** The select list of some SQL, by its names in a row. */
export function selectList(entries: Readonly<Record<string, Sql | string>>): Sql {
  return sql.join(Object.entries(entries).flatMap(([name, entry], index) => [index === 0 ? '' : ', ', entry, ` as "${name}"`]), '')
}
