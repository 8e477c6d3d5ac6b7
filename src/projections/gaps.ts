// Stretches of ledgers that were dropped before they were read. Each has places in the log of its own, so that what another source tells later stands where
// it happened, and no place that was ever handed out changes.

import { assert } from '../base/assert.ts'
import type { GapRange, NotedGap } from '../resources/gap-range.ts'
import type { Queryable } from '../store/store.ts'

/** A gap as the indexer works on it. */
export interface Gap {
  /** Number of its epoch. */
  readonly epoch: number
  readonly fromLedger: number
  readonly toLedger: number
  /** The places set aside, inclusive. */
  readonly firstSeq: number
  readonly lastSeq: number
  /** Unix seconds; null: not known. */
  readonly afterTs: number | null
  readonly state: NotedGap['state']
  /** Exclusive; null before the first page. */
  readonly fillCursor: string | null
}

/** So many events of a lost ledger find a place, on average: far more than ledgers have room for. */
const PLACES_PER_LEDGER = 10_000
/** Gaps are told up to this many, the newest. */
export const GAPS_TOLD_MAX = 20

/** Notes ledgers that were lost, and sets the places behind `afterSeq` aside for them. Returns the last of these. A gap that is known already grows. */
export async function insertGap(
  tx: Queryable,
  gap: Pick<Gap, 'epoch' | 'fromLedger' | 'toLedger' | 'afterTs'> & { readonly afterSeq: number },
  nowMs: number,
): Promise<number> {
  const { epoch, fromLedger, toLedger, afterTs, afterSeq } = gap
  const lastSeq = afterSeq + (toLedger - fromLedger + 1) * PLACES_PER_LEDGER
  assert(Number.isSafeInteger(lastSeq), 'the log has no places left')
  await tx.query(
    `insert into idx.gaps (epoch, from_ledger, to_ledger, noticed_at, first_seq, last_seq, after_ts) values ($1, $2, $3, $4, $5, $6, $7)`,
    [epoch, fromLedger, toLedger, nowMs, afterSeq + 1, lastSeq, afterTs],
  )
  await tx.query('update idx.cursor set reserved_seq = greatest(reserved_seq, $1::bigint)', [lastSeq])
  return lastSeq
}

/** SQL: the newest gaps as health tells them, as one JSON list. */
export const GAP_RANGES = `(select coalesce(jsonb_agg(jsonb_build_object('epoch', t.epoch, 'fromLedger', t.from_ledger, 'toLedger', t.to_ledger,
    'since', t.noticed_at, 'state', t.state) order by t.number desc, t.from_ledger desc), '[]'::jsonb)
  from (select e.number, e.epoch, g.from_ledger, g.to_ledger, g.noticed_at, g.state from idx.gaps g join idx.epochs e on e.number = g.epoch
        order by g.epoch desc, g.from_ledger desc limit ${GAPS_TOLD_MAX}) t)`

/** A gap that a page may touch, by its places. */
interface PlacedGap extends GapRange {
  readonly lastSeq: number
}

/** SQL: the gaps that are not filled and for which `condition` holds of `g`, a row of idx.gaps: the newest, as one JSON list. */
export function unfilledGaps(condition: string): string {
  return `(select coalesce(jsonb_agg(jsonb_build_object('epoch', t.name, 'fromLedger', t.from_ledger, 'toLedger', t.to_ledger, 'lastSeq', t.last_seq)
      order by t.last_seq desc), '[]'::jsonb)
    from (select e.epoch as name, g.* from idx.gaps g join idx.epochs e on e.number = g.epoch where g.state <> 'filled' and ${condition}
          order by g.last_seq desc limit ${GAPS_TOLD_MAX}) t)`
}

/** Those of them that a page reaches which ends at `lowSeq`. */
export function gapsDownTo(lowSeq: number, gaps: readonly PlacedGap[]): readonly GapRange[] {
  return gaps.filter(({ lastSeq }) => lastSeq >= lowSeq).map(({ epoch, fromLedger, toLedger }) => ({ epoch, fromLedger, toLedger }))
}
