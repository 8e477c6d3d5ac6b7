// Lifetime PnL, volume and counts per trader, across deployments.

import { defined } from '../../base/assert.ts'
import type { LeaderboardEntry, LeaderboardSort } from '../../resources/leaderboard-entry.ts'
import { LEADERBOARD_RANKS_MAX } from '../../limits.ts'
import { columns, expression, outerJoined } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { insertReturning, updateOnConflict } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { SelectList, Sql } from '../../store/sql.ts'
import type { Param, Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { arraysOf } from '../array-params.ts'
import type { AsOf, HeadColumns, StateSource } from '../state/as-of.ts'
import { PRESENT_HEAD, stateSource } from '../state/as-of.ts'
import { headOf, toSearchText } from '../log/log-list.ts'
import type { Page } from '../log/page.ts'
import { MARGIN, marginSince } from './margins.ts'
import { addResults, addTraderVersions, NO_RESULTS, slabAt, tradersAt } from './trader-versions.ts'
import type { TraderGain } from './trader-versions.ts'
import { decodeCursor, encodeCursor, INVALID_CURSOR, InvalidCursor } from '../log/page.ts'
import { appendArrays, divideIntoBlocks, TOTAL_VERSIONS, versionAt } from '../state/version-blocks.ts'

export interface LeadersFilter extends AsOf {
  readonly sort: LeaderboardSort
  readonly limit: number
  /** Traders before the page, at most LEADERBOARD_RANKS_MAX; ignored with a cursor. */
  readonly offset?: number
  readonly cursor?: string | undefined
}

export interface LeadersPage extends Page<LeaderboardEntry> {
  /** The number of traders. */
  readonly total: number
  readonly offset: number
  /** Close time of the last indexed ledger, unix seconds. */
  readonly updatedAt: number | null
}

/** The parts of a statement that reads the ranking of one state. */
interface RankingSource {
  readonly head: SelectList<HeadColumns>
  /** SQL of the state `c` with its `totals`. */
  readonly from: Sql
  /** SQL of the rows `t` of a ranking. */
  readonly traders: Sql
}

function rankingSource({ from, head, throughSeq }: StateSource): RankingSource {
  if (throughSeq === undefined) return { head, from: sql`${from} left join ${idx.trader_totals} totals on true`, traders: sql`${idx.traders} t where true` }
  const totals = versionAt(TOTAL_VERSIONS, throughSeq)
  return { head, from: sql`${from} ${slabAt(throughSeq)} left join lateral (${totals}) totals on true`, traders: tradersAt(throughSeq) }
}

const STATE = columns(idx.cursor, 'c', { updatedAt: 'last_ledger_close_ts', total: expression<number>(sql`coalesce(totals.traders, 0)`) })
const SUMS = columns(idx.trader_totals, 'totals', {
  volume: expression<string>(sql`coalesce(totals.volume, 0)`), trades: expression<number>(sql`coalesce(totals.trades, 0)`),
})
const ENTRY = { trader: 'trader', pnl: 'pnl', volume: 'volume', trades: 'trades', liqCount: 'liq_count' } as const
const LISTED = outerJoined(columns(idx.traders, 'page', ENTRY))
const OWN = outerJoined(columns(idx.traders, 'own', ENTRY))

/**
 * SQL of the ranking of the results since then: the present ones less those at the seq `p`. It reads every trader once, so that its callers are cached. A
 * period that began before the epoch begins with the epoch.
 */
function resultsSince(periodSec: Sql): { readonly from: Sql; readonly traders: Sql } {
  const start = sql`(select l.last_seq from ${idx.ledgers} l where l.epoch = c.epoch and l.close_ts <= c.last_ledger_close_ts - ${periodSec}
    order by l.close_ts desc, l.last_seq desc limit 1)`
  const first = sql`(select min(s.first_seq) - 1 from ${idx.epoch_ranges} s where s.epoch = c.epoch)`
  const slab = sql`(select s.slab from ${idx.trader_slabs} s where s.first_seq <= at.seq order by s.first_seq desc limit 1)`
  return {
    from: sql`cross join lateral (select at.seq, coalesce(${slab}, 0) as slab from (select coalesce(${start}, ${first}, 0) as seq offset 0) at offset 0) p`,
    traders: sql`(select d.trader, d.pnl - coalesce(v.pnl, 0) as pnl, d.volume - coalesce(v.volume, 0) as volume, d.trades - coalesce(v.trades, 0) as trades,
        d.liq_count - coalesce(v.liq_count, 0) as liq_count
      from ${idx.traders} d left join ${idx.trader_versions} v
        on v.trader = d.trader and v.slab = p.slab and v.from_seq <= p.seq and (v.to_seq is null or v.to_seq > p.seq)
      where d.trades > coalesce(v.trades, 0)) t where true`,
  }
}

/** The best traders of a period up to the last indexed ledger, with the margin that they put into positions. They have no next page. */
export async function listPeriodLeaders(
  db: Queryable, { sort, periodSec, limit }: { readonly sort: LeaderboardSort; readonly periodSec: number; readonly limit: number },
): Promise<LeadersPage> {
  const { from, traders } = resultsSince(sql`$3::bigint`)
  const total = columns(idx.cursor, 'c', { updatedAt: 'last_ledger_close_ts', total: expression<number>(sql`(select count(*) from ${traders})`) })
  const result = await db.query(
    sql`select ${PRESENT_HEAD}, ${total}, ${LISTED}, ${MARGIN}
     from ${idx.cursor} c ${from} left join lateral (${pageFrom(sort, traders)}) page on true
     left join lateral ${marginSince(sql`page.trader`, sql`(c.last_ledger_close_ts - $3::bigint)`)} on true order by page.ordinal`,
    [limit, 0, periodSec],
  )
  const rows = result.flatMap((row) => (row.trader === null ? [] : [row])).map((row, index) => ({ ...entryOf(row, index + 1), margin: row.margin }))
  const { total: count, updatedAt } = defined(result[0], 'the index cursor')
  return { rows, next: null, head: headOf(result), gaps: [], total: count, offset: 0, updatedAt }
}

/** The two columns of an order: the chosen one, then the other one. Both descend; equal traders are ordered by address. */
function columnsOfSort(sort: LeaderboardSort): { readonly pair: (alias: 't' | 'own') => Sql; readonly order: Sql } {
  const [first, second] = sort === 'pnl' ? ['pnl', 'volume'] as const : ['volume', 'pnl'] as const
  return { pair: (alias) => sql`(${alias}.${first}, ${alias}.${second})`, order: sql`t.${first} desc, t.${second} desc, t.trader` }
}

/** Traders by PnL or volume, highest first (specification, "GET /v1/leaderboard"). */
export async function listLeaders(db: Queryable, filter: LeadersFilter): Promise<LeadersPage> {
  const { sort, limit } = filter
  const kind = `leaders-${sort}`
  const after = filter.cursor === undefined ? undefined : leaderPosition(kind, filter.cursor)
  const offset = after?.rank ?? filter.offset ?? 0
  const params: Param[] = after === undefined ? [limit + 1, offset] : [limit + 1, after.first, after.second, after.trader]
  const { head: stateHead, from, traders } = rankingSource(stateSource(filter, (value) => sql`$${params.push(value)}`))
  const result = await db.query(
    sql`select ${stateHead}, ${STATE}, ${LISTED}
     from ${from} left join lateral (${after === undefined ? pageFrom(sort, traders) : pageAfter(sort, traders)}) page on true order by page.ordinal`,
    params,
  )
  const head = headOf(result)
  const found = result.flatMap((row) => (row.trader === null ? [] : [row]))
  const rows = found.slice(0, limit).map((row, index) => entryOf(row, offset + index + 1))
  const last = rows.at(-1)
  const { total, updatedAt } = defined(result[0], 'the index cursor')
  const next = last === undefined || found.length <= limit ? null : encodeCursor(kind, [last[sort], last[otherSort(sort)], last.trader, last.rank])
  return { rows, next, head, gaps: [], total, offset, updatedAt }
}

function otherSort(sort: LeaderboardSort): LeaderboardSort {
  return sort === 'pnl' ? 'volume' : 'pnl'
}

function pageFrom(sort: LeaderboardSort, traders: Sql): Sql {
  const { order } = columnsOfSort(sort)
  return sql`select t.*, row_number() over () as ordinal from (select * from ${traders} order by ${order} limit $1::int offset $2::int) t`
}

/** Two ranges of the index, because its columns differ in direction: equal traders with a later address, then lower results. */
function pageAfter(sort: LeaderboardSort, traders: Sql): Sql {
  const { pair, order } = columnsOfSort(sort)
  const range = (condition: Sql): Sql => sql`(select * from ${traders} and ${condition} order by ${order} limit $1::int)`
  const equal = range(sql`${pair('t')} = ($2::numeric, $3::numeric) and t.trader > $4::text`)
  const lower = range(sql`${pair('t')} < ($2::numeric, $3::numeric)`)
  return sql`select t.*, row_number() over () as ordinal from (
    select * from (${equal} union all ${lower}) t order by ${order} limit $1::int) t`
}

function entryOf({ trader, pnl, volume, trades, liqCount }: Omit<LeaderboardEntry, 'rank'>, rank: number): LeaderboardEntry {
  return { rank, trader, pnl, volume, trades, liqCount }
}

/** Longer than any sum of amounts. */
const VALUE_PATTERN = /^-?\d{1,60}$/

function leaderPosition(kind: string, cursor: string): { first: string; second: string; trader: string; rank: number } {
  const [first, second, trader, rank] = decodeCursor(kind, cursor, 4)
  const isValue = (value: unknown): value is string => typeof value === 'string' && VALUE_PATTERN.test(value)
  if (!isValue(first) || !isValue(second) || typeof trader !== 'string' || typeof rank !== 'number' || rank < 0) {
    throw new InvalidCursor(INVALID_CURSOR)
  }
  return { first, second, trader: toSearchText(trader), rank }
}

export interface LeaderRank {
  readonly total: number
  readonly updatedAt: number | null
  /** Null when the trader has no trades. Its rank is null when more than LEADERBOARD_RANKS_MAX traders are ahead. */
  readonly entry: (Omit<LeaderboardEntry, 'rank'> & { readonly rank: number | null }) | null
  readonly head: Page<unknown>['head']
}

/** One trader's place. Counts at most LEADERBOARD_RANKS_MAX traders. */
export async function readLeaderRank(
  db: Queryable, { trader, sort, atLedger }: AsOf & { readonly trader: string; readonly sort: LeaderboardSort },
): Promise<LeaderRank> {
  const params: Param[] = [toSearchText(trader)]
  const { head: stateHead, from, traders } = rankingSource(stateSource({ atLedger }, (value) => sql`$${params.push(value)}`))
  const { pair } = columnsOfSort(sort)
  const ahead = (condition: Sql): Sql => sql`(select 1 from ${traders} and ${condition} limit ${LEADERBOARD_RANKS_MAX + 1})`
  const better = sql`${ahead(sql`${pair('t')} > ${pair('own')}`)} union all ${ahead(sql`${pair('t')} = ${pair('own')} and t.trader < own.trader`)}`
  const aheadCount = columns(idx.traders, 'own', { ahead: expression<number>(sql`(select count(*) from (${better}) better)`) })
  const result = await db.query(
    sql`select ${stateHead}, ${STATE}, ${OWN}, ${aheadCount}
     from ${from} left join lateral (select * from ${traders} and t.trader = $1) own on true`,
    params,
  )
  const head = headOf(result)
  const row = defined(result[0], 'the index cursor')
  const { total, updatedAt, ahead: count } = row
  const entry = row.trader === null ? null : { ...entryOf(row, count + 1), rank: count >= LEADERBOARD_RANKS_MAX ? null : count + 1 }
  return { total, updatedAt, entry, head }
}

export interface LeaderTotals {
  readonly traders: number
  readonly volume: string
  readonly trades: number
  readonly updatedAt: number | null
  readonly head: Page<unknown>['head']
}

/** The sums over all traders. */
export async function readLeaderTotals(db: Queryable, asOf: AsOf = {}): Promise<LeaderTotals> {
  const params: Param[] = []
  const { head: stateHead, from } = rankingSource(stateSource(asOf, (value) => sql`$${params.push(value)}`))
  const result = await db.query(sql`select ${stateHead}, ${STATE}, ${SUMS} from ${from}`, params)
  const head = headOf(result)
  const { total, volume, trades, updatedAt } = defined(result[0], 'the index cursor')
  return { traders: total, volume, trades, updatedAt, head }
}

/** Adds gains, in log order, to the results of their traders, to the totals, and to the versions of both. */
export async function addToTraders(tx: Writable, gains: readonly TraderGain[]): Promise<void> {
  if (gains.length === 0) return
  await Promise.all([addToResults(tx, gains), addTraderVersions(tx, gains)])
}

async function addToResults(tx: Writable, gains: readonly TraderGain[]): Promise<void> {
  const sums = [...Map.groupBy(gains, ({ trader }) => trader)].map(([trader, parts]) => ({ trader, ...parts.reduce(addResults, NO_RESULTS) }))
  const written = await insertReturning(tx, idx.traders, sums, {
    trader: 'trader', pnl: 'pnl', volume: 'volume', trades: 'trades', liq_count: 'liquidations',
  }, WRITTEN, ADD_TO_TRADERS)
  const unseen = new Set(written.filter(({ isNew }) => isNew).map(({ trader }) => trader))
  await addToTotals(tx, gains.map((gain) => ({ ...gain, traders: unseen.delete(gain.trader) ? 1 : 0 })))
}

const WRITTEN = columns(idx.traders, 'traders', { trader: 'trader', isNew: expression<boolean>(sql`xmax = 0`) })
const ADD_TO_TRADERS = updateOnConflict(idx.traders, ['trader'], { add: ['pnl', 'volume', 'trades', 'liq_count'] })
const TOTALS = columns(idx.trader_totals, 'trader_totals', { traders: 'traders', volume: 'volume', trades: 'trades' })
const ADD_TO_TOTALS = updateOnConflict(idx.trader_totals, ['id'], { add: ['traders', 'volume', 'trades'] })

type CountedGain = TraderGain & { readonly traders: number }

async function addToTotals(tx: Writable, gains: readonly CountedGain[]): Promise<void> {
  const added = {
    traders: gains.reduce((sum, gain) => sum + gain.traders, 0), volume: gains.reduce((sum, gain) => sum + gain.volume, 0n),
    trades: gains.reduce((sum, gain) => sum + gain.trades, 0),
  }
  const [totals] = await insertReturning(
    tx, idx.trader_totals, [added], { traders: 'traders', volume: 'volume', trades: 'trades' }, TOTALS, ADD_TO_TOTALS,
  )
  const versions = totalsAfterEach(defined(totals, 'the totals'), gains)
  const blocks = divideIntoBlocks(versions, TOTAL_VERSIONS)
  await tx.run(
    sql`${sql.insertInto(idx.trader_total_versions)} as t (from_seq, seqs, traders, volumes, trades)
     select p.from_seq, ($1::bigint[])[p.first:p.last], ($2::bigint[])[p.first:p.last], ($3::numeric[])[p.first:p.last], ($4::bigint[])[p.first:p.last]
     from unnest($5::bigint[], $6::int[], $7::int[]) p (from_seq, first, last)
     on conflict (from_seq) ${appendArrays(TOTAL_VERSIONS)}`,
    [
      ...arraysOf(versions, { seq: 'bigint', traders: 'bigint', volume: 'numeric', trades: 'bigint' }),
      ...arraysOf(blocks, { fromSeq: 'bigint', first: 'integer', last: 'integer' }),
    ],
  )
}

/** The totals after each gain, computed backwards from those after the last one. */
function totalsAfterEach(last: RowOf<typeof TOTALS>, gains: readonly CountedGain[]) {
  let [traders, volume, trades] = [last.traders, BigInt(last.volume), last.trades]
  return gains.toReversed().map((gain) => {
    const after = { seq: gain.seq, traders, volume, trades }
    traders -= gain.traders
    volume -= gain.volume
    trades -= gain.trades
    return after
  }).toReversed()
}
