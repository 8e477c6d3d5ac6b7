// The submissions of a verification. Their driver compares them with the archive and the nodes and corrects them: here they are listed, a few at a time, and
// the results are counted.

import { addChecks, clearChecks, countChecks } from '../../projections/repair/submission-checks.ts'
import type { SubmissionsVerified, VerifiedRange } from '../../projections/repair/tasks.ts'
import type { Writable, Writer } from '../../store/store.ts'

/** Comparisons that wait for the driver at the same time, so that pending submissions get their turn. */
const WAITING_MAX = 100

/** Begins the comparison; null in a log without submissions. */
export async function beginSubmissions(tx: Writable, hasSubmissions: boolean): Promise<SubmissionsVerified | null> {
  if (!hasSubmissions) return null
  await clearChecks(tx)
  return { afterId: 0, isListed: false, same: 0, corrected: 0, unverifiable: 0, waiting: 0 }
}

/** Lists what is next, and counts what has been compared. Complete when everything is listed and nothing waits. */
export async function pollSubmissions(db: Writer, range: VerifiedRange, before: SubmissionsVerified, nowMs: number): Promise<SubmissionsVerified> {
  return await db.transaction(async (tx) => {
    const { waiting } = await countChecks(tx)
    const limit = WAITING_MAX - waiting
    const lastId = before.isListed || limit <= 0 ? null : await addChecks(tx, range, { afterId: before.afterId, limit, nowMs })
    const isListed = before.isListed || (limit > 0 && lastId === null)
    return { afterId: lastId ?? before.afterId, isListed, ...(await countChecks(tx)) }
  })
}

export function isComplete(submissions: SubmissionsVerified | null): boolean {
  return submissions === null || (submissions.isListed && submissions.waiting === 0)
}
