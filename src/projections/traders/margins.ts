// The margin that traders put into positions: the collateral of what they open, per hour and per day. It is the capital of a return over a period.

import type { PositionChange } from '../../exchange/settlement/position-changes.ts'
import { columns, expression } from '../../store/columns.ts'
import { insertRows, updateOnConflict } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { DAY_SEC, HOUR_SEC } from '../trades/volumes.ts'

/** A fill. Null: its collateral is not known. */
export type MarginFill = Pick<PositionChange, 'trader' | 'kind' | 'collateral'> & { readonly ts: number }

/** Adds the margin of these fills, and takes away that of fills that are no longer stored. */
export async function addToMargins(tx: Writable, fills: readonly MarginFill[], removed: readonly MarginFill[]): Promise<void> {
  const sums = new Map<string, { trader: string; width: number; time: number; margin: bigint; unknown: number }>()
  const add = ({ trader, ts, kind, collateral }: MarginFill, sign: 1 | -1): void => {
    if (kind !== 'open') return
    for (const width of [HOUR_SEC, DAY_SEC]) {
      const time = ts - (ts % width)
      const key = `${trader} ${width} ${time}`
      const sum = sums.get(key) ?? { trader, width, time, margin: 0n, unknown: 0 }
      sums.set(key, sum)
      sum.margin += (collateral ?? 0n) * BigInt(sign)
      sum.unknown += collateral === null ? sign : 0
    }
  }
  for (const fill of fills) add(fill, 1)
  for (const fill of removed) add(fill, -1)
  await insertRows(tx, idx.trader_margins, [...sums.values()], {
    trader: 'trader', width: 'width', time: 'time', margin: 'margin', unknown: 'unknown',
  }, ADD)
}

const ADD = updateOnConflict(idx.trader_margins, ['trader', 'width', 'time'], { add: ['margin', 'unknown'] })

/** SQL: the margin `m` of a trader since the hour in which `start` is. */
export function marginSince(trader: Sql, start: Sql): Sql {
  const firstDay = sql`((${start} + ${DAY_SEC - 1}) / ${DAY_SEC} * ${DAY_SEC})`
  return sql`(select sum(r.margin) as margin, sum(r.unknown) as unknown from (
    select d.margin, d.unknown from ${idx.trader_margins} d where d.trader = ${trader} and d.width = ${DAY_SEC} and d.time >= ${firstDay}
    union all select h.margin, h.unknown from ${idx.trader_margins} h
      where h.trader = ${trader} and h.width = ${HOUR_SEC} and h.time >= ${start} / ${HOUR_SEC} * ${HOUR_SEC} and h.time < ${firstDay}) r) m`
}

/** The margin `m`: null when a part of it is not known. */
export const MARGIN = columns(idx.trader_margins, 'm', {
  margin: expression<string | null>(sql`case when m.unknown > 0 then null else coalesce(m.margin, 0) end`),
})
