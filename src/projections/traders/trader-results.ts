// Realized results per trader: lifetime figures for the public profile, and sums per interval for PnL curves. A liquidation counts with its loss by price,
// which its event does not report; the leaderboard follows the specification and counts only what events report.

import type { PositionChangeKind } from '../../exchange/settlement/position-changes.ts'
import { pricePnl } from '../../exchange/settlement/position-pnl.ts'
import { insertRows, updateOnConflict } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { PositionEvent } from '../log/market-events.ts'
import type { NewTrade } from '../trades/trades.ts'

/** Intervals that are stored, in seconds: every interval of a curve is a multiple of one of them. */
export const STORED_WIDTHS_SEC = [60, 3_600, 86_400] as const

/** The result that one change of a position realized. */
export interface TraderResult {
  readonly seq: number
  readonly trader: string
  readonly ts: number
  /** By price alone. Null: the open is not in the archive, so that it is unknown. */
  readonly pnl: bigint | null
  /** Null: an open, or neither a profit nor a loss. */
  readonly won: boolean | null
  /** True for changes that a row of the trade list describes. */
  readonly isTrade: boolean
  /** True for the liquidation of an account whose positions no event names. */
  readonly isAccount?: true
}

/** Fields of a trade from which the result of a liquidation is computed. */
type ClosedTrade = Pick<NewTrade, 'seq' | 'leg' | 'closePrice'>

/** The results of a page. `trades` must be the trades of these events. Pure. */
export function foldTraderResults(events: readonly PositionEvent[], trades: readonly ClosedTrade[]): readonly TraderResult[] {
  const bySeq = new Map(trades.map((trade) => [trade.seq, trade]))
  return events.flatMap((event): TraderResult[] => {
    const { seq, trader, ts } = event
    const trade = bySeq.get(seq)
    switch (event.kind) {
      case 'opened':
        return [{ seq, trader, ts, pnl: 0n, won: null, isTrade: false }]
      case 'adl':
        // The close has counted already.
        return []
      case 'cross_liquidation':
        // In generation 2 the liquidation of each position has counted already.
        return trade === undefined ? [{ seq, trader, ts, pnl: event.totalPnl, won: false, isTrade: false, isAccount: true }] : []
      case 'liquidation':
      case 'partial_liquidation':
        return [{ seq, trader, ts, pnl: pnlOf(trade), won: false, isTrade: true }]
      default:
        return [{ seq, trader, ts, pnl: event.pnl, won: event.pnl === null || event.pnl === 0n ? null : event.pnl > 0n, isTrade: true }]
    }
  })
}

function pnlOf(trade: ClosedTrade | undefined): bigint | null {
  const { leg = null, closePrice = null } = trade ?? {}
  if (leg === null || closePrice === null || leg.entryPrice === 0n) return null
  return pricePnl({ direction: leg.direction, size: leg.size, entry_price: leg.entryPrice }, closePrice)
}

/** Changes of PnL curves from results. Fees and funding come with the fills; those of a whole account in generation 1 are known with its changed entries. */
export function resultChanges(results: readonly TraderResult[]): readonly IntervalChange[] {
  return results.map(({ trader, ts, pnl, isAccount }) => ({
    ...NO_CHANGE, trader, ts, realizedPnl: pnl ?? 0n, unknownPnl: pnl === null ? 1 : 0, unknownFunding: isAccount === true ? 1 : 0,
  }))
}

interface Profile {
  readonly trader: string
  realizedPnl: bigint
  wins: number
  losses: number
  bestSeq: number | null
  bestPnl: bigint | null
  worstSeq: number | null
  worstPnl: bigint | null
  firstTs: number
  lastTs: number
}

/** Adds results to the profiles of their traders. */
export async function addToProfiles(tx: Writable, results: readonly TraderResult[]): Promise<void> {
  await insertRows(tx, idx.trader_results, [...profilesOf(results).values()], {
    trader: 'trader', realized_pnl: 'realizedPnl', wins: 'wins', losses: 'losses', best_seq: 'bestSeq', best_pnl: 'bestPnl', worst_seq: 'worstSeq',
    worst_pnl: 'worstPnl', first_ts: 'firstTs', last_ts: 'lastTs',
  }, EXTEND_PROFILE)
}

/** The earliest of equal trades counts: pages come in log order. */
const EXTEND_PROFILE = sql`${updateOnConflict(idx.trader_results, ['trader'], { add: ['realized_pnl', 'wins', 'losses'] })},
  best_seq = case when trader_results.best_pnl is null or excluded.best_pnl > trader_results.best_pnl then excluded.best_seq else trader_results.best_seq end,
  best_pnl = greatest(trader_results.best_pnl, excluded.best_pnl),
  worst_seq = case when trader_results.worst_pnl is null or excluded.worst_pnl < trader_results.worst_pnl then excluded.worst_seq
    else trader_results.worst_seq end,
  worst_pnl = least(trader_results.worst_pnl, excluded.worst_pnl),
  first_ts = least(trader_results.first_ts, excluded.first_ts), last_ts = greatest(trader_results.last_ts, excluded.last_ts)`

function profilesOf(results: readonly TraderResult[]): ReadonlyMap<string, Profile> {
  const profiles = new Map<string, Profile>()
  for (const { seq, trader, ts, pnl, won, isTrade } of results) {
    const profile = profiles.get(trader)
      ?? { trader, realizedPnl: 0n, wins: 0, losses: 0, bestSeq: null, bestPnl: null, worstSeq: null, worstPnl: null, firstTs: ts, lastTs: ts }
    profiles.set(trader, profile)
    profile.realizedPnl += pnl ?? 0n
    if (won === true) profile.wins += 1
    if (won === false) profile.losses += 1
    profile.firstTs = Math.min(profile.firstTs, ts)
    profile.lastTs = Math.max(profile.lastTs, ts)
    if (!isTrade || pnl === null) continue
    if (profile.bestPnl === null || pnl > profile.bestPnl) [profile.bestSeq, profile.bestPnl] = [seq, pnl]
    if (profile.worstPnl === null || pnl < profile.worstPnl) [profile.worstSeq, profile.worstPnl] = [seq, pnl]
  }
  return profiles
}

/** Amounts to add to the sums of the intervals that contain `ts`. */
export interface IntervalChange {
  readonly trader: string
  readonly ts: number
  readonly realizedPnl: bigint
  readonly fees: bigint
  readonly funding: bigint
  /** Changes of a position whose PnL, fee or funding is not known; negative when they became known. */
  readonly unknownPnl: number
  readonly unknownFees: number
  readonly unknownFunding: number
}

/** Changes of an interval, added up. */
export type ChangeSum = { -readonly [Key in keyof Omit<IntervalChange, 'trader' | 'ts'>]: IntervalChange[Key] }

type IntervalSum = ChangeSum & { readonly trader: string; readonly width: number; readonly time: number }

/** Adds to the sums per interval. Rows are ordered, so that two writers cannot wait for each other. */
export async function addToIntervals(tx: Writable, changes: readonly IntervalChange[]): Promise<void> {
  const sums = new Map<string, IntervalSum>()
  for (const { ts, ...change } of changes) {
    for (const width of STORED_WIDTHS_SEC) {
      const time = ts - (ts % width)
      const key = `${change.trader} ${width} ${time}`
      const sum = sums.get(key)
      if (sum === undefined) sums.set(key, { ...change, width, time })
      else addChange(sum, change)
    }
  }
  await insertRows(tx, idx.trader_pnl, [...sums.values()], {
    trader: 'trader', width: 'width', time: 'time', realized_pnl: 'realizedPnl', fees: 'fees', funding: 'funding', unknown_pnl: 'unknownPnl',
    unknown_fees: 'unknownFees', unknown_funding: 'unknownFunding',
  }, ADD_TO_INTERVALS)
}

const ADD_TO_INTERVALS = updateOnConflict(idx.trader_pnl, ['trader', 'width', 'time'], {
  add: ['realized_pnl', 'fees', 'funding', 'unknown_pnl', 'unknown_fees', 'unknown_funding'],
})

export function addChange(sum: ChangeSum, change: Readonly<ChangeSum>): void {
  sum.realizedPnl += change.realizedPnl
  sum.fees += change.fees
  sum.funding += change.funding
  sum.unknownPnl += change.unknownPnl
  sum.unknownFees += change.unknownFees
  sum.unknownFunding += change.unknownFunding
}

/** The costs of a change of a position. Null: unknown. */
export interface FillCost {
  readonly seq: number
  readonly trader: string
  readonly ts: number
  readonly kind: PositionChangeKind
  /** Null for the positions of a liquidated account that no event names. */
  readonly price: bigint | null
  readonly fee: bigint | null
  readonly keeperReward: bigint | null
  readonly penalty: bigint | null
  readonly funding: bigint | null
}

/** A fill as it was stored. */
export type StoredCost = Omit<FillCost, 'price'>

/** The changes that fills make to PnL curves, in place of those that are no longer stored. The liquidation of an account has none at first. */
export function costChanges(fills: readonly FillCost[], removed: readonly StoredCost[]): readonly IntervalChange[] {
  const accounts = new Map(fills.filter(({ kind, price }) => kind === 'liquidation' && price === null).map((fill) => [fill.seq, fill]))
  for (const { seq } of removed) accounts.delete(seq)
  const known = [...accounts.values()].map(({ trader, ts }) => ({ ...NO_CHANGE, trader, ts, unknownFunding: -1 }))
  return [...fills.map((fill) => costOf(fill, 1)), ...removed.map((fill) => costOf(fill, -1)), ...known]
}

const NO_CHANGE = { realizedPnl: 0n, fees: 0n, funding: 0n, unknownPnl: 0, unknownFees: 0, unknownFunding: 0 }

/** A liquidation costs its penalty, which includes the keeper's part. Everything else costs the trading fee and what a keeper received. */
function costOf({ trader, ts, kind, fee, keeperReward, penalty, funding }: StoredCost, sign: 1 | -1): IntervalChange {
  const isLiquidation = kind === 'liquidation' || kind === 'partial_liquidation'
  const fees = isLiquidation ? penalty : fee === null || keeperReward === null ? null : fee + keeperReward
  const signed = (amount: bigint | null): bigint => (amount === null ? 0n : sign === 1 ? amount : -amount)
  return {
    trader, ts, realizedPnl: 0n, fees: signed(fees), funding: signed(funding),
    unknownPnl: 0, unknownFees: fees === null ? sign : 0, unknownFunding: funding === null ? sign : 0,
  }
}
