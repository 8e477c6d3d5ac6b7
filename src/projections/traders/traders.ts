// The public profile of a trader.

import { defined } from '../../base/assert.ts'
import type { TraderProfile } from '../../resources/trader-profile.ts'
import { columns, expression, outerJoined } from '../../store/columns.ts'
import type { Expression } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { PRESENT_HEAD } from '../state/as-of.ts'
import { headOf, toSearchText } from '../log/log-list.ts'
import type { Head } from '../log/page.ts'
import { readTradesBySeq } from '../trades/trades.ts'
import { ACCOUNT_VOLUME_WINDOW_SEC, DAY_SEC, traderVolume } from '../trades/volumes.ts'

const TOTALS = outerJoined(columns(idx.traders, 't', { volume: 'volume', trades: 'trades', liquidations: 'liq_count' }))
const RESULTS = outerJoined(columns(idx.trader_results, 'r', {
  realizedPnl: 'realized_pnl', wins: 'wins', losses: 'losses', firstTradeAt: 'first_ts', lastTradeAt: 'last_ts', bestSeq: 'best_seq', worstSeq: 'worst_seq',
}))
const volumeOf = (windowSec: number): Expression<string> =>
  expression(traderVolume(sql`$1`, { now: sql`$2::bigint`, windowSec, throughSeq: undefined }))
const VOLUMES = columns(idx.traders, 't', { volume24h: volumeOf(DAY_SEC), volume14d: volumeOf(ACCOUNT_VOLUME_WINDOW_SEC) })
const OPEN = columns(idx.positions, 'p', { openPositions: expression<number>(sql`count(*)`), openInterest: expression<string>(sql`coalesce(sum(p.size), 0)`) })

/** The profile of an account; zeros when it never traded. */
export async function readTraderProfile(
  db: Queryable, { trader, nowSec }: { readonly trader: string; readonly nowSec: number },
): Promise<{ readonly profile: TraderProfile; readonly head: Head }> {
  const rows = await db.query(
    sql`select ${PRESENT_HEAD}, ${TOTALS}, ${VOLUMES}, ${RESULTS}, open.*
     from ${idx.cursor} c left join ${idx.epochs} e on e.number = c.epoch
     left join ${idx.traders} t on t.trader = $1 left join ${idx.trader_results} r on r.trader = $1
     cross join lateral (select ${OPEN} from ${idx.positions} p where p.contract_epoch = e.contract_epoch and p.trader = $1 and p.state = 'open') open`,
    [toSearchText(trader), nowSec],
  )
  const row = defined(rows[0], 'the index cursor')
  const { openPositions, openInterest, volume24h, volume14d, firstTradeAt, lastTradeAt } = row
  const [wins, losses] = [row.wins ?? 0, row.losses ?? 0]
  const trades = await readTradesBySeq(db, [row.bestSeq, row.worstSeq].filter((seq) => seq !== null))
  const profile: TraderProfile = {
    address: trader, volume: row.volume ?? '0', volume24h, volume14d, realizedPnl: row.realizedPnl ?? '0', trades: row.trades ?? 0,
    liquidations: row.liquidations ?? 0, wins, losses, openPositions, openInterest, firstTradeAt, lastTradeAt,
    winRate: wins + losses === 0 ? null : wins / (wins + losses),
    bestTrade: trades.get(row.bestSeq ?? 0) ?? null, worstTrade: trades.get(row.worstSeq ?? 0) ?? null,
  }
  return { profile, head: headOf(rows) }
}
