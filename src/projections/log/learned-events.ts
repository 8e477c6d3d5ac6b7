// Events whose account became known only later. Lists show them at their own seq. The account's stream channel may already have sent later frames, so there
// they get the seq of a later event that does not concern the account.

import { sql } from '../../store/sql.ts'
import { arrayOf } from '../../store/store.ts'
import type { Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'

/**
 * Assigns each pending learned event a stream seq from this page, whose events are already archived and applied. Events of an account keep their order and
 * get distinct seqs; those that get none stay pending until the next page.
 */
export async function assignLearnedEventSeqs(tx: Writable, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return
  // There are hardly ever any, and the statement below would read all seqs of a large page.
  const [waiting] = await tx.query(sql`select 1 from ${idx.learned_events} where shown_seq is null limit 1`)
  if (waiting === undefined) return
  await tx.run(
    sql`with waiting as (
       select account, seq, row_number() over (partition by account order by seq) as nth from ${idx.learned_events} where shown_seq is null
     ), free as (
       select w.account, page.seq as shown_seq, row_number() over (partition by w.account order by page.seq) as nth
       from (select distinct account from waiting) w cross join unnest($1::bigint[]) page (seq)
       where not exists (select 1 from ${idx.account_events} a where a.account = w.account and a.seq = page.seq)
     )
     ${sql.update(idx.learned_events)} l set shown_seq = free.shown_seq
     from waiting join free on free.account = waiting.account and free.nth = waiting.nth
     where l.account = waiting.account and l.seq = waiting.seq`,
    [arrayOf('bigint', seqs)],
  )
}
