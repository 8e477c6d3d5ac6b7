// Open interest and volume per asset.

import type { MarketStats } from '../resources/market-stats.ts'
import type { Queryable } from '../store/store.ts'
import { columnsOf } from './columns.ts'
import type { HeadColumns } from './as-of.ts'
import { headOf } from './log-list.ts'
import type { Head } from './page.ts'
import { DAY_SEC, windowParts } from './volumes.ts'

/** Every supported asset in listing order, with zeros for assets without trades (specification, "GET /v1/markets/stats"). */
export async function readMarketStats(
  db: Queryable, options: { readonly nowSec: number; readonly assets: readonly string[] },
): Promise<{ rows: readonly MarketStats[]; head: Head }> {
  const { afterSec, firstHour } = windowParts(options.nowSec, DAY_SEC)
  const result = await db.query<MarketStats & HeadColumns>(
    `select c.last_ledger as "headLedger", c.last_seq as "headSeq", a.asset,
       coalesce(o.long_size, 0) as "openInterestLong", coalesce(o.short_size, 0) as "openInterestShort",
       coalesce(o.long_size - o.short_size, 0) as "openInterestNet", coalesce(o.positions, 0) as "openPositions",
       coalesce((select sum(h.volume) from idx.asset_hours h where h.asset = a.asset and h.hour >= $3::bigint), 0)
       + coalesce((select sum(f.size) from idx.fills f where f.asset = a.asset and f.ts > $2::bigint and f.ts < $3::bigint), 0) as "volume24h"
     from idx.cursor c
     left join idx.epochs e on e.number = c.epoch
     cross join unnest($1::text[]) with ordinality as a (asset, ordinal)
     left join idx.open_interest o on o.deployment = e.deployment and o.asset = a.asset
     order by a.ordinal`,
    [options.assets, afterSec, firstHour],
  )
  const rows = result.map(({ asset, openInterestLong, openInterestShort, openInterestNet, openPositions, volume24h }) => ({
    asset, openInterestLong, openInterestShort, openInterestNet, openPositions, volume24h,
  }))
  return { rows, head: headOf(result) }
}

/** The change of one asset's open interest by a page of events; may be negative. */
export interface InterestChange {
  long: bigint
  short: bigint
  positions: number
}

export async function changeOpenInterest(tx: Queryable, deployment: number, changes: ReadonlyMap<string, InterestChange>): Promise<void> {
  if (changes.size === 0) return
  const rows = [...changes.values()]
  await tx.query(
    `insert into idx.open_interest as o (deployment, asset, long_size, short_size, positions)
     select $1::int, * from unnest($2::text[], $3::numeric[], $4::numeric[], $5::bigint[])
     on conflict (deployment, asset) do update set long_size = o.long_size + excluded.long_size, short_size = o.short_size + excluded.short_size,
       positions = o.positions + excluded.positions`,
    [deployment, [...changes.keys()], ...columnsOf(rows, ['long', 'short', 'positions'])],
  )
}
