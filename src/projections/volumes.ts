// Rolling volumes. A window reads whole hours from hourly buckets and its first, partial hour from fills: exact to the second, with a bounded number of rows.

import type { Queryable } from '../store/store.ts'
import { columnsOf } from './columns.ts'
import type { HeadColumns } from './as-of.ts'
import { headOf, toSearchText } from './log-list.ts'
import type { Head } from './page.ts'

export const DAY_SEC = 86_400
/** "volume14d": rolling seconds, not calendar days. */
export const ACCOUNT_VOLUME_WINDOW_SEC = 14 * DAY_SEC
const HOUR_SEC = 3_600

/** Traded notional of one open, close or liquidation. */
export interface Fill {
  readonly seq: number
  readonly ts: number
  readonly trader: string
  readonly asset: string
  readonly size: bigint
  /** True for opens and matched closes; a liquidation is not a trade by the trader. */
  readonly countsForTrader: boolean
}

/** The two parts of a window that ends now: fills with afterSec < ts < firstHour, and hourly buckets from firstHour on. */
export function windowParts(nowSec: number, windowSec: number): { afterSec: number; firstHour: number } {
  const afterSec = nowSec - windowSec
  return { afterSec, firstHour: Math.ceil((afterSec + 1) / HOUR_SEC) * HOUR_SEC }
}

/** Stores a page's fills and adds them to the hourly buckets. */
export async function addFills(tx: Queryable, fills: readonly Fill[]): Promise<void> {
  if (fills.length === 0) return
  await tx.query(
    `insert into idx.fills (seq, ts, trader, asset, size, counts_for_trader)
     select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::numeric[], $6::boolean[])`,
    columnsOf(fills, ['seq', 'ts', 'trader', 'asset', 'size', 'countsForTrader']),
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
     select * from unnest($1::text[], $2::bigint[], $3::numeric[])
     on conflict (${key}, hour) do update set volume = h.volume + excluded.volume`,
    columnsOf(rows, ['name', 'hour', 'volume']),
  )
}

/** SQL: what a trader opened and closed since a time; the arguments are SQL of the trader and of the two times of `windowParts`. */
export function traderVolumeSince(trader: string, afterSec: string, firstHour: string): string {
  return `(coalesce((select sum(h.volume) from idx.trader_hours h where h.trader = ${trader} and h.hour >= ${firstHour}), 0)
    + coalesce((select sum(f.size) from idx.fills f where f.trader = ${trader} and f.counts_for_trader and f.ts > ${afterSec} and f.ts < ${firstHour}), 0))`
}

/** An account's traded notional over the last fourteen days, 7-decimal USDC (specification, "Account volume"). */
export async function readTraderVolume(db: Queryable, options: { trader: string; nowSec: number }): Promise<{ volume14d: string; head: Head }> {
  const { afterSec, firstHour } = windowParts(options.nowSec, ACCOUNT_VOLUME_WINDOW_SEC)
  const rows = await db.query<HeadColumns & { readonly volume: string }>(
    `select c.last_ledger as "headLedger", c.last_seq as "headSeq",
       ${traderVolumeSince('$1', '$2::bigint', '$3::bigint')} as volume
     from idx.cursor c`,
    [toSearchText(options.trader), afterSec, firstHour],
  )
  return { volume14d: rows[0]?.volume ?? '0', head: headOf(rows) }
}
