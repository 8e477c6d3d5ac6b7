// Changes of submissions in the log. The driver of a submission appends them; the indexer, the only writer of the log, gives each one a seq.

import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { txTables } from '../../store/tables.ts'

/** NOTIFY channel for appended changes. Notifications may be lost. */
export const SUBMISSION_CHANNEL = 'submission_changed'

/** The ids of the oldest changes without a seq. */
export async function listUnnumberedChanges(db: Queryable, limit: number): Promise<readonly number[]> {
  const rows = await db.query<{ id: number }>(sql`select id from ${txTables.submission_changes} where seq is null order by id limit $1::int`, [limit])
  return rows.map(({ id }) => id)
}

/** Gives changes the seqs from `firstSeq` on, in this order. */
export async function numberChanges(tx: Writable, ids: readonly number[], firstSeq: number): Promise<void> {
  await tx.run(
    sql`${sql.update(txTables.submission_changes)} c set seq = $2::bigint + numbered.position - 1
     from unnest($1::bigint[]) with ordinality numbered (id, position) where c.id = numbered.id and c.seq is null`,
    [ids, firstSeq],
  )
}
