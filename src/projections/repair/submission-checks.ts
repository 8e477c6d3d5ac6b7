// Submissions that a verification compares with the archive and the nodes. The verification lists them, and the driver of submissions compares them.

import { columns, expression, expressions } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx, txTables } from '../../store/tables.ts'

export type CheckResult = 'same' | 'corrected' | 'unverifiable'

/** A range of ledgers, both included. */
export interface CheckedLedgers {
  readonly fromLedger: number
  readonly throughLedger: number
}

/** Forgets the comparisons of an earlier verification. */
export async function clearChecks(tx: Writable): Promise<void> {
  await tx.run(sql`${sql.deleteFrom(txTables.submission_checks)}`)
}

/**
 * Has the next submissions after `afterId` compared: final ones in these ledgers, and those without a ledger that ended since the first of them. Returns the
 * last id; null when there are no more.
 */
export async function addChecks(
  tx: Queryable, { fromLedger, throughLedger }: CheckedLedgers,
  { afterId, limit, nowMs }: { readonly afterId: number; readonly limit: number; readonly nowMs: number },
): Promise<number | null> {
  const rows = await tx.query(
    sql`with listed as (
      select s.id from ${txTables.submissions} s
      where s.id > $1 and s.status not in ('PENDING', 'PREPARED')
        and case when s.ledger is null then s.updated_at / 1000 >= coalesce((select min(e.ledger_close_ts) from ${idx.events} e where e.ledger >= $2), 0)
          else s.ledger between $2 and $3 end
      order by s.id limit $4
    ), added as (
      ${sql.insertInto(txTables.submission_checks)} (submission_id) select id from listed on conflict (submission_id) do update set result = null
    )
    ${sql.update(txTables.submissions)} s set due_at = least(coalesce(s.due_at, $5), $5) from listed where s.id = listed.id
    returning ${columns(txTables.submissions, 's', { id: 'id' })}`,
    [afterId, fromLedger, throughLedger, limit, nowMs],
  )
  return rows.length === 0 ? null : Math.max(...rows.map(({ id }) => id))
}

/** Stores the result of a comparison that was requested. */
export async function endCheck(tx: Writable, submissionId: number, result: CheckResult): Promise<void> {
  await tx.run(sql`${sql.update(txTables.submission_checks)} set result = $2 where submission_id = $1 and result is null`, [submissionId, result])
}

/** The comparisons of this verification: how many have ended with each result, and how many have not ended. */
export async function countChecks(db: Queryable): Promise<Readonly<Record<CheckResult | 'waiting', number>>> {
  const counts = expressions({ result: expression<CheckResult | 'waiting'>(sql`coalesce(result, 'waiting')`), count: expression<number>(sql`count(*)`) })
  const rows = await db.query(sql`select ${counts} from ${txTables.submission_checks} group by 1`)
  return { same: 0, corrected: 0, unverifiable: 0, waiting: 0, ...Object.fromEntries(rows.map(({ result, count }) => [result, count])) }
}
