// A second copy of the projections in its own schema, built from the archive while the first copy is served, then swapped with it in one transaction.

import { mappedWritable } from '../../store/scoped-store.ts'
import { expression, expressions } from '../../store/columns.ts'
import { sql, tableIn } from '../../store/sql.ts'
import type { Sql, SchemaMapping, Table } from '../../store/sql.ts'
import { StatementFailed } from '../../store/store.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { PROJECTIONS } from '../state/tables.ts'

const SHADOW = sql.schema('shadow')
const NAMES: ReadonlySet<string> = new Set(PROJECTIONS)
const toShadow: SchemaMapping = (schema, table) => (schema === 'idx' && table !== null && NAMES.has(table) ? 'shadow' : schema)

/** Runs the statements of the projections on the copy. All other tables stay the same. */
export function shadowOf(tx: Writable): Writable {
  return mappedWritable(tx, toShadow)
}

/** Returns the targets of observations: the projections, and the copy while one is being built. */
export async function projectionTargets(tx: Writable): Promise<readonly Writable[]> {
  return (await shadowExists(tx)) ? [tx, shadowOf(tx)] : [tx]
}

export async function shadowExists(db: Queryable): Promise<boolean> {
  const exists = expression<boolean>(sql`to_regnamespace(${sql.schemaText('shadow')}) is not null`)
  const [row] = await db.query(sql`select ${expressions({ exists })}`)
  return row?.exists === true
}

const copies = PROJECTIONS.map((name) => tableIn(idx[name], 'shadow'))

/** Creates an empty copy with the same columns, constraints and indexes, under the same names. Drops an earlier copy. */
export async function createShadow(tx: Writable): Promise<void> {
  await dropShadow(tx)
  await tx.run(sql.join([
    sql`create schema ${SHADOW}`,
    ...PROJECTIONS.map((name) => sql`create table ${tableIn(idx[name], 'shadow')} (like ${idx[name]} including defaults including storage)`),
    // The database names the schema of a table in a definition only where the path does not have it: the definitions below are those of both copies.
    sql`set local search_path = ${sql.schema('idx')}`,
  ], ';'))
  const ddl = expression<string | null>(sql`string_agg(s.ddl, ';' order by s.step, s.ddl)`)
  const [row] = await tx.query(
    sql`select ${expressions({ ddl })} from (
       select 1 as step, format('alter table %I add constraint %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid)) as ddl
       from pg_constraint k join pg_class c on c.oid = k.conrelid
       where c.relnamespace = to_regnamespace(${sql.schemaText('idx')}) and c.relname = any($1::text[]) and k.contype in ('p', 'u', 'c', 'f')
       union all
       select 2, pg_get_indexdef(i.indexrelid, 0, true)
       from pg_index i join pg_class c on c.oid = i.indrelid
       where c.relnamespace = to_regnamespace(${sql.schemaText('idx')}) and c.relname = any($1::text[])
         and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = i.indrelid)
     ) s`,
    [PROJECTIONS],
  )
  await tx.run(sql.join([
    sql`set local search_path = ${SHADOW}, ${sql.schema('idx')}`, sql.raw(row?.ddl ?? ''), sql`set local search_path = public`,
  ], ';'))
}

export async function dropShadow(tx: Writable): Promise<void> {
  await tx.run(sql`drop schema if exists ${SHADOW} cascade`)
}

/** Refreshes the planner's statistics of the copy, so that the first reads after the swap are planned well. */
export async function analyzeShadow(db: Writable): Promise<void> {
  await db.run(sql`analyze ${sql.join(copies.map((copy) => sql`${copy}`), ', ')}`)
}

/** Time for which the swap waits for the reads of one table. Shorter than PostgreSQL's deadlock check, so that the swap gives way and no read fails. */
const SWAP_LOCK_TIMEOUT_MS = 200
const SQLSTATE_LOCK_NOT_AVAILABLE = '55P03'

/** True for the failure of a swap that reads were in the way of; it can be tried again. */
export function isSwapBlocked(error: unknown): boolean {
  return error instanceof StatementFailed && error.code === SQLSTATE_LOCK_NOT_AVAILABLE
}

/** Replaces the projections by the copy. */
export async function swapShadow(tx: Writable): Promise<void> {
  await tx.run(sql`set local lock_timeout = ${SWAP_LOCK_TIMEOUT_MS}`)
  await tx.run(sql.join([
    sql`drop table ${sql.join(PROJECTIONS.map((name) => sql`${idx[name]}`), ', ')}`,
    ...copies.map((copy) => sql`alter table ${copy} set schema ${sql.schema('idx')}`),
    sql`drop schema ${SHADOW}`,
  ], ';'))
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

async function countDifferences(tx: Queryable, name: typeof PROJECTIONS[number]): Promise<number> {
  const rowsOf = (table: Table): Sql => sql`select t::text as row from ${table} t${name === 'open_interest' ? ' where t.positions <> 0' : ''}`
  const rows = rowsOf(idx[name])
  const copied = rowsOf(tableIn(idx[name], 'shadow'))
  const digestOf = (from: Sql): Sql => sql`(select concat_ws(' ', count(*), sum(hashtextextended(rows.row, 0)::numeric)) from (${from}) rows)`
  const same = expression<boolean>(sql`${digestOf(rows)} = ${digestOf(copied)}`)
  const [digests] = await tx.query(sql`select ${expressions({ same })}`)
  if (digests?.same === true) return 0
  const count = expression<number>(
    sql`greatest((select count(*) from (${rows} except all ${copied}) gone), (select count(*) from (${copied} except all ${rows}) added))`)
  const [row] = await tx.query(sql`select ${expressions({ count })}`)
  return row?.count ?? 0
}
