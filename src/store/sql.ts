// SQL as the code writes it: texts with the tables that they name. The schemas of these tables are given when a statement runs (docs/decisions/statements.md).

/** A column's PostgreSQL type; `?` when it may be null. */
export type ColumnType = `${TypeName}${'' | '[]'}${'' | '?'}`
type TypeName = 'bigint' | 'integer' | 'smallint' | 'double precision' | 'numeric' | 'text' | 'boolean' | 'bytea' | 'jsonb'

type TableColumns = Readonly<Record<string, ColumnType>>

/** A table with its columns (src/store/tables.ts). */
export interface Table<Of extends TableColumns = TableColumns> {
  readonly schema: string
  readonly name: string
  readonly columns: Of
}

/** The name of a schema, as an identifier or as a text in quotes. */
interface SchemaName {
  readonly schemaName: string
  readonly isQuoted: boolean
}

type Part = string | Table | SchemaName

/** A statement, or a part of one. `Row` is the type of its rows; `never`: the caller that runs it names their type. Immutable. */
export interface Statement<out Row extends object = object> {
  readonly parts: readonly Part[]
  /** Every table that it names. */
  readonly tables: ReadonlySet<Table>
  /** Those of them that it changes. */
  readonly changes: ReadonlySet<Table>
  /** True for an insert that names no other table. */
  readonly isPlainInsert: boolean
  /** Only the compiler reads this. */
  readonly row?: Row
}

/** A part without rows of its own. */
export type Sql = Statement<never>

/** A select list, with the type of the rows that it selects. */
export interface SelectList<out Row extends object = object> extends Sql {
  /** Only the compiler reads this. */
  readonly selects?: Row
}

/** What a text may contain: no value of a parameter, which is `$1…`, and no text that is known only when the program runs. */
type Span = Table | Statement | SelectList | SchemaName | string | number
type Known<S> = S extends string ? (string extends S ? 'A text must be a constant, a statement, or sql.raw' : S) : S

type Selected<Spans extends readonly unknown[]> = Spans extends readonly [infer First, ...infer Rest]
  ? (First extends { readonly selects?: infer Row extends object } ? (object extends Row ? unknown : Row) : unknown) & Selected<Rest>
  : unknown
type RowOf<Spans extends readonly unknown[]> = unknown extends Selected<Spans> ? never : Extract<Selected<Spans>, object>

interface Built {
  readonly spans: readonly unknown[]
  readonly statement: Statement
}

/** By the place in the code: a text with the same spans is built once. */
const built = new WeakMap<TemplateStringsArray, Built>()

/** Builds a statement, or a part of one. */
function tag<const Spans extends readonly Span[]>(
  texts: TemplateStringsArray, ...spans: Spans & { readonly [Index in keyof Spans]: Known<Spans[Index]> }
): Statement<RowOf<Spans>> {
  const known = built.get(texts)
  if (known !== undefined && spans.every((span, index) => span === known.spans[index])) return known.statement as Statement<RowOf<Spans>>
  const statement = build(texts.flatMap((text, index) => (index === 0 ? [text] : [spans[index - 1] ?? '', text])))
  built.set(texts, { spans, statement })
  return statement
}

function build(spans: readonly Span[]): Sql {
  const parts: Part[] = []
  const changes = new Set<Table>()
  let inserts = 0
  const add = (part: Part | number): void => {
    const last = parts.at(-1)
    if (typeof part === 'object') parts.push(part)
    else if (typeof last === 'string') parts[parts.length - 1] = last + part
    else parts.push(String(part))
  }
  for (const span of spans) {
    if (typeof span !== 'object' || !('parts' in span)) {
      add(span)
      continue
    }
    if (span.isPlainInsert) inserts++
    for (const part of span.parts) add(part)
    for (const table of span.changes) changes.add(table)
  }
  const named = parts.filter(isTable)
  return { parts, tables: new Set(named), changes, isPlainInsert: inserts === 1 && named.length === 1 }
}

function isTable(part: Part): part is Table {
  return typeof part === 'object' && 'name' in part
}

function change(verb: string, table: Table): Sql {
  return { parts: [`${verb} `, table], tables: new Set([table]), changes: new Set([table]), isPlainInsert: verb === 'insert into' }
}

/** Returns the value that `make` makes for a key, once per key. */
function once<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>()
  return (key) => {
    const value = known.get(key) ?? make(key)
    known.set(key, value)
    return value
  }
}

/** Writes a statement, or a part of one: `` sql`select … from ${idx.events} where seq = $1` ``. */
export const sql = Object.assign(tag, {
  /** Text that the code has put together. Never an input of a caller. */
  raw: (text: string): Sql => build([text]),
  /** The parts with a text between them. */
  join: (parts: readonly (Statement | string)[], separator: string): Sql =>
    build(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]))),
  /** `insert into` the table: a statement changes only tables that it names by one of these three. */
  insertInto: once((table: Table) => change('insert into', table)),
  /** `update` the table. */
  update: once((table: Table) => change('update', table)),
  /** `delete from` the table. */
  deleteFrom: once((table: Table) => change('delete from', table)),
  /** The name of a schema as an identifier. */
  schema: (schemaName: string): SchemaName => ({ schemaName, isQuoted: false }),
  /** The name of a schema as a text in quotes. */
  schemaText: (schemaName: string): SchemaName => ({ schemaName, isQuoted: true }),
})

const moved = new WeakMap<Table, Map<string, Table>>()

/** The table of this name in another schema. */
export function tableIn<T extends Table>(table: T, schema: string): T {
  if (table.schema === schema) return table
  const known = moved.get(table) ?? new Map<string, Table>()
  moved.set(table, known)
  const copy = known.get(schema) ?? { ...table, schema }
  known.set(schema, copy)
  return copy as T
}

/** Maps the schema of a table to that in which a statement finds it. A schema by itself has no table. */
export type SchemaMapping = (schema: string, table: string | null) => string

const mapped = new WeakMap<Statement, Map<SchemaMapping, Statement>>()

/** The statement with its tables in other schemas. Built once for a statement and a mapping. */
export function withSchemas<Row extends object>(statement: Statement<Row>, mapping: SchemaMapping): Statement<Row> {
  const known = mapped.get(statement) ?? new Map<SchemaMapping, Statement>()
  mapped.set(statement, known)
  const result = known.get(mapping) ?? mapSchemas(statement, mapping)
  known.set(mapping, result)
  return result as Statement<Row>
}

function mapSchemas({ parts, tables, changes, isPlainInsert }: Statement, mapping: SchemaMapping): Statement {
  const map = (table: Table): Table => tableIn(table, mapping(table.schema, table.name))
  const mapPart = (part: Part): Part => {
    if (typeof part === 'string') return part
    return isTable(part) ? map(part) : { ...part, schemaName: mapping(part.schemaName, null) }
  }
  return { parts: parts.map(mapPart), tables: new Set([...tables].map(map)), changes: new Set([...changes].map(map)), isPlainInsert }
}

const rendered = once((statement: Statement): string => statement.parts.map(renderPart).join(''))

function renderPart(part: Part): string {
  if (typeof part === 'string') return part
  if (isTable(part)) return `${part.schema}.${part.name}`
  return part.isQuoted ? `'${part.schemaName}'` : part.schemaName
}

/** The text that the database receives. */
export function textOf(statement: Statement | string): string {
  return typeof statement === 'string' ? statement : rendered(statement)
}
