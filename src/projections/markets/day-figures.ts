// The price of 24 hours ago and the range since then, from the stored candles: at most 120 candles of a minute and 25 of an hour per asset.

import { sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { toSearchText } from '../log/log-list.ts'
import { DAY_SEC } from '../trades/volumes.ts'

/** 7-decimal. */
export interface DayFigures {
  /** The price that was current 24 hours ago. */
  readonly reference: bigint
  /** Of the prices since then, the reference included. */
  readonly high: bigint
  readonly low: bigint
}

const MINUTE_SEC = 60
const HOUR_SEC = 3_600
/** An older price may not have been current 24 hours ago: the gateway may have missed newer ones. */
export const REFERENCE_AGE_MAX_SEC = HOUR_SEC

/** Assets without a price of 24 hours ago are missing: the history is shorter, or has a hole there. The time is at least that of the last indexed ledger. */
export async function readDayFigures(
  db: Queryable, { assets, nowSec }: { readonly assets: readonly string[]; readonly nowSec: number },
): Promise<ReadonlyMap<string, DayFigures>> {
  const rows = await db.query<{ asset: string; reference: string; high: string; low: string }>(
    sql`with times as (
       select now, minute, (minute + ${HOUR_SEC - 1}) / ${HOUR_SEC} * ${HOUR_SEC} as hour
       from (select greatest($2::bigint, (select c.last_ledger_close_ts from ${idx.cursor} c)) as now) n
       cross join lateral (select (n.now - ${DAY_SEC}) / ${MINUTE_SEC} * ${MINUTE_SEC} as minute) m
     )
     select a.asset, r.close as reference, greatest(r.close, d.high) as high, least(r.close, d.low) as low
     from times t cross join unnest($1::text[]) a (asset)
     cross join lateral (
       select k.close from ${idx.candles} k
       where k.asset = a.asset and k.interval = '1m' and k.time < t.minute and k.time >= t.minute - ${REFERENCE_AGE_MAX_SEC}
       order by k.time desc limit 1
     ) r
     cross join lateral (
       select max(c.high) as high, min(c.low) as low from (
         select k.high, k.low from ${idx.candles} k
         where k.asset = a.asset and k.interval = '1m' and k.time >= t.minute and k.time < t.hour
         union all
         select k.high, k.low from ${idx.candles} k
         where k.asset = a.asset and k.interval = '1h' and k.time >= t.hour and k.time <= t.now
       ) c
     ) d`,
    [assets.map(toSearchText), nowSec],
  )
  return new Map(rows.map(({ asset, reference, high, low }) => [asset, { reference: BigInt(reference), high: BigInt(high), low: BigInt(low) }]))
}
