// Gaps: ledgers that the RPC dropped before they were read. Each gap reserves seqs, so that events read later from another source take their place in log
// order, and no seq that was ever issued changes.

import { assert } from '../../base/assert.ts'
import type { GapRange, NotedGap } from '../../resources/gap-range.ts'
import { columns, expression, expressions } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'

const GAP = columns(idx.gaps, 'g', {
  epoch: 'epoch', fromLedger: 'from_ledger', toLedger: 'to_ledger', firstSeq: 'first_seq', lastSeq: 'last_seq', afterTs: 'after_ts', fillCursor: 'fill_cursor',
})

/**
 * A gap as the indexer processes it: the number of its epoch, its ledgers and reserved seqs (inclusive), the close time of the last ledger before it (unix
 * seconds; null: unknown), and the cursor up to which it has been filled (null: not at all).
 */
export type Gap = RowOf<typeof GAP>

/** Seqs reserved per lost ledger: far more than the events a ledger can hold. */
const SEQS_PER_LEDGER = 10_000
/** Only the newest gaps are reported, up to this number. */
const REPORTED_GAPS_MAX = 20

/** Records lost ledgers and reserves the seqs after `afterSeq` for them. Returns the last reserved seq. */
export async function insertGap(
  tx: Writable,
  gap: Pick<Gap, 'epoch' | 'fromLedger' | 'toLedger' | 'afterTs' | 'fillCursor'> & { readonly afterSeq: number },
  nowMs: number,
): Promise<number> {
  const { fromLedger, toLedger, afterSeq } = gap
  const lastSeq = afterSeq + (toLedger - fromLedger + 1) * SEQS_PER_LEDGER
  assert(Number.isSafeInteger(lastSeq), 'seqs are exhausted')
  await insertRows(tx, idx.gaps, [gap], {
    epoch: 'epoch', from_ledger: 'fromLedger', to_ledger: 'toLedger', noticed_at: { all: nowMs }, first_seq: { all: afterSeq + 1 }, last_seq: { all: lastSeq },
    after_ts: 'afterTs', fill_cursor: 'fillCursor',
  })
  await tx.run(sql`${sql.update(idx.cursor)} set reserved_seq = greatest(reserved_seq, $1::bigint)`, [lastSeq])
  return lastSeq
}

/** SQL: the newest gaps for the health endpoint, as one JSON array. */
export const GAP_RANGES = sql`(select coalesce(jsonb_agg(jsonb_build_object('epoch', t.epoch, 'fromLedger', t.from_ledger, 'toLedger', t.to_ledger,
    'since', t.noticed_at, 'state', t.state) order by t.number desc, t.from_ledger desc), '[]'::jsonb)
  from (select e.number, e.epoch, g.from_ledger, g.to_ledger, g.noticed_at, g.state from ${idx.gaps} g join ${idx.epochs} e on e.number = g.epoch
        order by g.epoch desc, g.from_ledger desc limit ${REPORTED_GAPS_MAX}) t)`

/** A gap that a page may overlap. */
interface UnfilledGap extends GapRange {
  readonly lastSeq: number
}

/** SQL: the newest unfilled gaps that match `condition` on `g`, a row of idx.gaps, as one JSON array. */
export function unfilledGaps(condition: Sql): Sql {
  return sql`(select coalesce(jsonb_agg(jsonb_build_object('epoch', t.name, 'fromLedger', t.from_ledger, 'toLedger', t.to_ledger, 'lastSeq', t.last_seq)
      order by t.last_seq desc), '[]'::jsonb)
    from (select e.epoch as name, g.* from ${idx.gaps} g join ${idx.epochs} e on e.number = g.epoch where g.state <> 'filled' and ${condition}
          order by g.last_seq desc limit ${REPORTED_GAPS_MAX}) t)`
}

/** The gaps that overlap a page whose lowest seq is `lowSeq`. */
export function gapsAtOrAbove(lowSeq: number, gaps: readonly UnfilledGap[]): readonly GapRange[] {
  return gaps.filter(({ lastSeq }) => lastSeq >= lowSeq).map(({ epoch, fromLedger, toLedger }) => ({ epoch, fromLedger, toLedger }))
}

/** SQL: true when every ledger of the gap `g` has been read: its cursor is the end of the last one. */
const LAST_CURSOR = `lpad(((g.to_ledger + 1) * 4294967296 - 1)::text, 19, '0') || '-4294967295'`
const IS_READ = `g.fill_cursor = ${LAST_CURSOR}`

/** Marks the gaps as filled that were read completely: their events are in the projections now. */
export async function markReadGaps(tx: Writable, nowMs: number): Promise<void> {
  await tx.run(sql`${sql.update(idx.gaps)} g set state = 'filled', changed_at = $1 where g.state = 'open' and ${IS_READ}`, [nowMs])
}

/** Records that every ledger of these gaps has been read; they count as filled when the projections have been rebuilt. */
export async function markGapsRead(
  tx: Writable, range: { readonly chain: number; readonly fromLedger: number; readonly throughLedger: number },
): Promise<void> {
  await tx.run(
    sql`${sql.update(idx.gaps)} g set state = 'open', fill_cursor = ${LAST_CURSOR}
     from ${idx.epochs} e where e.number = g.epoch and e.chain = $1 and g.state <> 'filled' and g.from_ledger >= $2::bigint and g.to_ledger <= $3::bigint`,
    [range.chain, range.fromLedger, range.throughLedger],
  )
}

/** The oldest gap on this chain to fill: open, or unfillable and last tried before `triedBeforeMs`. Null when there is none. */
export async function readGapToFill(db: Queryable, chain: number, triedBeforeMs: number): Promise<Gap | null> {
  const [gap] = await db.query(
    sql`select ${GAP} from ${idx.gaps} g join ${idx.epochs} e on e.number = g.epoch
     where e.chain = $1 and g.first_seq < g.last_seq and not coalesce(${IS_READ}, false)
       and (g.state = 'open' or g.state = 'unfillable' and g.changed_at < $2::bigint)
     order by g.last_seq limit 1`,
    [chain, triedBeforeMs],
  )
  return gap ?? null
}

/** The gaps of an epoch that were not read completely, in the order of ledgers. */
export async function readUnreadGaps(db: Queryable, epoch: number): Promise<readonly Gap[]> {
  return await db.query(sql`select ${GAP} from ${idx.gaps} g where g.epoch = $1 and not coalesce(${IS_READ}, false) order by g.from_ledger`, [epoch])
}

/** The last seq of a gap that is in use; the one before its first seq when none is. */
export async function lastFilledSeq(db: Queryable, { firstSeq, lastSeq }: Gap): Promise<number> {
  const seq = expression<number | null>(sql`greatest((select max(e.seq) from ${idx.events} e where e.seq between $1 and $2),
    (select max(v.seq) from ${idx.contract_versions} v where v.seq between $1 and $2))`)
  const [row] = await db.query(sql`select ${expressions({ seq })}`, [firstSeq, lastSeq])
  return row?.seq ?? firstSeq - 1
}

/** Stores how far a gap has been filled, and its state. */
export async function updateGap(
  tx: Writable,
  gap: Gap,
  update: { readonly fillCursor: string | null; readonly state: NotedGap['state'] },
  nowMs: number,
): Promise<void> {
  await tx.run(
    sql`${sql.update(idx.gaps)} set fill_cursor = $3, state = $4, changed_at = $5 where epoch = $1 and from_ledger = $2`,
    [gap.epoch, gap.fromLedger, update.fillCursor, update.state, nowMs],
  )
}

/** Splits a gap before `ledger`, which must be after its first ledger, together with its seqs. The lower part keeps its state; the upper part is open. */
export async function splitGap(tx: Writable, gap: Gap, ledger: number, nowMs: number): Promise<void> {
  const firstSeq = Math.max(gap.firstSeq + (ledger - gap.fromLedger) * SEQS_PER_LEDGER, (await lastFilledSeq(tx, gap)) + 1)
  await tx.run(
    sql`${sql.insertInto(idx.gaps)} (epoch, from_ledger, to_ledger, noticed_at, first_seq, last_seq, after_ts)
     select epoch, $3, to_ledger, noticed_at, $4, last_seq, after_ts from ${idx.gaps} where epoch = $1 and from_ledger = $2`,
    [gap.epoch, gap.fromLedger, ledger, firstSeq],
  )
  await tx.run(
    sql`${sql.update(idx.gaps)} set to_ledger = $3, last_seq = $4, changed_at = $5 where epoch = $1 and from_ledger = $2`,
    [gap.epoch, gap.fromLedger, ledger - 1, firstSeq - 1, nowMs],
  )
}
