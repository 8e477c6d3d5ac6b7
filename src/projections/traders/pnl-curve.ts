// The PnL curve of a trader, from sums per interval. As of a ledger, only complete intervals can be read: days, then hours, then minutes. The last minute is
// folded again.

import { defined } from '../../base/assert.ts'
import { PNL_POINTS } from '../../limits.ts'
import type { CandleInterval } from '../../resources/candle.ts'
import type { GapRange } from '../../resources/gap-range.ts'
import type { PnlPoint } from '../../resources/trader-profile.ts'
import { columns, expression, outerJoined } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { SelectList, Sql } from '../../store/sql.ts'
import type { Param, Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { AsOf, HeadColumns, StateSource } from '../state/as-of.ts'
import { stateSource } from '../state/as-of.ts'
import { bucketEnd, bucketStart } from '../candles/candles.ts'
import { gapsAtOrAbove, unfilledGaps } from '../repair/gaps.ts'
import { clampToSafeInteger, headOf, toSearchText } from '../log/log-list.ts'
import type { Head } from '../log/page.ts'
import { changesOfMinute, rowsOfLastMinute } from '../candles/partial-minute.ts'
import type { MinuteRows } from '../candles/partial-minute.ts'
import { addChange, STORED_WIDTHS_SEC } from './trader-results.ts'
import type { ChangeSum } from './trader-results.ts'

export interface PnlFilter extends AsOf {
  readonly trader: string
  readonly interval: CandleInterval
  /** Intervals that start at or after this time, unix seconds. */
  readonly fromSec: number
  /** Intervals that start before this time. */
  readonly toSec: number
}

export interface PnlCurve {
  readonly points: readonly PnlPoint[]
  /** Gaps of the index that the curve overlaps. */
  readonly gaps: readonly GapRange[]
  readonly head: Head
}

/** Either the sum of an interval, or what the last minute of a past state is folded from. */
const SUM = outerJoined(columns(idx.trader_pnl, 'part', {
  time: 'time', realizedPnl: 'realized_pnl', fees: 'fees', funding: 'funding', unknownPnl: 'unknown_pnl', unknownFees: 'unknown_fees',
  unknownFunding: 'unknown_funding',
}))
const MINUTE = columns(idx.trader_pnl, 'part', { minute: expression<MinuteRows | null>(sql`part.minute`) })

/** One point per interval. At most PNL_POINTS.max intervals are read; `countIntervals` says how many there are. Throws LedgerNotIndexed. */
export async function readPnlCurve(db: Queryable, filter: PnlFilter): Promise<PnlCurve> {
  const { trader, interval } = filter
  const width = bucketEnd(0, interval)
  const first = firstInterval(filter)
  const times = Array.from({ length: Math.min(countIntervals(filter), PNL_POINTS.max) }, (_, index) => first + index * width)
  const params: Param[] = [toSearchText(trader), first, first + times.length * width]
  const state = stateSource(filter, (value) => sql`$${params.push(value)}`)
  const startOf = (ts: number): number => bucketStart(ts, interval)
  const stateHead: SelectList<HeadColumns> = state.head
  const gaps = columns(idx.gaps, 'g', { headGaps: expression<Parameters<typeof gapsAtOrAbove>[1]>(unfilledGaps(gapsOf(state))) })
  const rows = await db.query(
    sql`select ${stateHead}, ${gaps}, ${SUM}, ${MINUTE}
     from ${state.from} cross join ${BOUNDS} left join lateral (${sumsOf(width, startOf(width) % width, state)}) part on true`,
    params,
  )
  const head = headOf(rows)
  const sums = new Map(rows.flatMap((row) => {
    if (row.time === null) return []
    const { time, realizedPnl, fees, funding, unknownPnl, unknownFees, unknownFunding } = row
    const sum: ChangeSum = { realizedPnl: BigInt(realizedPnl), fees: BigInt(fees), funding: BigInt(funding), unknownPnl, unknownFees, unknownFunding }
    return [[time, sum] as const]
  }))
  for (const { minute } of rows) {
    if (minute !== null) addMinute(sums, changesOfMinute(trader, minute), startOf)
  }
  return { points: toPoints(times, sums), gaps: gapsAtOrAbove(0, defined(rows[0], 'the index cursor').headGaps), head }
}

/** The close time of a ledger, unix seconds; estimated for a ledger without events, null when it is not known. Throws LedgerNotIndexed. */
export async function readCloseTime(db: Queryable, atLedger: number): Promise<number | null> {
  const params: Param[] = []
  const { head, from } = stateSource({ atLedger }, (value) => sql`$${params.push(value)}`)
  const rows = await db.query<HeadColumns>(sql`select ${head} from ${from}`, params)
  headOf(rows)
  return rows[0]?.headCloseTs ?? null
}

/** The number of intervals of the span. */
export function countIntervals(filter: Pick<PnlFilter, 'interval' | 'fromSec' | 'toSec'>): number {
  return Math.max(0, Math.ceil((filter.toSec - firstInterval(filter)) / bucketEnd(0, filter.interval)))
}

/** The start of the last `count` intervals before a time. */
export function intervalsBefore(toSec: number, count: number, interval: CandleInterval): number {
  return Math.max(0, bucketStart(Math.max(0, toSec - 1), interval) - (count - 1) * bucketEnd(0, interval))
}

function firstInterval({ interval, fromSec }: Pick<PnlFilter, 'interval' | 'fromSec'>): number {
  const from = clampToSafeInteger(fromSec)
  const start = bucketStart(from, interval)
  return start < from ? bucketEnd(start, interval) : start
}

/** SQL of the bounds `b`. The planner does not see them, so that it plans a prepared statement once and not for every call. */
const BOUNDS = '(select $1::text as trader, $2::bigint as first, $3::bigint as until offset 0) b'

const SUMMED = `sum(p.realized_pnl) as realized_pnl, sum(p.fees) as fees, sum(p.funding) as funding, sum(p.unknown_pnl)::bigint as unknown_pnl,
  sum(p.unknown_fees)::bigint as unknown_fees, sum(p.unknown_funding)::bigint as unknown_funding`

/** SQL of the parts of a curve whose intervals begin at multiples of `width`, plus `offset`. Each stored width has its own range of the index. */
function sumsOf(width: number, offset: number, { throughSeq }: StateSource): Sql {
  const widths = STORED_WIDTHS_SEC.filter((stored) => width % stored === 0)
  const rows = (stored: number, low: Sql, high: Sql): Sql =>
    sql`select * from ${idx.trader_pnl} r where r.trader = b.trader and r.width = ${stored} and r.time >= ${low} and r.time < ${high}`
  const sums = (stored: Sql): Sql =>
    sql`select (p.time - ${offset}) / ${width} * ${width} + ${offset} as time, ${SUMMED}, null::jsonb as minute from (${stored}) p group by 1`
  if (throughSeq === undefined) return sums(rows(defined(widths.at(-1), 'a stored width'), sql`b.first`, sql`b.until`))
  const lastOf = (stored: number): Sql => sql`c.last_ledger_close_ts / ${stored} * ${stored}`
  const complete = widths.map((stored, index) => {
    const wider = widths[index + 1]
    return rows(stored, wider === undefined ? sql`b.first` : sql`greatest(b.first, ${lastOf(wider)})`, sql`least(b.until, ${lastOf(stored)})`)
  })
  return sql`${sums(sql.join(complete, ' union all '))}
    union all select null, null, null, null, null, null, null, ${rowsOfLastMinute(sql`b.trader`, throughSeq)}
    where c.last_ledger_close_ts >= b.first and ${lastOf(60)} < b.until`
}

/** SQL: the gap `g` may hold events of the span and of the state. Its end is known by the first ledger after it. */
function gapsOf({ throughSeq }: StateSource): Sql {
  const inState = throughSeq === undefined ? '' : sql`and g.first_seq <= ${throughSeq} and (g.epoch <> c.epoch or g.from_ledger <= c.last_ledger)`
  return sql`coalesce(g.after_ts + 1, 0) < b.until and coalesce((select l.close_ts from ${idx.ledgers} l where l.epoch = g.epoch and l.ledger > g.to_ledger
    order by l.ledger limit 1), b.first) >= b.first ${inState}`
}

function addMinute(sums: Map<number, ChangeSum>, changes: ReturnType<typeof changesOfMinute>, startOf: (ts: number) => number): void {
  for (const { ts, ...change } of changes) {
    const sum = sums.get(startOf(ts))
    if (sum === undefined) sums.set(startOf(ts), { ...change })
    else addChange(sum, change)
  }
}

/** A value that includes something unknown is null, and so is every running total after it. */
function toPoints(times: readonly number[], sums: ReadonlyMap<number, ChangeSum>): readonly PnlPoint[] {
  let total: bigint | null = 0n
  return times.map((ts) => {
    const sum = sums.get(ts)
    const realizedPnl = sum === undefined ? 0n : knownOr(sum.realizedPnl, sum.unknownPnl)
    const fees = sum === undefined ? 0n : knownOr(sum.fees, sum.unknownFees)
    const funding = sum === undefined ? 0n : knownOr(sum.funding, sum.unknownFunding)
    total = total === null || realizedPnl === null || fees === null || funding === null ? null : total + realizedPnl - fees - funding
    return { ts, realizedPnl: textOr(realizedPnl), fees: textOr(fees), funding: textOr(funding), cumulative: textOr(total) }
  })
}

function knownOr(value: bigint, unknown: number): bigint | null {
  return unknown === 0 ? value : null
}

function textOr(value: bigint | null): string | null {
  return value === null ? null : String(value)
}
