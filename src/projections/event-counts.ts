// The number of archived events per topic, updated with each page.

import type { Queryable } from '../store/store.ts'
import { countedTopic, TRANSFER_TOPIC } from './archived-event.ts'
import type { ArchivedEvent } from './archived-event.ts'

type CountedEvent = Pick<ArchivedEvent, 'topic' | 'problem' | 'contract'>

/** Adds events to the counts, or subtracts them with `sign` -1. */
export async function countEvents(tx: Queryable, epoch: number, events: readonly CountedEvent[], sign: 1 | -1 = 1): Promise<void> {
  const counts = new Map<string, number>()
  for (const event of events) {
    const name = countedTopic(event)
    counts.set(name, (counts.get(name) ?? 0) + sign)
  }
  await tx.query(
    `insert into idx.event_counts as c (epoch, topic, events) select $1::int, unnest($2::text[]), unnest($3::bigint[])
     on conflict (epoch, topic) do update set events = c.events + excluded.events`,
    [epoch, [...counts.keys()], [...counts.values()]],
  )
}

/** The number of archived events, transfers included. */
export async function countArchived(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>('select coalesce(sum(events), 0)::bigint as count from idx.event_counts')
  return row?.count ?? 0
}

/** SQL: the number of archived events per topic on the current chain, as one JSON object, without transfers; `e` is the current row of idx.epochs. */
export const ARCHIVED_BY_TOPIC = `(select coalesce(jsonb_object_agg(t.topic, t.events), '{}'::jsonb)
  from (select n.topic, sum(n.events)::bigint as events from idx.event_counts n join idx.epochs p on p.number = n.epoch
        where p.chain = e.chain and n.topic <> '${TRANSFER_TOPIC}' group by n.topic) t)`
