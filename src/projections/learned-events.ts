// Events whose account is learnt when the log has gone on. In the lists they stand where they happened; on the account's channel of the stream, where frames
// behind them may have been sent, they come with a later event: at the place of the next one that does not concern the account itself.

import type { Queryable } from '../store/store.ts'

/**
 * Gives the learnt events that wait for one a place among the events of a page, which are archived and applied already: those of an account in their own
 * order, each its own place. What finds none waits for the next page.
 */
export async function assignLearnedEventSeqs(tx: Queryable, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return
  await tx.query(
    `with waiting as (
       select account, seq, row_number() over (partition by account order by seq) as nth from idx.learned_events where place is null
     ), free as (
       select w.account, page.seq as place, row_number() over (partition by w.account order by page.seq) as nth
       from (select distinct account from waiting) w cross join unnest($1::bigint[]) page (seq)
       where not exists (select 1 from idx.account_events a where a.account = w.account and a.seq = page.seq)
     )
     update idx.learned_events l set place = free.place
     from waiting join free on free.account = waiting.account and free.nth = waiting.nth
     where l.account = waiting.account and l.seq = waiting.seq`,
    [seqs],
  )
}
