// Builds a long archive quickly: copies the rows that the indexer wrote to later ledgers, inside the database.

import type { Queryable, Writer } from '../../src/store/store.ts'

/** The tables to copy. The other projections hold totals and states, which no page of the log reads. */
const TABLES = ['events', 'ledgers', 'trades'] as const

/** The offset of a copy from the original. */
interface Stride {
  readonly events: number
  readonly ledgers: number
  readonly seconds: number
}

/** Copies until the archive is `times` as long, then updates the planner's statistics. */
export async function multiplyArchive(db: Writer, times: number): Promise<void> {
  const [stride] = await db.query<Stride>(
    `select count(*) as events, max(ledger) - min(ledger) + 1 as ledgers, max(ledger_close_ts) - min(ledger_close_ts) + 5 as seconds from idx.events`,
  )
  if (stride === undefined) throw new Error('The archive is empty')
  for (const table of TABLES) {
    const statement = copyStatement(table, await columnsOf(db, table))
    for (let copy = 1; copy < times; copy++) {
      await db.query(statement, [stride.events * copy, stride.ledgers * copy, stride.seconds * copy, stride.events])
    }
  }
  const copies = times - 1
  await db.query(
    'update idx.cursor set last_seq = last_seq + $1, last_ledger = last_ledger + $2, last_ledger_close_ts = last_ledger_close_ts + $3',
    [stride.events * copies, stride.ledgers * copies, stride.seconds * copies],
  )
  for (const table of TABLES) await db.query(`vacuum (analyze) idx.${table}`)
}

async function columnsOf(db: Queryable, table: string): Promise<readonly string[]> {
  const rows = await db.query<{ readonly name: string }>(
    'select column_name as name from information_schema.columns where table_schema = $1 and table_name = $2 order by ordinal_position',
    ['idx', table],
  )
  return rows.map(({ name }) => name)
}

/** The expressions for columns that differ between a copy and the original. */
const SHIFTED: Readonly<Record<string, string>> = {
  seq: 'seq + $1::bigint',
  first_seq: 'first_seq + $1::bigint',
  last_seq: 'last_seq + $1::bigint',
  ledger: 'ledger + $2::bigint',
  close_ts: 'close_ts + $3::bigint',
  ledger_close_ts: 'ledger_close_ts + $3::bigint',
  ts: 'ts + $3::bigint',
  event_id: `lpad((split_part(event_id, '-', 1)::bigint + ($2::bigint << 32))::text, 19, '0') || '-' || split_part(event_id, '-', 2)`,
}

function copyStatement(table: string, columns: readonly string[]): string {
  const isOriginal = table === 'ledgers' ? 'last_seq <= $4::bigint' : 'seq <= $4::bigint'
  const values = columns.map((column) => SHIFTED[column] ?? column).join(', ')
  // Every statement mentions all parameters, so that all tables take the same list.
  const usesParams = '$1::bigint is not null and $2::bigint is not null and $3::bigint is not null'
  return `insert into idx.${table} (${columns.join(', ')}) select ${values} from idx.${table} where ${isOriginal} and ${usesParams}`
}
