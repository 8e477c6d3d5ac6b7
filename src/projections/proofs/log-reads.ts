// What is read of the log of pages: its state, tiles, records, and the events of a record.

import { createSemaphore } from '../../base/semaphore.ts'
import { columns, expression } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { eventLeaf } from '../../base/proofs/events.ts'
import { createNodeReader, TILE_HEIGHT, TILE_WIDTH } from '../../base/proofs/tiles.ts'
import { edgeRoot, hashLeaf, rootOf } from '../../base/proofs/tree.ts'
import type { Hash, NodeReader } from '../../base/proofs/tree.ts'
import { endOfLedger } from '../log/toid.ts'
import { CORRECTION, PAGE, readValidRecords } from './log-corrections.ts'
import type { StoredRecord } from './log-corrections.ts'
import { readLoggedEvents } from './logged-events.ts'
import type { LoggedRange } from './logged-events.ts'
import { toHead } from './page-log.ts'

/** The log, and the state of the index in the same snapshot. */
export interface PageLogState {
  readonly size: number
  readonly root: Hash
  readonly epoch: string
  readonly ledger: number | null
  readonly seq: number
}

const STATE = columns(idx.log_head, 'h', {
  size: 'size', edge: 'edge', events: 'events', epoch: expression<string>(sql`e.epoch`), ledger: expression<number | null>(sql`c.last_ledger`),
  seq: expression<number>(sql`c.last_seq`),
})

/** The state of the log; null before its first record. */
export async function readPageLogState(db: Queryable): Promise<PageLogState | null> {
  const [row] = await db.query(sql`select ${STATE} from ${idx.log_head} h cross join ${idx.cursor} c join ${idx.epochs} e on e.number = c.epoch`)
  if (row === undefined) return null
  const { edge } = toHead(row)
  return { size: edge.size, root: edgeRoot(edge), epoch: row.epoch, ledger: row.ledger, seq: row.seq }
}

const RECORD = columns(idx.log_records, 'r', { record: 'record' })
const NODE = columns(idx.log_nodes, 'n', { hash: 'hash' })

/** The records of a tile, as far as it has them. */
export async function readTileRecords(db: Queryable, index: number): Promise<readonly Uint8Array[]> {
  const first = index * TILE_WIDTH
  const rows = await db.query(
    sql`select ${RECORD} from ${idx.log_records} r where r.leaf >= $1::bigint and r.leaf < $2::bigint order by r.leaf`, [first, first + TILE_WIDTH],
  )
  return rows.map(({ record }) => record)
}

/** The hashes of a tile, as far as it has them. */
export async function readTileHashes(db: Queryable, level: number, index: number): Promise<readonly Hash[]> {
  if (level === 0) return (await readTileRecords(db, index)).map(hashLeaf)
  const first = index * TILE_WIDTH
  const rows = await db.query(
    sql`select ${NODE} from ${idx.log_nodes} n where n.level = $1 and n.position >= $2::bigint and n.position < $3::bigint order by n.position`,
    [level * TILE_HEIGHT, first, first + TILE_WIDTH],
  )
  return rows.map(({ hash }) => hash)
}

/** Reads the nodes of the log's tree. */
export function createLogNodeReader(db: Queryable): NodeReader {
  return createNodeReader((level, index) => readTileHashes(db, level, index))
}

/** The events of a record. */
function rangeOf({ epochNumber, kind, fromLedger, toLedger, afterId, untilId }: StoredRecord): LoggedRange {
  const isEmpty = kind !== PAGE && kind !== CORRECTION
  const start = afterId ?? endOfLedger(fromLedger - 1)
  return { epochNumber, afterId: start, untilId: isEmpty ? start : untilId ?? endOfLedger(toLedger) }
}

const CORRECTING = columns(idx.log_records, 'c', { leaf: 'leaf' })

/** The newest correction that replaces a record; null when the record is valid. */
export async function readCorrectionOf(db: Queryable, { epochNumber, leaf, toLedger }: StoredRecord): Promise<number | null> {
  const [row] = await db.query(
    sql`select ${CORRECTING} from ${idx.log_records} c where c.kind = ${CORRECTION} and c.epoch_number = $1 and c.leaf > $2::bigint
       and $3::bigint between c.from_ledger and c.to_ledger order by c.leaf desc limit 1`,
    [epochNumber, leaf, toLedger],
  )
  return row?.leaf ?? null
}

const EVENT = columns(idx.events, 'e', { epochNumber: 'epoch', ledger: 'ledger', id: expression<string>(sql`left(e.event_id, 30)`) })

/** The valid record that an event is in, with the event's id on its chain; undefined when the archive does not have the event. */
export async function findRecordOf(db: Queryable, eventId: string): Promise<{ readonly record: StoredRecord; readonly id: string } | undefined> {
  const [event] = await db.query(sql`select ${EVENT} from ${idx.events} e where e.event_id = $1`, [eventId])
  if (event === undefined) return undefined
  const { id, ledger, epochNumber } = event
  const records = await readValidRecords(db, { epochNumber, fromLedger: ledger, toLedger: ledger })
  const record = records.findLast((each) => {
    const { afterId, untilId } = rangeOf(each)
    return id > afterId && id <= untilId
  })
  return record === undefined ? undefined : { record, id }
}

/** The tree over the events of one record. */
interface EventsTree {
  readonly read: NodeReader
  /** The place of an event in the record. Undefined when it is not there. */
  indexOf(id: string): Promise<number | undefined>
}

/** Trees over the events of records. Of a long record only the roots of 256 events each are held. */
export interface EventsTrees {
  /** The tree of a valid record. */
  of(record: StoredRecord): Promise<EventsTree>
}

interface EventsSummary {
  readonly roots: readonly Hash[]
  /** The id before the first event of each root, ascending. */
  readonly starts: readonly string[]
}

/** Summaries that are held, and those computed at the same time. */
const SUMMARIES_MAX = 16
const COMPUTED_AT_ONCE = 2
const WAITING_MAX = 100

export function createEventsTrees(db: Queryable): EventsTrees {
  const summaries = new Map<number, Promise<EventsSummary>>()
  const computing = createSemaphore(COMPUTED_AT_ONCE, WAITING_MAX)

  function summaryOf(record: StoredRecord): Promise<EventsSummary> {
    const known = summaries.get(record.leaf)
    if (known !== undefined) return known
    const summary = computing.run(() => summarize(db, rangeOf(record)))
    summaries.set(record.leaf, summary)
    summary.catch(() => summaries.delete(record.leaf))
    const [oldest] = summaries.keys()
    if (summaries.size > SUMMARIES_MAX && oldest !== undefined) summaries.delete(oldest)
    return summary
  }

  return {
    async of(record) {
      const { roots, starts } = await summaryOf(record)
      const range = rangeOf(record)
      const eventsOf = (index: number) => readLoggedEvents(db, { ...range, afterId: starts[index] ?? range.untilId }, TILE_WIDTH)
      return {
        read: createNodeReader(async (level, index) => {
          if (level === 0) return (await eventsOf(index)).map(eventLeaf)
          const width = TILE_WIDTH ** (level - 1)
          const first = index * TILE_WIDTH
          const count = Math.max(0, Math.min(TILE_WIDTH, Math.floor(roots.length / width) - first))
          return Array.from({ length: count }, (_, each) => rootOf(roots.slice((first + each) * width, (first + each + 1) * width)))
        }),
        async indexOf(id) {
          const tile = starts.findLastIndex((start) => start < id)
          const within = tile === -1 ? -1 : (await eventsOf(tile)).findIndex((event) => event.id === id)
          return within === -1 ? undefined : tile * TILE_WIDTH + within
        },
      }
    },
  }
}

/** The roots of full tiles, and the start of every tile. */
async function summarize(db: Queryable, range: LoggedRange): Promise<EventsSummary> {
  const roots: Hash[] = []
  const starts: string[] = []
  for (let afterId = range.afterId; ;) {
    const events = await readLoggedEvents(db, { ...range, afterId }, TILE_WIDTH)
    const last = events.at(-1)
    if (last === undefined) return { roots, starts }
    starts.push(afterId)
    if (events.length < TILE_WIDTH) return { roots, starts }
    roots.push(rootOf(events.map(eventLeaf)))
    afterId = last.id
  }
}

/** A page of a record's events, after an id. */
export async function readRecordEvents(db: Queryable, record: StoredRecord, afterId: string | undefined, limit: number) {
  const range = rangeOf(record)
  return await readLoggedEvents(db, afterId === undefined || afterId < range.afterId ? range : { ...range, afterId }, limit)
}
