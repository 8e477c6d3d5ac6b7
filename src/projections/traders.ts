// What is served about one trader: the public profile and the PnL curve.

import { defined } from '../base/assert.ts'
import { PNL_POINTS } from '../limits.ts'
import type { CandleInterval } from '../resources/candle.ts'
import type { GapRange } from '../resources/gap-range.ts'
import type { PnlPoint, TraderProfile } from '../resources/trader-profile.ts'
import type { Queryable } from '../store/store.ts'
import type { HeadColumns } from './as-of.ts'
import { bucketEnd, bucketStart } from './candles.ts'
import { gapsAtOrAbove, unfilledGaps } from './gaps.ts'
import { clampToSafeInteger, headOf, toSearchText } from './log-list.ts'
import type { Head } from './page.ts'
import { STORED_WIDTHS_SEC } from './trader-results.ts'
import { readTradesBySeq } from './trades.ts'
import { ACCOUNT_VOLUME_WINDOW_SEC, DAY_SEC, traderVolume } from './volumes.ts'

interface RawProfile extends HeadColumns, Omit<TraderProfile, 'address' | 'winRate' | 'bestTrade' | 'worstTrade'> {
  readonly bestSeq: number | null
  readonly worstSeq: number | null
}

/** The profile of an account; zeros when it never traded. */
export async function readTraderProfile(
  db: Queryable, { trader, nowSec }: { readonly trader: string; readonly nowSec: number },
): Promise<{ readonly profile: TraderProfile; readonly head: Head }> {
  const volume = (windowSec: number): string => traderVolume('$1', { now: '$2::bigint', windowSec, throughSeq: undefined })
  const rows = await db.query<RawProfile>(
    `select c.last_ledger as "headLedger", c.last_seq as "headSeq", coalesce(t.volume, 0) as volume,
       ${volume(DAY_SEC)} as "volume24h", ${volume(ACCOUNT_VOLUME_WINDOW_SEC)} as "volume14d",
       coalesce(r.realized_pnl, 0) as "realizedPnl", coalesce(t.trades, 0) as trades, coalesce(t.liq_count, 0) as liquidations,
       coalesce(r.wins, 0) as wins, coalesce(r.losses, 0) as losses, open.count as "openPositions", open.size as "openInterest",
       r.first_ts as "firstTradeAt", r.last_ts as "lastTradeAt", r.best_seq as "bestSeq", r.worst_seq as "worstSeq"
     from idx.cursor c left join idx.epochs e on e.number = c.epoch
     left join idx.traders t on t.trader = $1 left join idx.trader_results r on r.trader = $1
     cross join lateral (select count(*) as count, coalesce(sum(p.size), 0) as size from idx.positions p
       where p.deployment = e.deployment and p.trader = $1 and p.state = 'open') open`,
    [toSearchText(trader), nowSec],
  )
  const { headLedger: _ledger, headSeq: _seq, bestSeq, worstSeq, ...figures } = defined(rows[0], 'the index cursor')
  const trades = await readTradesBySeq(db, [bestSeq, worstSeq].filter((seq) => seq !== null))
  const decided = figures.wins + figures.losses
  const profile: TraderProfile = {
    address: trader, ...figures, winRate: decided === 0 ? null : figures.wins / decided,
    bestTrade: trades.get(bestSeq ?? 0) ?? null, worstTrade: trades.get(worstSeq ?? 0) ?? null,
  }
  return { profile, head: headOf(rows) }
}

export interface PnlFilter {
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

interface PnlSum {
  readonly time: number
  readonly realizedPnl: string
  readonly fees: string
  readonly funding: string
  readonly unknownPnl: number
  readonly unknownFees: number
  readonly unknownFunding: number
}

/** One point per interval. At most PNL_POINTS.max intervals are read; `countIntervals` says how many there are. */
export async function readPnlCurve(db: Queryable, filter: PnlFilter): Promise<PnlCurve> {
  const { trader, interval } = filter
  const first = firstInterval(filter)
  const toSec = clampToSafeInteger(filter.toSec)
  const width = bucketEnd(0, interval)
  const offset = first % width
  const stored = defined(STORED_WIDTHS_SEC.findLast((each) => width % each === 0), 'a stored width')
  const rows = await db.query<HeadColumns & { readonly headGaps: Parameters<typeof gapsAtOrAbove>[1] } & (PnlSum | { readonly time: null })>(
    `select c.last_ledger as "headLedger", c.last_seq as "headSeq", ${unfilledGaps(GAP_OVERLAPS)} as "headGaps", sums.*
     from idx.cursor c left join lateral (
       select (p.time - $5::bigint) / $6::bigint * $6::bigint + $5::bigint as time, sum(p.realized_pnl) as "realizedPnl", sum(p.fees) as fees,
         sum(p.funding) as funding, sum(p.unknown_pnl)::bigint as "unknownPnl", sum(p.unknown_fees)::bigint as "unknownFees",
         sum(p.unknown_funding)::bigint as "unknownFunding"
       from idx.trader_pnl p where p.trader = $1 and p.width = $2::int and p.time >= $3::bigint
         and p.time < ($4::bigint - $5::bigint + $6::bigint - 1) / $6::bigint * $6::bigint + $5::bigint group by 1
     ) sums on true`,
    [toSearchText(trader), stored, first, toSec, offset, width],
  )
  const sums = new Map(rows.filter((row): row is typeof row & PnlSum => row.time !== null).map((row) => [row.time, row]))
  const times: number[] = []
  for (let time = first; time < toSec && times.length < PNL_POINTS.max; time = bucketEnd(time, interval)) times.push(time)
  return { points: toPoints(times, sums), gaps: gapsAtOrAbove(0, defined(rows[0], 'the index cursor').headGaps), head: headOf(rows) }
}

/** How many intervals the span has. */
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

/** SQL: the gap `g` may hold events of the span. Its end is known by the first ledger after it. */
const GAP_OVERLAPS = `coalesce(g.after_ts + 1, 0) < $4::bigint
  and coalesce((select l.close_ts from idx.ledgers l where l.epoch = g.epoch and l.ledger > g.to_ledger order by l.ledger limit 1), $3::bigint) >= $3::bigint`

/** A value that includes something unknown is null, and so is every running total after it. */
function toPoints(times: readonly number[], sums: ReadonlyMap<number, PnlSum>): readonly PnlPoint[] {
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

function knownOr(value: string, unknown: number): bigint | null {
  return unknown === 0 ? BigInt(value) : null
}

function textOr(value: bigint | null): string | null {
  return value === null ? null : String(value)
}
