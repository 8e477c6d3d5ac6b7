// The number of archived events per topic, updated with each page.

import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { countedTopic, TRANSFER_TOPIC } from './archived-event.ts'
import type { ArchivedEvent } from './archived-event.ts'
import { arraysOf } from '../array-params.ts'

type CountedEvent = Pick<ArchivedEvent, 'topic' | 'problem' | 'contract'>

/** The number of events by epoch and topic, as a task stores them: `<epoch> <topic>`. */
export type EventCounts = Readonly<Record<string, number>>

/** Adds events to counts of the whole archive. */
export function addCounts(
  counts: EventCounts, { epoch, events }: { readonly epoch: number; readonly events: readonly CountedEvent[] },
): EventCounts {
  const sums: Record<string, number> = { ...counts }
  for (const event of events) {
    const key = `${epoch} ${countedTopic(event)}`
    sums[key] = (sums[key] ?? 0) + 1
  }
  return sums
}

/** Replaces the stored counts by those of the whole archive; returns how many were wrong. */
export async function correctCounts(tx: Queryable, counts: EventCounts): Promise<number> {
  const rows = Object.entries(counts).map(([key, events]) => {
    const end = key.indexOf(' ')
    return { epoch: Number(key.slice(0, end)), topic: key.slice(end + 1), events }
  })
  const corrected = await tx.query(
    sql`${sql.insertInto(idx.event_counts)} as c (epoch, topic, events)
     select coalesce(a.epoch, s.epoch), coalesce(a.topic, s.topic), coalesce(a.events, 0)
     from unnest($1::int[], $2::text[], $3::bigint[]) a (epoch, topic, events)
       full join ${idx.event_counts} s on s.epoch = a.epoch and s.topic = a.topic
     where coalesce(a.events, 0) <> coalesce(s.events, 0)
     on conflict (epoch, topic) do update set events = excluded.events returning 1`,
    arraysOf(rows, { epoch: 'integer', topic: 'text', events: 'bigint' }),
  )
  return corrected.length
}

/** Adds events to the counts, or subtracts them with `sign` -1. */
export async function countEvents(tx: Writable, epoch: number, events: readonly CountedEvent[], sign: 1 | -1 = 1): Promise<void> {
  const counts = new Map<string, number>()
  for (const event of events) {
    const name = countedTopic(event)
    counts.set(name, (counts.get(name) ?? 0) + sign)
  }
  await tx.run(
    sql`${sql.insertInto(idx.event_counts)} as c (epoch, topic, events) select $1::int, unnest($2::text[]), unnest($3::bigint[])
     on conflict (epoch, topic) do update set events = c.events + excluded.events`,
    [epoch, [...counts.keys()], [...counts.values()]],
  )
}

/** The number of archived events, transfers included. */
export async function countArchived(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select coalesce(sum(events), 0)::bigint as count from ${idx.event_counts}`)
  return row?.count ?? 0
}

/** SQL: the number of archived events per topic on the current chain, as one JSON object, without transfers; `e` is the current row of idx.epochs. */
export const ARCHIVED_BY_TOPIC = sql`(select coalesce(jsonb_object_agg(t.topic, t.events), '{}'::jsonb)
  from (select n.topic, sum(n.events)::bigint as events from ${idx.event_counts} n join ${idx.epochs} p on p.number = n.epoch
        where p.chain = e.chain and n.topic <> '${TRANSFER_TOPIC}' group by n.topic) t)`
