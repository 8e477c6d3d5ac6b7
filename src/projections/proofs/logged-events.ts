// The archived events that a record of the log is about, in the order of their ids.

import { columns, expression } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { createEventsRoot, eventLeaf } from '../../base/proofs/events.ts'
import type { EventsRoot, LoggedEvent } from '../../base/proofs/events.ts'
import { endOfLedger, ledgerOf } from '../log/toid.ts'

/** Events of one epoch, by their ids on its chain. */
export interface LoggedRange {
  readonly epochNumber: number
  /** Exclusive. */
  readonly afterId: string
  /** Inclusive. */
  readonly untilId: string
}

const ID_LENGTH = 30
const ID = sql`left(e.event_id, ${ID_LENGTH}) collate "C"`
const EVENT = columns(idx.events, 'e', {
  id: expression<string>(sql`left(e.event_id, ${ID_LENGTH})`), eventId: 'event_id', txHash: 'tx_hash', contractId: 'contract_id',
  topicsXdr: 'topics_xdr', valueXdr: 'value_xdr',
})
/** Events that are hashed between two turns of the event loop. */
const EVENTS_PER_READ = 500

/** An archived event, with the id that it is served by. */
export interface ArchivedLoggedEvent extends LoggedEvent {
  readonly eventId: string
}

/** The first events of a range after `offset`, at most `limit`. */
export async function readLoggedEvents(
  db: Queryable, { epochNumber, afterId, untilId }: LoggedRange, limit: number, offset = 0,
): Promise<readonly ArchivedLoggedEvent[]> {
  const rows = await db.query(
    sql`select ${EVENT} from ${idx.events} e
     where e.epoch = $1 and e.chain = (select p.chain from ${idx.epochs} p where p.number = $1) and ${ID} > $2 and ${ID} <= $3
     order by ${ID} limit $4::int offset $5::int`,
    [epochNumber, afterId, untilId, limit, offset],
  )
  return rows.map((row) => ({ ...row, topicsXdr: row.topicsXdr === '' ? [] : row.topicsXdr.split(' ') }))
}

/** The number and the root of the events of a range. */
export async function computeEventsRoot(db: Queryable, range: LoggedRange): Promise<EventsRoot> {
  const root = createEventsRoot()
  for (let afterId = range.afterId; ;) {
    const events = await readLoggedEvents(db, { ...range, afterId }, EVENTS_PER_READ)
    for (const event of events) root.add(eventLeaf(event))
    const last = events.at(-1)
    if (last === undefined || events.length < EVENTS_PER_READ) return root
    afterId = last.id
  }
}

/**
 * The end of the first part of a range: whole ledgers with at most `max` events together, or one ledger that has more. A record about more is cut, so that
 * its events can be hashed again while a repair holds its transaction.
 */
export async function endOfPart(db: Queryable, range: LoggedRange, max: number): Promise<string> {
  const { afterId, untilId } = range
  const [next] = await readLoggedEvents(db, range, 1, max)
  if (next === undefined) return untilId
  const before = endOfLedger(ledgerOf(next.id) - 1)
  return [before, endOfLedger(ledgerOf(next.id)), untilId].find((end) => end > afterId && end <= untilId) ?? untilId
}
