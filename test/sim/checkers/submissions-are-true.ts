// Checker: every stored submission has reached a final state that the ledger confirms, and no stored change ever contradicted the ledger.

import assert from 'node:assert/strict'
import type { TransactionRow } from '../../../src/resources/transaction.ts'
import type { Queryable } from '../../../src/store/store.ts'
import { isOnLedger } from '../ledger-truth.ts'
import type { LedgerTruth } from '../ledger-truth.ts'

interface Row {
  readonly owner: string
  readonly hash: string
  readonly status: TransactionRow['status']
  /** Null: the log does not have it. */
  readonly loggedStatus: TransactionRow['status'] | null
  readonly ledger: number | null
  readonly expiresAt: number | null
  readonly clientId: string | null
  readonly submittedAt: number
}

const SUBMISSIONS = `select owner, hash, status, logged_status as "loggedStatus", ledger, expires_at as "expiresAt", client_id as "clientId",
    submitted_at as "submittedAt"
  from tx.submissions order by id`
const CLIENT_ID_HELD_MS = 86_400_000

/** The number of submissions that are still driven. */
export async function countPending(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(`select count(*)::int as count from tx.submissions where status = 'PENDING'`)
  return row?.count ?? 0
}

/** Returns the number of submissions of each status. */
export async function checkSubmissionsAreTrue(
  db: Queryable, truth: LedgerTruth, { comparableClocks }: { readonly comparableClocks: boolean },
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<Row>(SUBMISSIONS)
  const counts = new Map<string, number>()
  for (const row of rows) {
    counts.set(row.status, (counts.get(row.status) ?? 0) + 1)
    checkStatus(row, truth)
  }
  await checkChanges(db, rows, truth)
  await checkArchive(db)
  if (comparableClocks) checkClientIds(rows)
  return counts
}

/** A final state must be that of the ledger, for good. A result on a chain that a reset ended stays true. */
function checkStatus({ hash, status, ledger, expiresAt }: Pick<Row, 'hash' | 'status' | 'ledger' | 'expiresAt'>, truth: LedgerTruth): void {
  const applied = truth.current(hash)
  if (status === 'SUCCESS' || status === 'FAILED') assert.ok(isOnLedger(truth.everywhere(hash), status, ledger), `${hash} is stored as ${status}`)
  else if (status === 'PREPARED') return
  else {
    assert.ok(status === 'EXPIRED' || status === 'REJECTED', `${hash} is ${status} at the end, on the ledger ${applied?.status ?? 'absent'}`)
    assert.equal(applied, undefined, `${hash} is ${status}, and on the ledger`)
    if (status === 'EXPIRED') assert.ok(expiresAt !== null && truth.closeTimeSec() > expiresAt, `${hash} expired before its time bound`)
  }
}

/** States that follow each other without a submission in between. */
const FOLLOWING: Readonly<Record<string, readonly string[]>> = {
  // SUCCESS again: its ids become known.
  SUCCESS: ['SUCCESS'], FAILED: [], EXPIRED: [], UNKNOWN: [], REJECTED: ['PENDING'],
  // A node may report a full queue and queue the transaction.
  PREPARED: ['PENDING', 'SUCCESS', 'FAILED'],
  PENDING: ['SUCCESS', 'FAILED', 'EXPIRED', 'REJECTED', 'PREPARED'],
}

async function checkChanges(db: Queryable, submissions: readonly Row[], truth: LedgerTruth): Promise<void> {
  const changes = await db.query<{ owner: string; hash: string; row: TransactionRow; seq: number | null }>(
    'select owner, hash, row, seq from tx.submission_changes order by id',
  )
  assert.deepEqual(changes.filter(({ seq }) => seq === null), [], 'changes of submissions without a position in the log')
  const byKey = Map.groupBy(changes, ({ owner, hash }) => `${owner} ${hash}`)
  for (const { owner, hash, status, loggedStatus } of submissions) {
    const own = byKey.get(`${owner} ${hash}`) ?? []
    const states = own.map(({ row }) => row.status)
    if (loggedStatus === null) {
      assert.ok(states.length === 0 && (status === 'PREPARED' || status === 'REJECTED'), `${hash} is ${status}, and is logged as ${states.join(', ')}`)
      continue
    }
    assert.deepEqual([states[0], states.at(-1)], ['PENDING', status], `${hash} changed as ${states.join(', ')} and is ${status}`)
    own.forEach(({ row, seq }, index) => {
      const next = own[index + 1]
      if (row.status !== 'PENDING' && row.status !== 'REJECTED') checkStatus({ ...row, hash }, truth)
      if (next === undefined) return
      const wasOnEndedChain = isOnLedger(truth.everywhere(hash), next.row.status) && truth.current(hash) === undefined
      assert.ok(FOLLOWING[row.status]?.includes(next.row.status) || wasOnEndedChain, `${hash} changed as ${states.join(', ')}`)
      assert.ok((seq ?? 0) < (next.seq ?? 0), `the changes of ${hash} are not in order`)
    })
  }
}

/** Checks that the index has only transactions that were applied, on whichever chain. */
async function checkArchive(db: Queryable): Promise<void> {
  const archived = await db.query(
    `select s.hash, s.status from tx.submissions s where s.status in ('EXPIRED', 'REJECTED') and exists (select 1 from idx.events e where e.tx_hash = s.hash)`,
  )
  assert.deepEqual(archived, [], 'transactions that ended without a ledger, and are in the archive')
}

/** A transaction that a node accepted holds its client id for a day. */
function checkClientIds(rows: readonly Row[]): void {
  const named = rows.filter(({ clientId, status, loggedStatus }) => clientId !== null && status !== 'PREPARED' && loggedStatus !== null)
  for (const [name, own] of Map.groupBy(named, ({ owner, clientId }) => `${owner} ${clientId}`)) {
    own.forEach(({ submittedAt }, index) => {
      const earlier = own[index - 1]
      if (earlier === undefined) return
      assert.ok(submittedAt - earlier.submittedAt >= CLIENT_ID_HELD_MS, `two transactions have the client id ${name}`)
    })
  }
}
