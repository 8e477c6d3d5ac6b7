// The index of a deployment that is not served: a complete index in its own schema, so that nothing of it mixes with the served one
// (docs/decisions/several-deployments.md).

import { createHash } from 'node:crypto'
import { scopedQueryable } from '../../store/scoped-store.ts'
import type { Queryable, Writer } from '../../store/store.ts'
import { PROJECTIONS } from './tables.ts'

const SCHEMA_PREFIX = 'side_'
const SCHEMA_DIGITS = 16

/** The schema of a deployment's own index. Names of manifests may have characters that identifiers may not. */
export function sideSchema(deployment: string): string {
  return SCHEMA_PREFIX + createHash('sha256').update(deployment).digest('hex').slice(0, SCHEMA_DIGITS)
}

/** The lists of a deployment: its own index when it has one; undefined when the served index has everything that is known of it. */
export async function readSideIndex(db: Queryable, deployment: string): Promise<Queryable | undefined> {
  const schema = sideSchema(deployment)
  const [row] = await db.query<{ exists: boolean }>('select to_regnamespace($1) is not null as exists', [schema])
  return row?.exists === true ? scopedQueryable(db, schema) : undefined
}

/**
 * Creates the index of a deployment, with what the served index knows of it: an old deployment keeps its history. May run in several processes at once.
 */
export async function prepareSideIndex(db: Writer, deployment: string, market: string): Promise<void> {
  const schema = sideSchema(deployment)
  await db.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [schema])
    const [row] = await tx.query<{ exists: boolean }>('select to_regnamespace($1) is not null as exists', [schema])
    if (row?.exists !== true) {
      await createTables(tx, schema)
      await adoptHistory(tx, schema, market)
    }
  })
}

async function createTables(tx: Queryable, schema: string): Promise<void> {
  const [row] = await tx.query<{ ddl: string }>(
    `select string_agg(format('create table ${schema}.%1$I (like idx.%1$I including all)', tablename), ';' order by tablename) as ddl
     from pg_tables where schemaname = 'idx'`,
  )
  await tx.query(`create schema ${schema};${row?.ddl ?? ''};insert into ${schema}.cursor default values`)
}

/** Copies what the served index archived of this market on the current chain. The projections are rebuilt from it, and indexing continues after it. */
async function adoptHistory(tx: Queryable, schema: string, market: string): Promise<void> {
  const epochs = await tx.query<{ number: number; cursor: string | null }>(
    `select e.number, case when e.number = c.epoch then c.cursor else e.final_cursor end as cursor
     from idx.epochs e cross join idx.cursor c
     where e.contracts->>'market' = $1 and e.chain = (select h.chain from idx.epochs h where h.number = c.epoch) order by e.number`,
    [market],
  )
  const last = epochs.at(-1)
  if (last === undefined) return
  const numbers = epochs.map(({ number }) => number)
  await copyRows(tx, schema, { column: 'epoch', values: numbers, except: ['cursor', 'epochs', 'repairs'] })
  await copyRows(tx, schema, { column: 'deployment', values: numbers, except: [...PROJECTIONS, 'epochs'] })
  await tx.query(`insert into ${schema}.epochs select * from idx.epochs where number = any($1::int[])`, [numbers])
  for (const table of ['anchors', 'contract_versions']) {
    await tx.query(`insert into ${schema}.${table} select * from idx.${table} where chain = (select chain from idx.epochs where number = $1)`, [last.number])
  }
  await tx.query(`insert into ${schema}.contract_code select * from idx.contract_code`)
  await tx.query(`update ${schema}.epochs set final_cursor = null where number = $1`, [last.number])
  await tx.query(`update ${schema}.sections set last_seq = null where first_seq = (select max(first_seq) from ${schema}.sections)`)
  await tx.query(
    `update ${schema}.cursor set epoch = $1, cursor = $2, start_ledger = (select start_ledger from ${schema}.epochs where number = $1),
       last_seq = coalesce((select max(seq) from ${schema}.events), 0), reserved_seq = (select greatest(c.last_seq, c.reserved_seq) from idx.cursor c),
       updated_at = (select c.updated_at from idx.cursor c),
       unknown_events = (select count(*) from ${schema}.events where problem is not null)`,
    [last.number, last.cursor],
  )
}

/** Copies the rows of every table with this column whose value is one of these. */
async function copyRows(
  tx: Queryable,
  schema: string,
  { column, values, except }: { readonly column: string; readonly values: readonly number[]; readonly except: readonly string[] },
): Promise<void> {
  const tables = await tx.query<{ name: string }>(
    "select table_name as name from information_schema.columns where table_schema = 'idx' and column_name = $1 and table_name <> all($2::text[])",
    [column, except],
  )
  for (const { name } of tables) await tx.query(`insert into ${schema}.${name} select * from idx.${name} where ${column} = any($1::int[])`, [values])
}
