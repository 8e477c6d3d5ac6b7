// The SQL statements that correct final states of submissions.

import type { ArchivedPlace } from '../projections/log/transaction-events.ts'
import { columns, expression } from '../store/columns.ts'
import { sql } from '../store/sql.ts'
import type { Queryable, Writable } from '../store/store.ts'
import { idx, txTables } from '../store/tables.ts'
import type { SubmissionRecord, SubmissionResult } from './submission-records.ts'
import { SUBMISSION, toJson } from './statements.ts'

/** Replaces a final state by an outcome. Undefined when the state has changed since it was read. */
export async function replaceOutcome(
  tx: Queryable, { id, status: wrong }: Pick<SubmissionRecord, 'id' | 'status'>, status: 'SUCCESS' | 'FAILED', result: SubmissionResult, nowMs: number,
): Promise<SubmissionRecord | undefined> {
  const { ledger, ts, contractError, hostError, txResultCode, resultXdr, message, orderId, confirmedBy, nodes } = result
  const [row] = await tx.query(
    sql`${sql.update(txTables.submissions)} s set status = $3, ledger = $4, ts = $5, contract_error = $6::jsonb, host_error = $7::jsonb,
      tx_result_code = $8, result_xdr = $9, message = $10, order_id = $12, position_id = null, updated_at = $11, confirmed_by = $13, nodes = $14,
      is_indexed = false, envelopes = '[]', due_at = null, driver = null, leased_until = null
    where id = $1 and status = $2 returning ${SUBMISSION}`,
    [
      id, wrong, status, ledger, ts, toJson(contractError), toJson(hostError), txResultCode, resultXdr, message, nowMs, orderId, confirmedBy, nodes,
    ],
  )
  return row
}

/** Drives a submission again whose outcome is in no ledger. Undefined when the state has changed since it was read. */
export async function driveAgain(tx: Queryable, { id, status }: Pick<SubmissionRecord, 'id' | 'status'>, nowMs: number): Promise<SubmissionRecord | undefined> {
  const [row] = await tx.query(
    sql`${sql.update(txTables.submissions)} s set status = 'PENDING', ledger = null, ts = null, contract_error = null, host_error = null, tx_result_code = null,
      result_xdr = null, message = null, order_id = null, position_id = null, confirmed_by = null, nodes = null, is_indexed = false,
      updated_at = $3, due_at = $3, driver = null, leased_until = null
    where id = $1 and status = $2 returning ${SUBMISSION}`,
    [id, status, nowMs],
  )
  return row
}

const IS_NEWS = columns(txTables.submissions, 's', {
  isNews: expression<boolean>(sql`before.confirmed_by is not null and before.confirmed_by is distinct from s.confirmed_by`),
})

/** Stores how many nodes report an outcome, and ends its confirmation. Undefined unless that number was known and has changed. */
export async function endConfirmation(
  tx: Queryable, { id, status }: Pick<SubmissionRecord, 'id' | 'status'>, { confirmedBy, nodes }: Pick<SubmissionResult, 'confirmedBy' | 'nodes'>,
): Promise<SubmissionRecord | undefined> {
  const [row] = await tx.query(
    sql`${sql.update(txTables.submissions)} s set confirmed_by = $3, nodes = $4, envelopes = '[]', due_at = null, driver = null, leased_until = null
    from (select id, confirmed_by, nodes from ${txTables.submissions} where id = $1 for update) before
    where s.id = before.id and s.status = $2
    returning ${SUBMISSION}, ${IS_NEWS}`,
    [id, status, confirmedBy, nodes],
  )
  return row?.isNews === true ? row : undefined
}

/** Tries to confirm an outcome later; null: never again. Ends the lease. */
export async function postponeConfirmation(tx: Writable, { id, status }: Pick<SubmissionRecord, 'id' | 'status'>, dueMs: number | null): Promise<void> {
  await tx.run(
    sql`${sql.update(txTables.submissions)} set due_at = $3, driver = null, leased_until = null,
      envelopes = case when $3::bigint is null then '[]' else envelopes end
    where id = $1 and status = $2`,
    [id, status, dueMs],
  )
}

/**
 * The archived place of each of these transactions that has events. Events of a chain that began after the state was stored do not contradict it: the network
 * was reset, and applied the envelope once more.
 */
const PROOF = sql`cross join lateral (
    select max(e.ledger) as ledger, max(e.ledger_close_ts) as ts from ${idx.events} e
    where e.tx_hash = s.hash and exists (select 1 from ${idx.epochs} p where p.chain = e.chain and p.started_at <= s.updated_at)
  ) proof`

const PLACE = columns(idx.events, 'proof', { archivedLedger: 'ledger', archivedTs: expression<number>(sql`proof.ts`) })
const ID = columns(txTables.submissions, 's', { id: 'id' })

/** The archived places of submissions, by id. */
export async function readProofs(db: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, ArchivedPlace>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query(
    sql`select ${ID}, ${PLACE} from ${txTables.submissions} s ${PROOF} where s.id = any($1::bigint[]) and proof.ledger is not null`, [ids],
  )
  return new Map(rows.map(({ id, archivedLedger: ledger, archivedTs: ts }) => [id, { ledger, ts }]))
}

/** Submissions without success that the archive contradicts, with their archived places. Considers the newest `limit` that are not compared yet. */
export async function listContradicted(
  db: Queryable, limit: number,
): Promise<readonly { readonly record: SubmissionRecord; readonly place: ArchivedPlace }[]> {
  const rows = await db.query(
    sql`select ${SUBMISSION}, ${PLACE} from (
      select * from ${txTables.submissions} where not is_indexed and status in ('FAILED', 'REJECTED', 'EXPIRED', 'UNKNOWN') order by id desc limit $1
    ) s ${PROOF} where proof.ledger is not null`,
    [limit],
  )
  return rows.map(({ archivedLedger, archivedTs, ...record }) => ({ record, place: { ledger: archivedLedger, ts: archivedTs } }))
}

const UNBOUNDED_SEC = 24 * 60 * 60

/**
 * Ends the comparison with the archive of those that it does not contradict and whose time bound is before the last indexed ledger: no later ledger can have
 * their events.
 */
export async function endComparisons(db: Writable, limit: number): Promise<void> {
  await db.run(
    sql`${sql.update(txTables.submissions)} set is_indexed = true where id in (
      select s.id from ${txTables.submissions} s cross join ${idx.cursor} c ${PROOF}
      where proof.ledger is null and not s.is_indexed and s.status in ('FAILED', 'REJECTED', 'EXPIRED', 'UNKNOWN')
        and coalesce(s.expires_at, s.updated_at / 1000 + ${UNBOUNDED_SEC}) < c.last_ledger_close_ts and s.updated_at / 1000 < c.last_ledger_close_ts
      order by s.id limit $1)`,
    [limit],
  )
}
