// Losses that no account could pay: the part that the vault's buffer covered, and the part that liquidity providers bear.

import type { Solvency } from '../../resources/market-stats.ts'
import { sql } from '../../store/sql.ts'
import type { Param, Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import type { AsOf } from '../state/as-of.ts'
import { stateSource } from '../state/as-of.ts'
import { bigOf } from '../log/payload.ts'

/** Adds a page's bad debts to the sums of the deployment. */
export async function applyBadDebts(tx: Writable, deployment: number, events: readonly ArchivedEvent[]): Promise<void> {
  const debts = events.filter(({ contract, topic, payload }) => contract === 'market' && topic === 'bad_debt_recorded' && payload !== null)
  if (debts.length === 0) return
  const columns = [debts.map(({ seq }) => seq), debts.map((event) => bigOf(event, 'bufferCovered')), debts.map((event) => bigOf(event, 'lpAbsorbed'))]
  await tx.run(
    sql`${sql.insertInto(idx.bad_debt_versions)} (deployment, seq, covered, lp_absorbed, events)
     select $1::int, n.seq, coalesce(d.covered, 0) + sum(n.covered) over before, coalesce(d.lp_absorbed, 0) + sum(n.lp_absorbed) over before,
       coalesce(d.events, 0) + count(*) over before
     from unnest($2::bigint[], $3::numeric[], $4::numeric[]) n (seq, covered, lp_absorbed) left join ${idx.bad_debts} d on d.deployment = $1
     window before as (order by n.seq)`,
    [deployment, ...columns],
  )
  await tx.run(
    sql`${sql.insertInto(idx.bad_debts)} as d (deployment, covered, lp_absorbed, events)
     select $1::int, sum(covered), sum(lp_absorbed), count(*) from unnest($2::numeric[], $3::numeric[]) n (covered, lp_absorbed)
     on conflict (deployment) do update set covered = d.covered + excluded.covered, lp_absorbed = d.lp_absorbed + excluded.lp_absorbed,
       events = d.events + excluded.events`,
    [deployment, ...columns.slice(1)],
  )
}

/** The sums of the current deployment: zeros when nothing happened. */
export async function readSolvency(db: Queryable, asOf: AsOf = {}): Promise<Solvency> {
  const params: Param[] = []
  const { from, throughSeq } = stateSource(asOf, (value) => sql`$${params.push(value)}`)
  const sums = throughSeq === undefined
    ? sql`${idx.bad_debts} d on d.deployment = e.deployment`
    : sql`lateral (select v.* from ${idx.bad_debt_versions} v where v.deployment = e.deployment and v.seq <= ${throughSeq} order by v.seq desc
      limit 1) d on true`
  const [row] = await db.query<Solvency>(
    sql`select d.covered as "cumulativeBadDebtCovered", d.lp_absorbed as "cumulativeBadDebtLpAbsorbed", d.events as "badDebtEvents"
     from ${from} join ${idx.epochs} e on e.number = c.epoch join ${sums}`,
    params,
  )
  return row ?? { cumulativeBadDebtCovered: '0', cumulativeBadDebtLpAbsorbed: '0', badDebtEvents: 0 }
}
