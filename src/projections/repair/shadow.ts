// A second copy of the projections in its own schema, built from the archive while the first copy is served, then swapped with it in one transaction.

import { StatementFailed } from '../../store/store.ts'
import type { Queryable } from '../../store/store.ts'
import { PROJECTIONS } from '../state/tables.ts'

const PROJECTION_NAME = new RegExp(`\\bidx\\.(${PROJECTIONS.join('|')})\\b`, 'g')

/** Runs the statements of the projections on the copy. All other tables stay the same. */
export function shadowOf(tx: Queryable): Queryable {
  return { query: (sql, params) => tx.query(sql.replaceAll(PROJECTION_NAME, 'shadow.$1'), params) }
}

/** Returns the targets of observations: the projections, and the copy while one is being built. */
export async function projectionTargets(tx: Queryable): Promise<readonly Queryable[]> {
  return (await shadowExists(tx)) ? [tx, shadowOf(tx)] : [tx]
}

export async function shadowExists(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ exists: boolean }>("select to_regnamespace('shadow') is not null as exists")
  return row?.exists === true
}

/** Creates an empty copy with the same columns, constraints and indexes, under the same names. Drops an earlier copy. */
export async function createShadow(tx: Queryable): Promise<void> {
  const [row] = await tx.query<{ ddl: string }>(
    `select string_agg(ddl, ';' order by step, ddl) as ddl from (
       select 1 as step, format('create table shadow.%1$I (like idx.%1$I including defaults including storage)', name) as ddl from unnest($1::text[]) t (name)
       union all
       select 2, format('alter table shadow.%I add constraint %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid))
       from pg_constraint k join pg_class c on c.oid = k.conrelid
       where c.relnamespace = to_regnamespace('idx') and c.relname = any($1::text[]) and k.contype in ('p', 'u', 'c', 'f')
       union all
       select 3, replace(pg_get_indexdef(i.indexrelid), ' ON idx.', ' ON shadow.')
       from pg_index i join pg_class c on c.oid = i.indrelid
       where c.relnamespace = to_regnamespace('idx') and c.relname = any($1::text[])
         and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = i.indrelid)
     ) statements`,
    [PROJECTIONS],
  )
  await dropShadow(tx)
  await tx.query(`create schema shadow;${row?.ddl ?? ''}`)
}

export async function dropShadow(tx: Queryable): Promise<void> {
  await tx.query('drop schema if exists shadow cascade')
}

/** Refreshes the planner's statistics of the copy, so that the first reads after the swap are planned well. */
export async function analyzeShadow(db: Queryable): Promise<void> {
  await db.query(`analyze ${PROJECTIONS.map((name) => `shadow.${name}`).join(', ')}`)
}

/** Time for which the swap waits for the reads of one table. Shorter than PostgreSQL's deadlock check, so that the swap gives way and no read fails. */
const SWAP_LOCK_TIMEOUT_MS = 200
const SQLSTATE_LOCK_NOT_AVAILABLE = '55P03'

/** True for the failure of a swap that reads were in the way of; it can be tried again. */
export function isSwapBlocked(error: unknown): boolean {
  return error instanceof StatementFailed && error.code === SQLSTATE_LOCK_NOT_AVAILABLE
}

/** Replaces the projections by the copy. */
export async function swapShadow(tx: Queryable): Promise<void> {
  await tx.query(`set local lock_timeout = ${SWAP_LOCK_TIMEOUT_MS}`)
  await tx.query([
    `drop table ${PROJECTIONS.map((name) => `idx.${name}`).join(', ')}`,
    ...PROJECTIONS.map((name) => `alter table shadow.${name} set schema idx`),
    'drop schema shadow',
  ].join(';'))
}

/** The number of rows that differ, by table. */
export type Differences = Readonly<Record<string, number>>

/** Compares the copy with the projections. Tables are compared by digest, and row by row only where the digests differ. */
export async function compareShadow(tx: Queryable): Promise<Differences> {
  const differences: Record<string, number> = {}
  for (const table of PROJECTIONS) {
    const count = await countDifferences(tx, table)
    if (count > 0) differences[table] = count
  }
  return differences
}

async function countDifferences(tx: Queryable, table: string): Promise<number> {
  const rowsOf = (schema: string): string => `select t::text as row from ${schema}.${table} t${table === 'open_interest' ? ' where t.positions <> 0' : ''}`
  const digestOf = (schema: string): string =>
    `(select concat_ws(' ', count(*), sum(hashtextextended(rows.row, 0)::numeric)) from (${rowsOf(schema)}) rows)`
  const [digests] = await tx.query<{ same: boolean }>(`select ${digestOf('idx')} = ${digestOf('shadow')} as same`)
  if (digests?.same === true) return 0
  const [row] = await tx.query<{ count: number }>(
    `select greatest((select count(*) from (${rowsOf('idx')} except all ${rowsOf('shadow')}) gone),
       (select count(*) from (${rowsOf('shadow')} except all ${rowsOf('idx')}) added)) as count`,
  )
  return row?.count ?? 0
}
