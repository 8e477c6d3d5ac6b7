// Copies all tables into one transaction of the target, in bounded batches, and compares both sides before it commits.

import type { Queryable } from '../store.ts'
import { countRows, readContent, readSequences, readTables } from './tables.ts'
import type { Table } from './tables.ts'

/** Rows per statement. */
const BATCH_ROWS = 1_000
/** Progress is reported after this many rows of a table. */
const REPORT_ROWS = 50_000

export interface CopyOptions {
  readonly source: Queryable
  /** In a transaction, which the caller commits unless this rejects. */
  readonly target: Queryable
  readonly onProgress: (progress: { readonly table: string; readonly done: number; readonly total: number }) => void
  /** Stops before the next batch. */
  readonly signal: AbortSignal
}

/** Raised when the target does not hold what the source holds. */
export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers'
}

/** Replaces the rows of the target. Both sides must have the same schema. Returns the number of rows. Raises CopyDiffers. */
export async function copyDatabase({ source, target, onProgress, signal }: CopyOptions): Promise<number> {
  await usePlainText(target)
  const tables = await readTables(source)
  // A new database is not completely empty: some migrations insert a first row.
  for (const { name } of tables.toReversed()) await target.query(`delete from ${name}`)
  let copied = 0
  for (const table of tables) {
    const total = await countRows(source, table)
    let reported = 0
    for await (const rows of readBatches(source, table)) {
      signal.throwIfAborted()
      await insertRows(target, table, rows)
      copied += rows.length
      reported += rows.length
      if (reported % REPORT_ROWS === 0) onProgress({ table: table.name, done: reported, total })
    }
    onProgress({ table: table.name, done: reported, total })
    await compare(source, target, table)
  }
  await copySequences(source, target)
  return copied
}

/** Both sides must write values as the same text, whatever the server's defaults are. */
async function usePlainText(target: Queryable): Promise<void> {
  await target.query("set local bytea_output = 'hex'; set local intervalstyle = 'postgres'; set local extra_float_digits = 1")
}

/** The rows of a table as text, in the order of its key. */
async function* readBatches(source: Queryable, { name, key }: Table): AsyncGenerator<readonly string[]> {
  if (key.length === 0) throw new Error(`${name} has no primary key to read it by`)
  const order = key.join(', ')
  const keyTexts = `array[${key.map((column) => `${column}::text`).join(', ')}]`
  let after: readonly (string | null)[] | null = null
  for (;;) {
    const where: string = after === null ? '' : `where (${order}) > (${key.map((_column, index) => `$${index + 1}`).join(', ')})`
    const rows: { row: string; key: readonly (string | null)[] }[] = await source.query(
      `select t::text as row, to_jsonb(${keyTexts}) as key from ${name} t ${where} order by ${order} limit ${BATCH_ROWS}`, after ?? [],
    )
    if (rows.length > 0) yield rows.map(({ row }) => row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH_ROWS) return
    after = last.key
  }
}

async function insertRows(target: Queryable, { name, columns }: Table, rows: readonly string[]): Promise<void> {
  // `offset 0` keeps the server from parsing each row once per column.
  await target.query(
    `insert into ${name} (${columns.join(', ')}) overriding system value
     select ${columns.map((column) => `(c.v).${column}`).join(', ')} from (select r::${name} as v from unnest($1::text[]) r offset 0) c`,
    [rows],
  )
}

async function compare(source: Queryable, target: Queryable, table: Table): Promise<void> {
  const [expected, found] = [await readContent(source, table), await readContent(target, table)]
  if (expected.rows !== found.rows) throw new CopyDiffers(`${table.name} has ${expected.rows} rows, its copy has ${found.rows}`)
  if (expected.checksum !== found.checksum) throw new CopyDiffers(`the checksum of the copy of ${table.name} differs`)
}

async function copySequences(source: Queryable, target: Queryable): Promise<void> {
  const values = await readSequences(source)
  for (const [name, value] of values) if (value !== null) await target.query('select setval($1::regclass, $2::bigint)', [name, value])
  const copied = await readSequences(target)
  for (const [name, value] of values) if (copied.get(name) !== value) throw new CopyDiffers(`the value of the sequence ${name} differs`)
}
