// The SQL statements that read submissions and prepared transactions for their owners.

import { readPage, seqFromCursor } from '../projections/log-list.ts'
import type { Page } from '../projections/page.ts'
import { encodeCursor } from '../projections/page.ts'
import type { Queryable } from '../store/store.ts'
import type { PreparedRecord, SubmissionRecord } from './records.ts'
import { SUBMISSION } from './statements.ts'

/** What is stored of one transaction. */
export interface StoredTransaction {
  readonly submission: SubmissionRecord | undefined
  /** Milliseconds of the preparation beside the record. */
  readonly prepared: PreparedRecord & { readonly preparedAt: number } | undefined
}

const PREPARED = 'hash, owner, op, client_id as "clientId", expires_at as "expiresAt", prepared_at as "preparedAt"'

export async function findStored(db: Queryable, owner: string, hash: string): Promise<StoredTransaction> {
  const [submission] = await db.query<SubmissionRecord>(`select ${SUBMISSION} from tx.submissions s where owner = $1 and hash = $2`, [owner, hash])
  const prepared = submission === undefined ? await findPreparedRecord(db, 'owner = $1 and hash = $2', [owner, hash]) : undefined
  return { submission, prepared }
}

/** The newest transaction with a client id: a submitted one, otherwise a prepared one. */
export async function findByClientId(db: Queryable, owner: string, clientId: string): Promise<StoredTransaction> {
  const [submission] = await db.query<SubmissionRecord>(
    `select ${SUBMISSION} from tx.submissions s where owner = $1 and client_id = $2 order by id desc limit 1`, [owner, clientId],
  )
  const prepared = submission === undefined ? await findPreparedRecord(db, 'owner = $1 and client_id = $2', [owner, clientId]) : undefined
  return { submission, prepared }
}

async function findPreparedRecord(db: Queryable, where: string, params: readonly string[]): Promise<StoredTransaction['prepared']> {
  const [row] = await db.query<PreparedRecord & { readonly preparedAt: number }>(
    `select ${PREPARED} from tx.prepared where ${where} order by prepared_at desc limit 1`, params,
  )
  return row
}

const LIST = 'transactions'

/** The submitted transactions of an owner, newest first. */
export async function listSubmissions(
  db: Queryable, { owner, limit, cursor }: { readonly owner: string; readonly limit: number; readonly cursor: string | undefined },
): Promise<Page<SubmissionRecord>> {
  const before = cursor === undefined ? null : seqFromCursor(LIST, cursor)
  const page = `select s.id as seq, ${SUBMISSION} from tx.submissions s where s.owner = $1 and ($2::bigint is null or s.id < $2) order by s.id desc limit $3`
  return await readPage<SubmissionRecord, SubmissionRecord>(
    db, { page, params: [owner, before, limit + 1], limit, cursorOf: ({ id }) => encodeCursor(LIST, [id]) }, (raw) => raw,
  )
}
