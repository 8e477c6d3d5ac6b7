// The SQL statements that write the tables of the schema tx.

import { SUBMISSION_CHANNEL } from '../projections/log/submission-log.ts'
import type { ContractError, HostErrorName } from '../resources/submit-result.ts'
import type { TransactionRow, TransactionStatus } from '../resources/transaction.ts'
import { columns, expression } from '../store/columns.ts'
import { sql } from '../store/sql.ts'
import type { Queryable, Writable } from '../store/store.ts'
import { idx, txTables } from '../store/tables.ts'
import { isUnconfirmed } from './submission-records.ts'
import type { FinalStatus, PreparedRecord, SubmissionRecord, SubmissionResult } from './submission-records.ts'

const HOLDER = columns(txTables.client_ids, 'held', { hash: 'hash' })

/** The hash of the submitted transaction that holds a client id; null when the id is free. */
export async function findHolder(db: Queryable, id: { owner: string; clientId: string; nowMs: number }): Promise<string | null> {
  const [row] = await db.query(
    sql`select ${HOLDER} from ${txTables.client_ids} held where owner = $1 and client_id = $2 and held_until > $3`, [id.owner, id.clientId, id.nowMs],
  )
  return row?.hash ?? null
}

/** Inserts a prepared transaction. Preparing the same transaction again replaces its client id. */
export async function insertPrepared(db: Writable, { hash, owner, op, clientId, expiresAt }: PreparedRecord, nowMs: number): Promise<void> {
  await db.run(
    sql`${sql.insertInto(txTables.prepared)} (hash, owner, op, client_id, expires_at, prepared_at) values ($1, $2, $3, $4, $5, $6)
    on conflict (hash) do update set op = excluded.op, client_id = excluded.client_id, prepared_at = excluded.prepared_at
      where prepared.owner = excluded.owner`,
    [hash, owner, op, clientId, expiresAt, nowMs],
  )
}

const PURPOSE = columns(txTables.prepared, 'p', { op: 'op', clientId: 'client_id' })

export async function findPrepared(db: Queryable, owner: string, hash: string): Promise<Pick<PreparedRecord, 'op' | 'clientId'> | undefined> {
  const [row] = await db.query(sql`select ${PURPOSE} from ${txTables.prepared} p where hash = $1 and owner = $2`, [hash, owner])
  return row
}

/** Takes a client id for a transaction. Returns the hash of the transaction that holds it then. Waits for a concurrent transaction that takes the same id. */
export async function takeClientId(
  tx: Queryable, taken: { owner: string; clientId: string; hash: string; nowMs: number; heldUntilMs: number },
): Promise<string> {
  const { owner, clientId, hash, nowMs, heldUntilMs } = taken
  const [row] = await tx.query(
    sql`${sql.insertInto(txTables.client_ids)} as held (owner, client_id, hash, held_until) values ($1, $2, $3, $4)
    on conflict (owner, client_id) do update set
      hash = case when held.held_until > $5 then held.hash else excluded.hash end,
      held_until = case when held.held_until > $5 then held.held_until else excluded.held_until end
    returning ${HOLDER}`,
    [owner, clientId, hash, heldUntilMs, nowMs],
  )
  return row?.hash ?? hash
}

/** Frees the client id that a transaction holds. */
export async function freeClientId(tx: Writable, { owner, hash }: { owner: string; hash: string }, clientId: string): Promise<void> {
  await tx.run(sql`${sql.deleteFrom(txTables.client_ids)} where owner = $1 and client_id = $2 and hash = $3`, [owner, clientId, hash])
}

export const STATUS = expression<TransactionStatus>(sql`s.status`)
/** The columns of a SubmissionRecord; `s` is tx.submissions. */
export const SUBMISSION = columns(txTables.submissions, 's', {
  id: 'id', owner: 'owner', hash: 'hash', op: 'op', trader: 'trader', clientId: 'client_id', sequence: 'sequence', expiresAt: 'expires_at', status: STATUS,
  loggedStatus: expression<TransactionStatus | null>(sql`s.logged_status`), envelopes: expression<readonly string[]>(sql`s.envelopes`), accepted: 'accepted',
  attempts: 'attempts', sentAt: 'sent_at', ledger: 'ledger', ts: 'ts', contractError: expression<ContractError | null>(sql`s.contract_error`),
  hostError: expression<HostErrorName | null>(sql`s.host_error`), txResultCode: 'tx_result_code', resultXdr: 'result_xdr', message: 'message',
  orderId: 'order_id', positionId: 'position_id', submittedAt: 'submitted_at', confirmedBy: 'confirmed_by', nodes: 'nodes',
})

/** Locks a submission until the end of the transaction. */
export async function lockSubmission(tx: Queryable, owner: string, hash: string): Promise<SubmissionRecord | undefined> {
  const [row] = await tx.query(sql`select ${SUBMISSION} from ${txTables.submissions} s where owner = $1 and hash = $2 for update`, [owner, hash])
  return row
}

/** The driver of a submission, and the end of its lease in milliseconds. */
export interface Lease {
  readonly driver: string
  readonly untilMs: number
}

export type NewSubmission = Pick<SubmissionRecord, 'owner' | 'hash' | 'op' | 'trader' | 'clientId' | 'sequence' | 'expiresAt'> & { readonly envelope: string }

/** Inserts a pending submission; undefined when there is one already. */
export async function insertSubmission(tx: Queryable, entry: NewSubmission, lease: Lease, nowMs: number): Promise<SubmissionRecord | undefined> {
  const { owner, hash, op, trader, clientId, sequence, expiresAt, envelope } = entry
  const [row] = await tx.query(
    sql`${sql.insertInto(txTables.submissions)} as s (owner, hash, op, trader, client_id, sequence, expires_at, status, envelopes, accepted, attempts,
      submitted_at, updated_at, due_at, driver, leased_until)
    values ($1, $2, $3, $4, $5, $6::numeric, $7, 'PENDING', jsonb_build_array($8::text), false, 0, $9, $9, $9, $10, $11)
    on conflict (owner, hash) do nothing returning ${SUBMISSION}`,
    [owner, hash, op, trader, clientId, sequence, expiresAt, envelope, nowMs, lease.driver, lease.untilMs],
  )
  return row
}

/** Makes a submission pending again, with these envelopes. Keeps a lease that another instance holds. */
export async function reopenSubmission(
  tx: Queryable, { id, op, clientId, accepted }: Pick<SubmissionRecord, 'id' | 'op' | 'clientId' | 'accepted'>, envelopes: readonly string[],
  lease: Lease, nowMs: number,
): Promise<SubmissionRecord | undefined> {
  const [row] = await tx.query(
    sql`${sql.update(txTables.submissions)} s set status = 'PENDING', op = $2, client_id = $3, accepted = $4, envelopes = $5::jsonb, updated_at = $6,
      due_at = $6, ledger = null, ts = null, contract_error = null, host_error = null, tx_result_code = null, result_xdr = null, message = null,
      confirmed_by = null, nodes = null, is_indexed = false,
      driver = case when leased_until > $6 then driver else $7 end, leased_until = case when leased_until > $6 then leased_until else $8 end
    where id = $1 returning ${SUBMISSION}`,
    [id, op, clientId, accepted, JSON.stringify(envelopes), nowMs, lease.driver, lease.untilMs],
  )
  return row
}

/** An outcome that one node reports is confirmed after this time. */
const CONFIRM_AFTER_MS = 1_000

/**
 * Ends a submission. What is in a ledger replaces every other state; the other final states replace PENDING only. Undefined when the state stays as it was.
 * An outcome that other nodes have yet to confirm stays due, with its envelopes, because it may be false.
 */
export async function endSubmission(
  tx: Queryable, { owner, hash }: { owner: string; hash: string }, status: FinalStatus | 'PREPARED', result: SubmissionResult, nowMs: number,
): Promise<SubmissionRecord | undefined> {
  const { ledger, ts, contractError, hostError, txResultCode, resultXdr, message, orderId, confirmedBy, nodes } = result
  const dueMs = isUnconfirmed(result) ? nowMs + CONFIRM_AFTER_MS : null
  const [row] = await tx.query(
    sql`${sql.update(txTables.submissions)} s set status = $3, ledger = $4, ts = $5, contract_error = $6::jsonb, host_error = $7::jsonb,
      tx_result_code = $8, result_xdr = $9, message = $10, order_id = coalesce($12::bigint, s.order_id), updated_at = $11, confirmed_by = $13,
      nodes = $14, due_at = $15, envelopes = case when $15::bigint is null then '[]' else s.envelopes end, driver = null, leased_until = null
    where owner = $1 and hash = $2 and (status = 'PENDING' or ($3 in ('SUCCESS', 'FAILED') and status not in ('SUCCESS', 'FAILED')))
    returning ${SUBMISSION}`,
    [
      owner, hash, status, ledger, ts, toJson(contractError), toJson(hostError), txResultCode, resultXdr, message, nowMs, orderId, confirmedBy, nodes, dueMs,
    ],
  )
  return row
}

export function toJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

/** The result of a driver's step for a submission that is not final. */
export interface Progress {
  /** Time at which it is driven next. */
  readonly dueMs: number
  readonly attempts: number
  readonly sentMs: number | null
  /** The envelope that a node accepted, if one did. */
  readonly acceptedEnvelope: string | null
}

/** Stores the progress of a pending submission and ends the lease of `driver`. */
export async function postponeSubmission(
  db: Writable, { owner, hash }: { owner: string; hash: string }, driver: string, { dueMs, attempts, sentMs, acceptedEnvelope }: Progress,
): Promise<void> {
  await db.run(
    sql`${sql.update(txTables.submissions)} set due_at = $4, attempts = greatest(attempts, $5::int), sent_at = greatest(sent_at, $6::bigint),
      accepted = accepted or $7::text is not null,
      envelopes = case when accepted or $7::text is null then envelopes else jsonb_build_array($7::text) end,
      driver = null, leased_until = null
    where owner = $1 and hash = $2 and status = 'PENDING' and (driver is null or driver = $3)`,
    [owner, hash, driver, dueMs, attempts, sentMs, acceptedEnvelope],
  )
}

/** Appends a change of a submission for the log. */
export async function insertChange(tx: Writable, { owner, hash }: { owner: string; hash: string }, row: TransactionRow, nowMs: number): Promise<void> {
  await tx.run(
    sql`with logged as (${sql.update(txTables.submissions)} set logged_status = $5 where owner = $1 and hash = $2),
      change as (${sql.insertInto(txTables.submission_changes)} (owner, hash, row, changed_at) values ($1, $2, $3::jsonb, $4))
    select pg_notify($6, '')`,
    [owner, hash, JSON.stringify(row), nowMs, row.status, SUBMISSION_CHANNEL],
  )
}

/** Locks a pending submission whose log has none of these states; undefined when there is none. */
export async function lockUnlogged(
  tx: Queryable, { owner, hash }: { owner: string; hash: string }, unless: readonly string[],
): Promise<SubmissionRecord | undefined> {
  const [row] = await tx.query(
    sql`select ${SUBMISSION} from ${txTables.submissions} s
    where owner = $1 and hash = $2 and status = 'PENDING' and (logged_status is null or logged_status <> all($3::text[])) for update`,
    [owner, hash, unless],
  )
  return row
}

/** SQL: refused submissions that the log does not have. */
const REFUSED = `status in ('PREPARED', 'REJECTED') and logged_status is null`
/** Deleted for each new one. */
const TRIMMED_ROWS = 10

/** Deletes the oldest refused submissions of an owner beyond the newest `kept`. */
export async function trimRefused(tx: Writable, owner: string, kept: number): Promise<void> {
  await tx.run(
    sql`${sql.deleteFrom(txTables.submissions)} where ${REFUSED} and id = any(array(
      select id from ${txTables.submissions} where owner = $1 and ${REFUSED} order by updated_at desc offset $2::int limit ${TRIMMED_ROWS}))`,
    [owner, kept],
  )
}

/** Of this many due submissions, owners get turns. */
const DUE_CONSIDERED = 1_000

/** Claims due submissions that no instance drives: first one of each owner, then the next of each. */
export async function claimSubmissions(db: Queryable, lease: Lease, nowMs: number, limit: number): Promise<readonly SubmissionRecord[]> {
  return await db.query(
    sql`with due as (
      select id, owner, due_at from ${txTables.submissions} where due_at <= $2 and (leased_until is null or leased_until <= $2)
      order by due_at limit ${DUE_CONSIDERED}
    ), turns as (
      select id, due_at, row_number() over (partition by owner order by due_at, id) as turn from due
    ), claimed as (
      select c.id from ${txTables.submissions} c join (select id from turns order by turn, due_at limit $4) t using (id)
      where c.due_at <= $2 and (c.leased_until is null or c.leased_until <= $2) for update of c skip locked
    )
    ${sql.update(txTables.submissions)} s set driver = $1, leased_until = $3 from claimed where s.id = claimed.id returning ${SUBMISSION}`,
    [lease.driver, nowMs, lease.untilMs, limit],
  )
}

/** Drivers considered at a time. */
const DRIVERS_MAX = 16

/** The other drivers with leases that have not ended. */
export async function listOtherDrivers(db: Queryable, driver: string, nowMs: number): Promise<readonly string[]> {
  const rows = await db.query<{ driver: string }>(
    sql`select distinct driver from ${txTables.submissions} where due_at is not null and driver <> $1 and leased_until > $2 limit ${DRIVERS_MAX}`,
    [driver, nowMs],
  )
  return rows.map((row) => row.driver)
}

/** Extends the leases of a driver on these submissions. */
export async function renewLeases(db: Writable, { driver, untilMs }: Lease, keys: readonly { owner: string; hash: string }[]): Promise<void> {
  await db.run(
    sql`${sql.update(txTables.submissions)} s set leased_until = $2 from unnest($3::text[], $4::text[]) as live (owner, hash)
    where s.owner = live.owner and s.hash = live.hash and s.driver = $1 and s.due_at is not null`,
    [driver, untilMs, keys.map(({ owner }) => owner), keys.map(({ hash }) => hash)],
  )
}

/** Ends all leases of a driver, so that other instances continue at once. */
export async function endLeases(db: Writable, driver: string, nowMs: number): Promise<void> {
  await db.run(
    sql`${sql.update(txTables.submissions)} set driver = null, leased_until = null, due_at = $2 where driver = $1 and due_at is not null`,
    [driver, nowMs],
  )
}

/** Successful submissions whose ledger is indexed by now, and whose ids are not stored yet. */
export async function listIndexed(db: Queryable, limit: number): Promise<readonly SubmissionRecord[]> {
  return await db.query(
    sql`select ${SUBMISSION} from ${txTables.submissions} s
    where s.status = 'SUCCESS' and not s.is_indexed and s.ledger <= (select last_ledger from ${idx.cursor}) order by s.ledger limit $1`,
    [limit],
  )
}

/** Stores which order and position the events of a submission name. False when that is stored already. */
export async function storeIds(tx: Queryable, id: number, orderId: number | null, positionId: number | null): Promise<boolean> {
  const rows = await tx.query(
    sql`${sql.update(txTables.submissions)} set order_id = $2, position_id = $3, is_indexed = true where id = $1 and not is_indexed returning id`,
    [id, orderId, positionId],
  )
  return rows.length === 1
}

/** The submissions that are driven: how many there are, and when the oldest was submitted, in milliseconds. */
export async function countPending(db: Queryable): Promise<{ readonly pending: number; readonly oldestMs: number | null }> {
  const [row] = await db.query<{ pending: number; oldestMs: number | null }>(
    sql`select count(*) as pending, min(submitted_at) as "oldestMs" from ${txTables.submissions} where due_at is not null and status = 'PENDING'`,
  )
  return row ?? { pending: 0, oldestMs: null }
}

/** Rows per statement of a purge. */
const PURGE_ROWS = 1_000

/**
 * Deletes what is no longer needed: `refusedMs` is for submissions that no node accepted, which the log does not have. Times are in milliseconds. True when
 * there may be more.
 */
export async function purge(db: Queryable, before: { readonly preparedMs: number; readonly heldMs: number; readonly refusedMs: number }): Promise<boolean> {
  const deleted = [
    await db.query(
      sql`${sql.deleteFrom(txTables.prepared)} where hash in (
        select hash from ${txTables.prepared} where prepared_at < $1 order by prepared_at limit ${PURGE_ROWS}) returning 1`,
      [before.preparedMs],
    ),
    await db.query(
      sql`${sql.deleteFrom(txTables.client_ids)} where ctid = any(array(
        select ctid from ${txTables.client_ids} where held_until < $1 order by held_until limit ${PURGE_ROWS})) returning 1`,
      [before.heldMs],
    ),
    await db.query(
      sql`${sql.deleteFrom(txTables.submissions)} where ${REFUSED} and id = any(array(
        select id from ${txTables.submissions} where ${REFUSED} and updated_at < $1 order by updated_at limit ${PURGE_ROWS})) returning 1`,
      [before.refusedMs],
    ),
  ]
  return deleted.some(({ length }) => length === PURGE_ROWS)
}
