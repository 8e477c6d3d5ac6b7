// Restores a database to its state after the migrations, so that tests can use one engine after another.

import type { Queryable, Writer } from '../../src/store/store.ts'

/** Content of a migrated database before a test writes to it. */
export interface Baseline {
  /** Empties all tables and restarts all sequences. */
  readonly clear: string
  /** The rows that migrations inserted, as JSON, by table. */
  readonly rows: readonly (readonly [table: string, json: string])[]
  /** Changes when a test creates or drops anything. */
  readonly catalog: string
}

export async function readBaseline(db: Queryable): Promise<Baseline> {
  const tables = await names(
    db, `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname !~ '^(pg_|information_schema)' order by 1`,
  )
  const sequences = await names(db, `select format('%I.%I', schemaname, sequencename) as name from pg_sequences order by 1`)
  const rows: [string, string][] = []
  for (const table of tables) {
    const [row] = await db.query<{ json: string | null }>(`select json_agg(t)::text as json from ${table} t`)
    if (typeof row?.json === 'string') rows.push([table, row.json])
  }
  const clear = [deletionOf(tables), ...sequences.map((sequence) => `alter sequence ${sequence} restart`)]
  return { clear: clear.join('; '), rows, catalog: await readCatalog(db) }
}

/**
 * SQL that empties the tables. One statement, so that references between the rows are checked after all of them are gone. For small tables it is much faster
 * than `truncate`.
 */
export function deletionOf(tables: readonly string[]): string {
  return `with ${tables.map((table, index) => `d${index} as (delete from ${table})`).join(', ')} select`
}

async function names(db: Queryable, sql: string): Promise<string[]> {
  return (await db.query<{ name: string }>(sql)).map(({ name }) => name)
}

async function readCatalog(db: Queryable): Promise<string> {
  const [row] = await db.query<{ catalog: string }>(
    `select concat_ws(' ', (select count(*) from pg_class), (select max(oid) from pg_class), (select count(*) from pg_proc),
       (select count(*) from pg_namespace), (select count(*) from pg_constraint), (select count(*) from pg_type)) as catalog`,
  )
  return row?.catalog ?? ''
}

/** False, with nothing changed, when the schema is no longer that of the baseline. No lock or transaction may be open. */
export async function restoreBaseline(db: Writer, baseline: Baseline): Promise<boolean> {
  if ((await readCatalog(db)) !== baseline.catalog) return false
  await db.transaction(async (tx) => {
    await tx.query(baseline.clear)
    for (const [table, json] of baseline.rows) {
      await tx.query(`insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1::json)`, [json])
    }
  })
  return true
}
