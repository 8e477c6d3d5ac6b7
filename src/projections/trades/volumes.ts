// Rolling volumes. A window reads whole hours from hourly buckets and its first, partial hour from trades: exact to the second, with a bounded number of rows.

import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Param, Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { AsOf, HeadColumns } from '../state/as-of.ts'
import { stateSource } from '../state/as-of.ts'
import { headOf, toSearchText } from '../log/log-list.ts'
import type { Head } from '../log/page.ts'

export const DAY_SEC = 86_400
/** "volume14d": rolling seconds, not calendar days. */
export const ACCOUNT_VOLUME_WINDOW_SEC = 14 * DAY_SEC
export const HOUR_SEC = 3_600

/** The volume that a change of a position at a price adds. */
export interface TradedVolume {
  readonly ts: number
  readonly trader: string
  readonly asset: string
  /** 0 for a deleveraging, whose close has counted it. */
  readonly size: bigint
  /** True for opens and matched closes; a liquidation is not a trade by the trader. */
  readonly countsForTrader: boolean
}

/** A window that ends now, or with the state that is read. */
export interface Window extends AsOf {
  /** Ignored with `atLedger`. */
  readonly nowSec: number
}

/** A window in SQL. */
interface VolumeWindow {
  readonly now: Sql
  readonly windowSec: number
  /** As of this seq; undefined: the present one. */
  readonly throughSeq: Sql | undefined
}

/**
 * SQL: the volume of an asset or a trader in a window that ends at `now`, from the hours in `idx.<key>_hours`. As of a seq, the last hour is partial too: some
 * of its trades came later.
 */
export function volumeIn({ key, value }: { readonly key: keyof typeof SIZES; readonly value: Sql }, { now, windowSec, throughSeq }: VolumeWindow): Sql {
  const after = sql`(${now} - ${windowSec})`
  const firstHour = sql`((${after} / ${HOUR_SEC} + 1) * ${HOUR_SEC})`
  const lastHour = sql`(${now} / ${HOUR_SEC} * ${HOUR_SEC})`
  const hours = sql`select sum(h.volume) from ${SIZES[key].hours} h where h.${key} = ${value} and h.hour >= ${firstHour}`
  const first = volumeBetween({ key, value }, { from: sql`${after} + 1`, until: firstHour })
  if (throughSeq === undefined) return sql`coalesce((${hours}), 0) + ${first}`
  const last = volumeBetween({ key, value }, { from: lastHour, until: sql`${lastHour} + ${HOUR_SEC}`, throughSeq })
  return sql`coalesce((${hours} and h.hour < ${lastHour}), 0) + ${first} + ${last}`
}

/** The rows that add to a volume, each with the column of an index that continues with seq. */
const SIZES = {
  asset: { hours: idx.asset_hours, rows: [
    { table: idx.opens, column: 'asset', size: 'r.size', only: '' },
    { table: idx.trades, column: 'asset', size: 'r.size', only: `and r.kind <> 'adl'` },
    { table: idx.trades, column: 'event_asset', size: 'r.event_size', only: `and r.kind <> 'adl'` },
  ] },
  // The size of a close is null when its open is not archived: it is no trade by the trader, and neither is a liquidation.
  trader: { hours: idx.trader_hours, rows: [
    { table: idx.opens, column: 'trader', size: 'r.size', only: '' },
    { table: idx.trades, column: 'trader', size: 'r.size', only: `and r.kind in ('close', 'reduce')` },
  ] },
} as const

/**
 * SQL: the volume from one time to before another, at most an hour later, which is read from its trades. They are found by seq: in each range of an epoch,
 * the ledgers of that time are one range. The bounds are row values, so that the planner does not read the hour of all assets by the primary key.
 */
function volumeBetween(
  { key, value }: { readonly key: keyof typeof SIZES; readonly value: Sql },
  { from, until, throughSeq }: { readonly from: Sql; readonly until: Sql; readonly throughSeq?: Sql },
): Sql {
  const sizes = SIZES[key].rows.map(({ table, column, size, only }) => sql`select ${size} as size from ${table} r
    where r.${column} = ${value} and (r.${column}, r.seq) >= (${value}, seqs.low) and (r.${column}, r.seq) <= (${value}, seqs.high)
      and r.ts >= ${from} and r.ts < ${until} ${only}`)
  return sql`coalesce((select sum(sized.size) from (${seqsBetween(from, until, throughSeq)}) seqs
    cross join lateral (${sql.join(sizes, ' union all ')}) sized), 0)`
}

/** SQL: the range of seq of some seconds, by epoch range. A range ends where the next one begins: a repair may add events after its last one. */
function seqsBetween(from: Sql, until: Sql, throughSeq: Sql = sql`null`): Sql {
  const ledger = (column: 'first_seq' | 'last_seq', order: 'asc' | 'desc'): Sql => sql`select l.${column} as seq from ${idx.ledgers} l
    where l.epoch = s.epoch and l.close_ts >= ${from} and l.close_ts < ${until} order by l.close_ts ${order}, l.last_seq ${order} limit 1`
  return sql`select greatest(s.first_seq, first.seq) as low, least(s.next_seq - 1, last.seq, ${throughSeq}) as high
    from (select o.epoch, o.first_seq, lead(o.first_seq) over (order by o.first_seq) as next_seq from ${idx.epoch_ranges} o) s
    cross join lateral (${ledger('first_seq', 'asc')}) first cross join lateral (${ledger('last_seq', 'desc')}) last`
}

/** Adds a page's volumes to the hourly buckets. */
export async function addHourlyVolumes(tx: Writable, volumes: readonly TradedVolume[]): Promise<void> {
  await addToHours(tx, 'asset', volumes)
  await addToHours(tx, 'trader', volumes.filter(({ countsForTrader }) => countsForTrader))
}

const ADD_TO_ASSET = sql`on conflict (asset, hour) do update set volume = asset_hours.volume + excluded.volume`
const ADD_TO_TRADER = sql`on conflict (trader, hour) do update set volume = trader_hours.volume + excluded.volume`

async function addToHours(tx: Writable, key: 'asset' | 'trader', volumes: readonly TradedVolume[]): Promise<void> {
  const sums = new Map<string, { name: string; hour: number; volume: bigint }>()
  for (const { ts, size, [key]: name } of volumes) {
    const hour = ts - (ts % HOUR_SEC)
    const sum = sums.get(`${hour} ${name}`)
    if (sum === undefined) sums.set(`${hour} ${name}`, { name, hour, volume: size })
    else sum.volume += size
  }
  const rows = [...sums.values()]
  if (key === 'asset') await insertRows(tx, idx.asset_hours, rows, { asset: 'name', hour: 'hour', volume: 'volume' }, ADD_TO_ASSET)
  else await insertRows(tx, idx.trader_hours, rows, { trader: 'name', hour: 'hour', volume: 'volume' }, ADD_TO_TRADER)
}

/** SQL: what a trader opened and closed in a window. */
export function traderVolume(trader: Sql, window: VolumeWindow): Sql {
  return volumeIn({ key: 'trader', value: trader }, window)
}

/** An account's traded notional over the last fourteen days, 7-decimal USDC (specification, "Account volume"). */
export async function readTraderVolume(db: Queryable, { trader, nowSec, atLedger }: Window & { trader: string }): Promise<{ volume14d: string; head: Head }> {
  const params: Param[] = [toSearchText(trader)]
  const bind = (value: Param): Sql => sql`$${params.push(value)}`
  const { from, head, throughSeq } = stateSource({ atLedger }, bind)
  const now = throughSeq === undefined ? sql`${bind(nowSec)}::bigint` : sql`c.last_ledger_close_ts`
  const volume = traderVolume(sql`$1`, { now, windowSec: ACCOUNT_VOLUME_WINDOW_SEC, throughSeq })
  const rows = await db.query<HeadColumns & { readonly volume: string }>(sql`select ${head}, ${volume} as volume from ${from}`, params)
  return { volume14d: rows[0]?.volume ?? '0', head: headOf(rows) }
}
