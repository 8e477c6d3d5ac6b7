// The SQL statements that store what submissions created.

import { sql } from '../store/sql.ts'
import type { Queryable, Writable } from '../store/store.ts'
import { idx, txTables } from '../store/tables.ts'
import { arraysOf } from '../projections/array-params.ts'
import type { CreatedEntries } from './relay/created-entries.ts'
import type { SubmissionResult } from './submission-records.ts'

/** Stores what a transaction created, for the deployment that the index has. Without an index of that market nothing is stored. */
export async function insertCreated(
  tx: Writable, { market, orders, positions }: CreatedEntries, { hash, ledger, ts }: Pick<SubmissionResult, 'ledger' | 'ts'> & { readonly hash: string },
  nowMs: number,
): Promise<void> {
  if (ledger === null) return
  const rows = [
    ...orders.map(({ status, details }) => ({ kind: 'order', id: details.orderId, trader: details.trader, ts: details.createdAt, status, details })),
    ...positions.map((row) => ({ kind: 'position', id: row.positionId, trader: row.trader, ts: row.openedAt, status: 'open', details: { ...row,
      openedTxHash: hash } })),
  ].map((row) => ({ ...row, ts: ts ?? row.ts, details: JSON.stringify(row.details) }))
  await tx.run(
    sql`${sql.insertInto(txTables.created_entries)} (contract_epoch, kind, id, tx_hash, trader, ledger, ts, status, details, created_at)
     select p.contract_epoch, made.kind, made.id, $1, made.trader, $2::bigint, made.ts, made.status, made.details::jsonb, $3::bigint
     from ${idx.cursor} c join ${idx.epochs} p on p.number = c.epoch and p.contracts->>'market' = $4
       cross join unnest($5::text[], $6::bigint[], $7::text[], $8::bigint[], $9::text[], $10::text[]) made (kind, id, trader, ts, status, details)
     on conflict (contract_epoch, kind, id) do update set tx_hash = excluded.tx_hash, trader = excluded.trader, ledger = excluded.ledger, ts = excluded.ts,
       status = excluded.status, details = excluded.details, recorded = false, created_at = excluded.created_at`,
    [hash, ledger, nowMs, market, ...arraysOf(rows, { kind: 'text', id: 'bigint', trader: 'text', ts: 'bigint', status: 'text', details: 'text' })],
  )
}

/** Rows per statement of a purge. */
const PURGE_ROWS = 1_000

/** Deletes what was created before this time, in milliseconds. True when there may be more. */
export async function purgeCreated(db: Queryable, beforeMs: number): Promise<boolean> {
  const deleted = await db.query(
    sql`${sql.deleteFrom(txTables.created_entries)} where ctid = any(array(
      select ctid from ${txTables.created_entries} where created_at < $1 order by created_at limit ${PURGE_ROWS})) returning 1`,
    [beforeMs],
  )
  return deleted.length === PURGE_ROWS
}
