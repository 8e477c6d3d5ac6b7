// Rolling volumes. A window reads whole hours from hourly buckets and its first, partial hour from fills: exact to the second, with a bounded number of rows.

import type { Param, Queryable } from '../store/store.ts'
import { columnsOf } from './columns.ts'
import type { AsOf, HeadColumns } from './as-of.ts'
import { stateSource } from './as-of.ts'
import { headOf, toSearchText } from './log-list.ts'
import type { Head } from './page.ts'

export const DAY_SEC = 86_400
/** "volume14d": rolling seconds, not calendar days. */
export const ACCOUNT_VOLUME_WINDOW_SEC = 14 * DAY_SEC
const HOUR_SEC = 3_600

/** A print of an asset: a change of a position at a price, and the volume that it adds. */
export interface Fill {
  readonly seq: number
  readonly ts: number
  readonly trader: string
  readonly asset: string
  /** Of the position; null: unknown. */
  readonly direction: number | null
  /** The volume. 0 for a deleveraging, whose close has counted it. */
  readonly size: bigint
  /** The order that caused it. */
  readonly orderId: number | null
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
  readonly now: string
  readonly windowSec: number
  /** As of this seq; undefined: the present one. */
  readonly throughSeq: string | undefined
}

/**
 * SQL: the volume of `key`, a column of idx.fills whose hours are in `idx.<key>_hours`, in a window that ends at `now`. As of a seq, the last hour is partial
 * too: some of its fills came later.
 */
export function volumeIn(
  { key, value, only = '' }: { readonly key: 'asset' | 'trader'; readonly value: string; readonly only?: string },
  { now, windowSec, throughSeq }: VolumeWindow,
): string {
  const after = `(${now} - ${windowSec})`
  const firstHour = `((${after} / ${HOUR_SEC} + 1) * ${HOUR_SEC})`
  const lastHour = `(${now} / ${HOUR_SEC} * ${HOUR_SEC})`
  const fills = `select sum(f.size) from idx.fills f where f.${key} = ${value}${only}`
  const hours = `select sum(h.volume) from idx.${key}_hours h where h.${key} = ${value} and h.hour >= ${firstHour}`
  const first = `coalesce((${fills} and f.ts > ${after} and f.ts < ${firstHour}), 0)`
  if (throughSeq === undefined) return `coalesce((${hours}), 0) + ${first}`
  const last = `coalesce((${fills} and f.ts >= ${lastHour} and f.ts < ${lastHour} + ${HOUR_SEC} and f.seq <= ${throughSeq}), 0)`
  return `coalesce((${hours} and h.hour < ${lastHour}), 0) + ${first} + ${last}`
}

/** Stores a page's fills and adds them to the hourly buckets. */
export async function addFills(tx: Queryable, fills: readonly Fill[]): Promise<void> {
  if (fills.length === 0) return
  await tx.query(
    `insert into idx.fills (seq, ts, trader, asset, direction, size, order_id, counts_for_trader)
     select unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::text[]), unnest($4::text[]), unnest($5::smallint[]), unnest($6::numeric[]),
       unnest($7::bigint[]), unnest($8::boolean[])`,
    columnsOf(fills, ['seq', 'ts', 'trader', 'asset', 'direction', 'size', 'orderId', 'countsForTrader']),
  )
  await addToHours(tx, 'asset', fills, (fill) => fill.asset)
  await addToHours(tx, 'trader', fills.filter((fill) => fill.countsForTrader), (fill) => fill.trader)
}

async function addToHours(tx: Queryable, key: 'asset' | 'trader', fills: readonly Fill[], keyOf: (fill: Fill) => string): Promise<void> {
  const sums = new Map<string, { name: string; hour: number; volume: bigint }>()
  for (const fill of fills) {
    const name = keyOf(fill)
    const hour = fill.ts - (fill.ts % HOUR_SEC)
    const sum = sums.get(`${hour} ${name}`)
    if (sum === undefined) sums.set(`${hour} ${name}`, { name, hour, volume: fill.size })
    else sum.volume += fill.size
  }
  if (sums.size === 0) return
  const rows = [...sums.values()]
  await tx.query(
    `insert into idx.${key}_hours as h (${key}, hour, volume)
     select unnest($1::text[]), unnest($2::bigint[]), unnest($3::numeric[])
     on conflict (${key}, hour) do update set volume = h.volume + excluded.volume`,
    columnsOf(rows, ['name', 'hour', 'volume']),
  )
}

/** SQL: what a trader opened and closed in a window. */
export function traderVolume(trader: string, window: VolumeWindow): string {
  return volumeIn({ key: 'trader', value: trader, only: ' and f.counts_for_trader' }, window)
}

/** An account's traded notional over the last fourteen days, 7-decimal USDC (specification, "Account volume"). */
export async function readTraderVolume(db: Queryable, { trader, nowSec, atLedger }: Window & { trader: string }): Promise<{ volume14d: string; head: Head }> {
  const params: Param[] = [toSearchText(trader)]
  const bind = (value: Param): string => `$${params.push(value)}`
  const { from, head, throughSeq } = stateSource({ atLedger }, bind)
  const now = throughSeq === undefined ? `${bind(nowSec)}::bigint` : 'c.last_ledger_close_ts'
  const volume = traderVolume('$1', { now, windowSec: ACCOUNT_VOLUME_WINDOW_SEC, throughSeq })
  const rows = await db.query<HeadColumns & { readonly volume: string }>(`select ${head}, ${volume} as volume from ${from}`, params)
  return { volume14d: rows[0]?.volume ?? '0', head: headOf(rows) }
}
