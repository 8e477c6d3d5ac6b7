// Losses that no account could pay: the part that the vault's buffer covered, and the part that liquidity providers bear.

import type { Solvency } from '../../resources/market-stats.ts'
import { columns } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Param, Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import type { AsOf } from '../state/as-of.ts'
import { stateSource } from '../state/as-of.ts'
import { bigOf } from '../log/payload.ts'

/** Adds a page's bad debts to the sums of the deployment. */
export async function applyBadDebts(tx: Writable, contractEpoch: number, events: readonly ArchivedEvent[]): Promise<void> {
  const debts = events.filter(({ contract, topic, payload }) => contract === 'market' && topic === 'bad_debt_recorded' && payload !== null)
  if (debts.length === 0) return
  const seqs = debts.map(({ seq }) => seq)
  const covered = debts.map((event) => bigOf(event, 'bufferCovered'))
  const absorbed = debts.map((event) => bigOf(event, 'lpAbsorbed'))
  await tx.run(
    sql`${sql.insertInto(idx.bad_debt_versions)} (contract_epoch, seq, covered, lp_absorbed, events)
     select $1::int, n.seq, coalesce(d.covered, 0) + sum(n.covered) over before, coalesce(d.lp_absorbed, 0) + sum(n.lp_absorbed) over before,
       coalesce(d.events, 0) + count(*) over before
     from unnest($2::bigint[], $3::numeric[], $4::numeric[]) n (seq, covered, lp_absorbed) left join ${idx.bad_debts} d on d.contract_epoch = $1
     window before as (order by n.seq)`,
    [contractEpoch, seqs, covered, absorbed],
  )
  const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n)
  await insertRows(
    tx, idx.bad_debts, [{ contractEpoch, covered: sumOf(covered), absorbed: sumOf(absorbed), events: debts.length }],
    { contract_epoch: 'contractEpoch', covered: 'covered', lp_absorbed: 'absorbed', events: 'events' },
    sql`on conflict (contract_epoch) do update set covered = bad_debts.covered + excluded.covered,
      lp_absorbed = bad_debts.lp_absorbed + excluded.lp_absorbed, events = bad_debts.events + excluded.events`,
  )
}

const SOLVENCY = columns(idx.bad_debts, 'd', {
  cumulativeBadDebtCovered: 'covered', cumulativeBadDebtLpAbsorbed: 'lp_absorbed', badDebtEvents: 'events',
})

/** The sums of the current deployment: zeros when nothing happened. */
export async function readSolvency(db: Queryable, asOf: AsOf = {}): Promise<Solvency> {
  const params: Param[] = []
  const { from, throughSeq } = stateSource(asOf, (value) => sql`$${params.push(value)}`)
  const sums = throughSeq === undefined
    ? sql`${idx.bad_debts} d on d.contract_epoch = e.contract_epoch`
    : sql`lateral (select v.* from ${idx.bad_debt_versions} v where v.contract_epoch = e.contract_epoch and v.seq <= ${throughSeq}
      order by v.seq desc limit 1) d on true`
  const [row] = await db.query(sql`select ${SOLVENCY} from ${from} join ${idx.epochs} e on e.number = c.epoch join ${sums}`, params)
  return row ?? { cumulativeBadDebtCovered: '0', cumulativeBadDebtLpAbsorbed: '0', badDebtEvents: 0 }
}
