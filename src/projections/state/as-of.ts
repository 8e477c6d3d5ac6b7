// The state that a statement reads: the head of the index, or the state when an earlier ledger had been indexed. Either is one row with the alias `c`.

import { columns, expression } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { SelectList, Sql } from '../../store/sql.ts'
import type { Param } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'

/** The state that a read returns: as of this ledger of the current epoch, or the present one. */
export interface AsOf {
  readonly atLedger?: number | undefined
}

/** The requested ledger is not indexed. Both bounds are null while nothing is indexed. */
export class LedgerNotIndexed extends Error {
  override readonly name = 'LedgerNotIndexed'
  /** The range of ledgers that can be requested. */
  readonly first: number | null
  readonly last: number | null
  constructor(first: number | null, last: number | null) {
    super('the ledger is not indexed')
    this.first = first
    this.last = last
  }
}

/** The state of the index that rows were read from, in every row of a result. */
export interface HeadColumns {
  readonly headLedger: number | null
  readonly headSeq: number
  /** The name of the current epoch; null while nothing is indexed. */
  readonly headEpoch: string | null
  /** Only in reads as of a ledger. */
  readonly headFirst?: number | null
  readonly headLast?: number | null
  readonly headFinal?: boolean | null
  readonly headCloseTs?: number | null
}

/** The parts of a statement that reads one state. */
export interface StateSource {
  /** SQL of the row `c`: `epoch`, `last_ledger`, `last_ledger_close_ts` and `last_seq` of the state. */
  readonly from: Sql
  /** SQL of the columns of `HeadColumns`. */
  readonly head: Sql
  /** SQL of the last seq that belongs to the state; undefined for the present one, which has no bound. */
  readonly throughSeq: Sql | undefined
}

/** SQL: the name of the current epoch. It refers to no row, so that a statement reads it once and not for each of its rows. */
const CURRENT_EPOCH = sql`(select n.epoch from ${idx.cursor} x join ${idx.epochs} n on n.number = x.epoch)`

/** The column of the current epoch's name. */
export const HEAD_EPOCH = expression<string | null>(CURRENT_EPOCH)

/** The head of the present state, from the row `c` of the cursor. */
export const PRESENT_HEAD: SelectList<HeadColumns> = columns(idx.cursor, 'c', {
  headLedger: 'last_ledger', headSeq: 'last_seq', headEpoch: HEAD_EPOCH,
})
const PRESENT: StateSource = { from: sql`${idx.cursor} c`, head: PRESENT_HEAD, throughSeq: undefined }

/** `bind` adds a parameter to the statement and returns its SQL. */
export function stateSource({ atLedger }: AsOf, bind: (value: Param) => Sql): StateSource {
  if (atLedger === undefined) return PRESENT
  return {
    from: stateAt(sql`${bind(atLedger)}::bigint`),
    head: sql`c.last_ledger as "headLedger", c.last_seq as "headSeq", ${CURRENT_EPOCH} as "headEpoch", c.first_ledger as "headFirst",
      c.head_ledger as "headLast", c.is_final as "headFinal", c.last_ledger_close_ts as "headCloseTs"`,
    throughSeq: sql`c.through_seq`,
  }
}

/**
 * SQL of the state as of a ledger. It ends before the first event of a later ledger, before the first correction that compared a later ledger, and with the
 * range of the epoch: another chain may have been indexed before the next event of this one. A ledger that is not indexed has no seq and no `last_ledger`.
 *
 * The planner does not see the parameter, so that it plans a prepared statement once and not for every ledger.
 */
function stateAt(parameter: Sql): Sql {
  const ledger = sql`a.ledger`
  return sql`(select h.epoch, h.first_ledger, h.head_ledger,
      case when h.is_indexed then ${ledger} end as last_ledger,
      case when h.is_indexed then least(through.seq, h.last_seq) else 0 end as last_seq,
      case when h.is_indexed then through.seq else -1 end as through_seq,
      case when ${ledger} = h.head_ledger then h.head_close_ts else ${closeTimeOf(ledger)} end as last_ledger_close_ts,
      ${ledger} < h.head_ledger and not exists (
        select 1 from ${idx.gaps} g where g.epoch = h.epoch and g.state <> 'filled' and g.from_ledger <= ${ledger}) as is_final
    from (select ${parameter} as ledger offset 0) a
    cross join lateral (
      select x.epoch, x.last_seq, greatest(x.last_seq, x.reserved_seq) as end_seq, x.last_ledger as head_ledger, x.last_ledger_close_ts as head_close_ts,
        e.start_ledger as first_ledger, e.contract_epoch,
        coalesce(${ledger} between e.start_ledger and x.last_ledger, false) as is_indexed
      from ${idx.cursor} x left join ${idx.epochs} e on e.number = x.epoch offset 0
    ) h
    left join lateral (select l.ledger, l.close_ts, l.last_seq from ${idx.ledgers} l where l.epoch = h.epoch and l.ledger <= ${ledger}
      order by l.ledger desc limit 1) prior on true
    left join lateral (select l.ledger, l.close_ts, l.first_seq from ${idx.ledgers} l where l.epoch = h.epoch and l.ledger > ${ledger}
      order by l.ledger limit 1) later on true
    left join lateral (select s.last_seq from ${idx.epoch_ranges} s where s.epoch = h.epoch and s.first_seq <= coalesce(prior.last_seq, s.first_seq)
      order by case when prior.last_seq is null then -s.first_seq else s.first_seq end desc limit 1) seqs on true
    left join lateral (select k.seq from ${idx.corrections} k where k.contract_epoch = h.contract_epoch and k.ledger > ${ledger}
        and k.kind <> 'event' and k.kind in ('ended', 'changed', 'opened', 'interest')
      order by k.ledger, k.seq limit 1) correction on true
    cross join lateral (select least(later.first_seq - 1, seqs.last_seq, correction.seq - 1, h.end_seq) as seq) through
    offset 0) c`
}

/** SQL: when a ledger closed. Ledgers without events are interpolated between their neighbours. */
function closeTimeOf(ledger: Sql): Sql {
  const next = '(select * from (values (later.ledger, later.close_ts), (h.head_ledger, h.head_close_ts)) n (ledger, ts) where n.ts is not null limit 1)'
  return sql`(select coalesce(prior.close_ts + (n.ts - prior.close_ts) * (${ledger} - prior.ledger) / nullif(n.ledger - prior.ledger, 0), prior.close_ts, n.ts)
    from (select 1) one left join ${next} n on true)`
}
