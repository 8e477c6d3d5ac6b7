// The archived events of transactions, by hash.

import type { EventRow } from '../../resources/event-row.ts'
import { selectList } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { EVENT_COLUMNS, LISTED, toEventRow } from './events.ts'
import type { RawEventRow } from './events.ts'
import { PRESENT_HEAD } from '../state/as-of.ts'
import { headOf } from './log-list.ts'
import type { Head } from './page.ts'

/** The ledger of a transaction. */
export interface ArchivedPlace {
  readonly ledger: number
  /** Close time, Unix seconds. */
  readonly ts: number
}

/** The state of the index. */
export async function readIndexHead(db: Queryable): Promise<Head> {
  return headOf(await db.query(sql`select ${PRESENT_HEAD} from ${idx.cursor} c`))
}

/** The ledgers of those of these transactions that have archived events. Only successful transactions have events. */
export async function readArchivedLedgers(db: Queryable, hashes: readonly string[]): Promise<ReadonlyMap<string, ArchivedPlace>> {
  const rows = await db.query<ArchivedPlace & { readonly hash: string }>(
    sql`select e.tx_hash as hash, max(e.ledger) as ledger, max(e.ledger_close_ts) as ts from ${idx.events} e
      where e.tx_hash = any($1::text[]) group by e.tx_hash`,
    [hashes],
  )
  return new Map(rows.map(({ hash, ledger, ts }) => [hash, { ledger, ts }]))
}

/** The exchange's events of these transactions in their order, by hash; only those up to `throughSeq` when it is given. */
export async function readTransactionEvents(
  db: Queryable, hashes: readonly string[], throughSeq?: number,
): Promise<ReadonlyMap<string, readonly EventRow[]>> {
  const columns = selectList(EVENT_COLUMNS)
  const rows = await db.query<RawEventRow>(
    sql`select r.seq, ${columns} from ${idx.events} r where r.tx_hash = any($1::text[]) and ($2::bigint is null or r.seq <= $2) and ${LISTED} order by r.seq`,
    [hashes, throughSeq ?? null],
  )
  return Map.groupBy(rows.map(toEventRow), ({ txHash }) => txHash)
}
