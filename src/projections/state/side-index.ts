// The index of a deployment that is not served: a complete index in its own schema, so that nothing of it mixes with the served one
// (docs/decisions/several-deployments.md).

import { createHash } from 'node:crypto'
import { scopedQueryable, scopedWritable } from '../../store/scoped-store.ts'
import { columns, expression } from '../../store/columns.ts'
import { sql, tableIn } from '../../store/sql.ts'
import type { Queryable, Writable, Writer } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
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

async function createTables(tx: Writable, schema: string): Promise<void> {
  await tx.run(sql.join([
    sql`create schema ${sql.schema(schema)}`,
    ...Object.values(idx).map((table) => sql`create table ${tableIn(table, schema)} (like ${table} including all)`),
    sql`${sql.insertInto(tableIn(idx.cursor, schema))} default values`,
  ], ';'))
}

const ADOPTED = columns(idx.epochs, 'e', {
  number: 'number', cursor: expression<string | null>(sql`case when e.number = c.epoch then c.cursor else e.final_cursor end`),
})

/** Copies what the served index archived of this market on the current chain. The projections are rebuilt from it, and indexing continues after it. */
async function adoptHistory(tx: Writable, schema: string, market: string): Promise<void> {
  const epochs = await tx.query(
    sql`select ${ADOPTED} from ${idx.epochs} e cross join ${idx.cursor} c
     where e.contracts->>'market' = $1 and e.chain = (select h.chain from ${idx.epochs} h where h.number = c.epoch) order by e.number`,
    [market],
  )
  const last = epochs.at(-1)
  if (last === undefined) return
  const numbers = epochs.map(({ number }) => number)
  await copyRows(tx, schema, { column: 'epoch', values: numbers, except: ['cursor', 'epochs', 'repairs'] })
  await copyRows(tx, schema, { column: 'contract_epoch', values: numbers, except: [...PROJECTIONS, 'epochs'] })
  await tx.run(sql`${sql.insertInto(tableIn(idx.epochs, schema))} select * from ${idx.epochs} where number = any($1::int[])`, [numbers])
  for (const table of [idx.anchors, idx.contract_versions]) {
    await tx.run(
      sql`${sql.insertInto(tableIn(table, schema))} select * from ${table} where chain = (select chain from ${idx.epochs} where number = $1)`, [last.number],
    )
  }
  await tx.run(sql`${sql.insertInto(tableIn(idx.contract_code, schema))} select * from ${idx.contract_code}`)
  const side = scopedWritable(tx, schema)
  await side.run(sql`${sql.update(idx.epochs)} set final_cursor = null where number = $1`, [last.number])
  await side.run(sql`${sql.update(idx.epoch_ranges)} set last_seq = null where first_seq = (select max(first_seq) from ${idx.epoch_ranges})`)
  await tx.run(
    sql`${sql.update(tableIn(idx.cursor, schema))} set epoch = $1, cursor = $2,
       start_ledger = (select start_ledger from ${tableIn(idx.epochs, schema)} where number = $1),
       last_seq = coalesce((select max(seq) from ${tableIn(idx.events, schema)}), 0),
       reserved_seq = (select greatest(c.last_seq, c.reserved_seq) from ${idx.cursor} c), updated_at = (select c.updated_at from ${idx.cursor} c),
       unknown_events = (select count(*) from ${tableIn(idx.events, schema)} where problem is not null)`,
    [last.number, last.cursor],
  )
}

/** Copies the rows of every table with this column whose value is one of these. */
async function copyRows(
  tx: Writable,
  schema: string,
  { column, values, except }: { readonly column: 'epoch' | 'contract_epoch'; readonly values: readonly number[]; readonly except: readonly string[] },
): Promise<void> {
  for (const table of Object.values(idx)) {
    if (!(column in table.columns) || except.includes(table.name)) continue
    await tx.run(sql`${sql.insertInto(tableIn(table, schema))} select * from ${table} where ${column} = any($1::int[])`, [values])
  }
}
