// Open interest and volume per asset.

import type { MarketStats as StatsRow } from '../../resources/market-stats.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Param, Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { HeadColumns } from '../state/as-of.ts'
import { stateSource } from '../state/as-of.ts'
import { headOf } from '../log/log-list.ts'
import type { Head } from '../log/page.ts'
import { INTEREST_VERSIONS, versionAt } from '../state/version-blocks.ts'
import { DAY_SEC, volumeIn } from '../trades/volumes.ts'
import type { Window } from '../trades/volumes.ts'

/** A market's figures from the index. */
export type MarketStats = Omit<StatsRow, 'change24h' | 'high24h' | 'low24h' | 'capacity'>

/** Every supported asset in listing order, with zeros for assets without trades (specification, "GET /v1/markets/stats"). */
export async function readMarketStats(
  db: Queryable, { nowSec, assets, atLedger }: Window & { readonly assets: readonly string[] },
): Promise<{ rows: readonly MarketStats[]; head: Head }> {
  const params: Param[] = [assets]
  const bind = (value: Param): Sql => sql`$${params.push(value)}`
  const { from, head, throughSeq } = stateSource({ atLedger }, bind)
  const now = throughSeq === undefined ? sql`${bind(nowSec)}::bigint` : sql`c.last_ledger_close_ts`
  const interest = throughSeq === undefined
    ? sql`left join ${idx.open_interest} o on o.contract_epoch = e.contract_epoch and o.asset = a.asset`
    : sql`left join lateral (${versionAt(INTEREST_VERSIONS, throughSeq, sql`w.contract_epoch = e.contract_epoch and w.asset = a.asset`)}) o on true`
  const result = await db.query<MarketStats & HeadColumns>(
    sql`select ${head}, a.asset,
       coalesce(o.long_size, 0) as "openInterestLong", coalesce(o.short_size, 0) as "openInterestShort",
       coalesce(o.long_size - o.short_size, 0) as "openInterestNet", coalesce(o.positions, 0) as "openPositions",
       ${volumeIn({ key: 'asset', value: sql`a.asset` }, { now, windowSec: DAY_SEC, throughSeq })} as "volume24h"
     from ${from}
     left join ${idx.epochs} e on e.number = c.epoch
     cross join unnest($1::text[]) with ordinality as a (asset, ordinal)
     ${interest}
     order by a.ordinal`,
    params,
  )
  const rows = result.map(({ asset, openInterestLong, openInterestShort, openInterestNet, openPositions, volume24h }) => ({
    asset, openInterestLong, openInterestShort, openInterestNet, openPositions, volume24h,
  }))
  return { rows, head: headOf(result) }
}
