// The SQL statements that read submissions and prepared transactions for their owners.

import { defined } from '../base/assert.ts'
import { stateSource } from '../projections/state/as-of.ts'
import { readPage, seqFromCursor } from '../projections/log/log-list.ts'
import type { Page } from '../projections/log/page.ts'
import { decodeCursor, encodeCursor, INVALID_CURSOR, InvalidCursor } from '../projections/log/page.ts'
import type { TransactionRow } from '../resources/transaction.ts'
import { columns, expression } from '../store/columns.ts'
import { sql } from '../store/sql.ts'
import type { Sql } from '../store/sql.ts'
import type { Param, Queryable } from '../store/store.ts'
import { txTables } from '../store/tables.ts'
import type { PreparedRecord, SubmissionRecord } from './submission-records.ts'
import { STATUS, SUBMISSION } from './statements.ts'

/** The stored records of one transaction. */
export interface StoredTransaction {
  readonly submission: SubmissionRecord | undefined
  /** Milliseconds of the preparation beside the record. */
  readonly prepared: PreparedRecord & { readonly preparedAt: number } | undefined
}

const PREPARED = columns(txTables.prepared, 'p', {
  hash: 'hash', owner: 'owner', op: 'op', clientId: 'client_id', expiresAt: 'expires_at', preparedAt: 'prepared_at',
})

export async function findStored(db: Queryable, owner: string, hash: string): Promise<StoredTransaction> {
  const [submission] = await db.query(sql`select ${SUBMISSION} from ${txTables.submissions} s where owner = $1 and hash = $2`, [owner, hash])
  const prepared = submission === undefined ? await findPreparedRecord(db, sql`owner = $1 and hash = $2`, [owner, hash]) : undefined
  return { submission, prepared }
}

export type SubmissionState = Pick<SubmissionRecord, 'owner' | 'hash' | 'status' | 'accepted'>

const STATE = columns(txTables.submissions, 's', { owner: 'owner', hash: 'hash', status: STATUS, accepted: 'accepted' })

/** The states of the submissions that are stored, in any order. */
export function findStates(db: Queryable, keys: readonly Pick<SubmissionRecord, 'owner' | 'hash'>[]): Promise<SubmissionState[]> {
  return db.query(
    sql`select ${STATE} from unnest($1::text[], $2::text[]) k (owner, hash) join ${txTables.submissions} s using (owner, hash)`,
    [keys.map(({ owner }) => owner), keys.map(({ hash }) => hash)],
  )
}

/** The newest transaction with a client id: a submitted one, otherwise a prepared one. */
export async function findByClientId(db: Queryable, owner: string, clientId: string): Promise<StoredTransaction> {
  const [submission] = await db.query(
    sql`select ${SUBMISSION} from ${txTables.submissions} s where owner = $1 and client_id = $2 order by id desc limit 1`, [owner, clientId],
  )
  const prepared = submission === undefined ? await findPreparedRecord(db, sql`owner = $1 and client_id = $2`, [owner, clientId]) : undefined
  return { submission, prepared }
}

async function findPreparedRecord(db: Queryable, where: Sql, params: readonly string[]): Promise<StoredTransaction['prepared']> {
  const [row] = await db.query(
    sql`select ${PREPARED} from ${txTables.prepared} p where ${where} order by prepared_at desc limit 1`, params,
  )
  return row
}

const LIST = 'transactions'

export interface SubmissionsFilter {
  readonly owner: string
  readonly limit: number
  readonly cursor: string | undefined
}

/** The submitted transactions of an owner, newest first. */
export async function listSubmissions(
  db: Queryable, { owner, limit, cursor }: SubmissionsFilter,
): Promise<Page<SubmissionRecord>> {
  const before = cursor === undefined ? null : seqFromCursor(LIST, cursor)
  const page = sql`select s.id as seq, ${SUBMISSION} from ${txTables.submissions} s
    where s.owner = $1 and ($2::bigint is null or s.id < $2) order by s.id desc limit $3`
  return await readPage(
    db, { page, params: [owner, before, limit + 1], limit, cursorOf: ({ id }) => encodeCursor(LIST, [id]) }, (raw) => raw,
  )
}

const CHANGE = columns(txTables.submission_changes, 'f', { seq: 'id', changedAt: 'changed_at', row: expression<TransactionRow>(sql`last.row`) })

const PAST_LIST = 'transactions-at'
/** The clocks of this machine and of the network may differ. */
const CLOCK_TOLERANCE_MS = 60_000

/**
 * The submitted transactions of an owner in a past state, newest first. What is in a ledger of that state is known from then on; everything else once it was
 * recorded: before the ledger closed, and before the log has events of a later one. Between two events of the exchange, only the time separates them.
 */
export async function listPastSubmissions(
  db: Queryable, { owner, limit, cursor, atLedger }: SubmissionsFilter & { readonly atLedger: number },
): Promise<Page<TransactionRow>> {
  const params: Param[] = []
  const bind = (value: Param): Sql => sql`$${params.push(value)}`
  const state = stateSource({ atLedger }, bind)
  const at = defined(state.throughSeq, 'the end of a past state')
  const endMs = '(c.last_ledger_close_ts + 1) * 1000'
  const isKnown = sql`((l.seq <= ${at} and l.changed_at < ${endMs}) or (l.row->>'ledger')::bigint <= c.last_ledger)`
  const before = cursor === undefined ? '' : sql`and (f.changed_at, f.id) < (${sql.join(positionOf(cursor).map((value) => sql`${bind(value)}::bigint`), ', ')})`
  const page = sql`select ${CHANGE} from ${txTables.submission_changes} f
    cross join lateral (select l.row from ${txTables.submission_changes} l where l.owner = f.owner and l.hash = f.hash and ${isKnown}
      order by l.id desc limit 1) last
    where f.owner = ${bind(owner)} and f.changed_at < ${endMs} + ${CLOCK_TOLERANCE_MS} ${before}
      and not exists (select 1 from ${txTables.submission_changes} e where e.owner = f.owner and e.hash = f.hash and e.id < f.id)
    order by f.changed_at desc, f.id desc limit ${bind(limit + 1)}::int`
  return await readPage(
    db,
    {
      state, page, params, limit, order: sql`page."changedAt" desc, page.seq desc`,
      cursorOf: ({ changedAt, seq }) => encodeCursor(PAST_LIST, [changedAt, seq]),
    },
    ({ row }) => row,
  )
}

function positionOf(cursor: string): readonly number[] {
  return decodeCursor(PAST_LIST, cursor, 2).map((value) => {
    if (typeof value !== 'number' || value < 0) throw new InvalidCursor(INVALID_CURSOR)
    return value
  })
}
