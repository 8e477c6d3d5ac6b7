// The public profile of a trader.

import { defined } from '../../base/assert.ts'
import type { TraderProfile } from '../../resources/trader-profile.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { HeadColumns } from '../state/as-of.ts'
import { headOf, toSearchText } from '../log/log-list.ts'
import type { Head } from '../log/page.ts'
import { readTradesBySeq } from '../trades/trades.ts'
import { ACCOUNT_VOLUME_WINDOW_SEC, DAY_SEC, traderVolume } from '../trades/volumes.ts'

interface RawProfile extends HeadColumns, Omit<TraderProfile, 'address' | 'winRate' | 'bestTrade' | 'worstTrade'> {
  readonly bestSeq: number | null
  readonly worstSeq: number | null
}

/** The profile of an account; zeros when it never traded. */
export async function readTraderProfile(
  db: Queryable, { trader, nowSec }: { readonly trader: string; readonly nowSec: number },
): Promise<{ readonly profile: TraderProfile; readonly head: Head }> {
  const volume = (windowSec: number): Sql => traderVolume(sql`$1`, { now: sql`$2::bigint`, windowSec, throughSeq: undefined })
  const rows = await db.query<RawProfile>(
    sql`select c.last_ledger as "headLedger", c.last_seq as "headSeq", coalesce(t.volume, 0) as volume,
       ${volume(DAY_SEC)} as "volume24h", ${volume(ACCOUNT_VOLUME_WINDOW_SEC)} as "volume14d",
       coalesce(r.realized_pnl, 0) as "realizedPnl", coalesce(t.trades, 0) as trades, coalesce(t.liq_count, 0) as liquidations,
       coalesce(r.wins, 0) as wins, coalesce(r.losses, 0) as losses, open.count as "openPositions", open.size as "openInterest",
       r.first_ts as "firstTradeAt", r.last_ts as "lastTradeAt", r.best_seq as "bestSeq", r.worst_seq as "worstSeq"
     from ${idx.cursor} c left join ${idx.epochs} e on e.number = c.epoch
     left join ${idx.traders} t on t.trader = $1 left join ${idx.trader_results} r on r.trader = $1
     cross join lateral (select count(*) as count, coalesce(sum(p.size), 0) as size from ${idx.positions} p
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
