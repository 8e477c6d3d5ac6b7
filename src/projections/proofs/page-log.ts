// The log of pages: appending records. Each is written in the transaction that changes what the index says (docs/decisions/log-of-pages.md).

import { columns } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import { arrayOf } from '../../store/store.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { encodeRecord, RECORD_KINDS } from '../../base/proofs/record.ts'
import type { LogRecord } from '../../base/proofs/record.ts'
import { TILE_HEIGHT } from '../../base/proofs/tiles.ts'
import { appendLeaf, EMPTY_EDGE, HASH_BYTES, hashLeaf } from '../../base/proofs/tree.ts'
import type { Edge, TreeNode } from '../../base/proofs/tree.ts'

/** The end of the log. */
export interface PageLogHead {
  readonly edge: Edge
  /** The number of events that the records say there are. */
  readonly events: number
}

export const EMPTY_LOG: PageLogHead = { edge: EMPTY_EDGE, events: 0 }

/** A record before it has its place, and what lookups need of it. */
export interface NewRecord extends Omit<LogRecord, 'seqFirst'> {
  readonly epochNumber: number
  /** Of a correction: the place of its first event. Other records are appended after all events. */
  readonly seqFirst?: number
  /** Of a page that begins inside a ledger: the cursor before its first event. */
  readonly afterId?: string | null
  /** Of a page or correction that ends inside a ledger: the cursor of its end. */
  readonly untilId?: string | null
  /** Of a correction: the first page or gap of which it says something else. */
  readonly baseLeaf?: number
}

const HEAD = columns(idx.log_head, 'h', { size: 'size', edge: 'edge', events: 'events' })

/** The end of the log; null before its first record. */
export async function readPageLogHead(db: Queryable): Promise<PageLogHead | null> {
  const [row] = await db.query(sql`select ${HEAD} from ${idx.log_head} h`)
  return row === undefined ? null : toHead(row)
}

export function toHead({ size, edge, events }: RowOf<typeof HEAD>): PageLogHead {
  const hashes = Array.from({ length: edge.length / HASH_BYTES }, (_, index) => edge.slice(index * HASH_BYTES, (index + 1) * HASH_BYTES))
  return { edge: { size, hashes }, events }
}

/** Appends records, and returns the new end of the log. The only writer of the log. */
export async function appendRecords(tx: Writable, head: PageLogHead, records: readonly NewRecord[]): Promise<PageLogHead> {
  const nodes: TreeNode[] = []
  const keep = (node: TreeNode): void => {
    if (node.level > 0 && node.level % TILE_HEIGHT === 0) nodes.push(node)
  }
  let { edge, events } = head
  const rows = records.map((record) => {
    const bytes = encodeRecord({ ...record, seqFirst: record.seqFirst ?? events + 1 })
    const leaf = edge.size
    edge = appendLeaf(edge, hashLeaf(bytes), keep)
    events += record.events - record.replaces
    return { ...record, leaf, bytes }
  })
  if (rows.length === 0) return head
  await tx.run(
    sql`${sql.insertInto(idx.log_records)} (leaf, record, epoch_number, kind, from_ledger, to_ledger, events, after_id, until_id, base_leaf)
     select r.leaf, decode(r.record, 'base64'), r.epoch_number, r.kind, r.from_ledger, r.to_ledger, r.events, r.after_id, r.until_id, r.base_leaf
     from unnest($1::bigint[], $2::text[], $3::int[], $4::int[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::bigint[])
       r (leaf, record, epoch_number, kind, from_ledger, to_ledger, events, after_id, until_id, base_leaf)`,
    [
      arrayOf('bigint', rows.map(({ leaf }) => leaf)), arrayOf('text', rows.map(({ bytes }) => bytes.toString('base64'))),
      arrayOf('integer', rows.map(({ epochNumber }) => epochNumber)), arrayOf('integer', rows.map(({ kind }) => RECORD_KINDS.indexOf(kind))),
      arrayOf('bigint', rows.map(({ fromLedger }) => fromLedger)), arrayOf('bigint', rows.map(({ toLedger }) => toLedger)),
      arrayOf('bigint', rows.map((row) => row.events)), arrayOf('text', rows.map(({ afterId }) => afterId ?? null)),
      arrayOf('text', rows.map(({ untilId }) => untilId ?? null)), arrayOf('bigint', rows.map(({ baseLeaf }) => baseLeaf ?? null)),
    ],
  )
  for (const { level, index, hash } of nodes) {
    await tx.run(sql`${sql.insertInto(idx.log_nodes)} (level, position, hash) values ($1, $2, $3)`, [level, index, hash])
  }
  await tx.run(
    sql`${sql.insertInto(idx.log_head)} (size, edge, events) values ($1, $2, $3)
     on conflict (id) do update set size = excluded.size, edge = excluded.edge, events = excluded.events`,
    [edge.size, Buffer.concat(edge.hashes), events],
  )
  return { edge, events }
}
