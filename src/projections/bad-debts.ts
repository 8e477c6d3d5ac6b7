// Losses that no account could pay: the part that the vault's buffer covered, and the part that liquidity providers bear.

import type { Solvency } from '../resources/market-stats.ts'
import type { Queryable } from '../store/store.ts'
import type { ArchivedEvent } from './archived-event.ts'
import { bigOf } from './payload.ts'

/** Adds a page's bad debts to the sums of the deployment. */
export async function applyBadDebts(tx: Queryable, deployment: number, events: readonly ArchivedEvent[]): Promise<void> {
  const debts = events.filter(({ contract, topic, payload }) => contract === 'market' && topic === 'bad_debt_recorded' && payload !== null)
  if (debts.length === 0) return
  await tx.query(
    `insert into idx.bad_debts as d (deployment, covered, lp_absorbed, events) values ($1, $2, $3, $4)
     on conflict (deployment) do update set covered = d.covered + excluded.covered, lp_absorbed = d.lp_absorbed + excluded.lp_absorbed,
       events = d.events + excluded.events`,
    [deployment, sumOf(debts, 'bufferCovered'), sumOf(debts, 'lpAbsorbed'), debts.length],
  )
}

function sumOf(debts: readonly ArchivedEvent[], key: string): bigint {
  return debts.reduce((sum, event) => sum + bigOf(event, key), 0n)
}

/** The sums of the current deployment: zeros when nothing happened. */
export async function readSolvency(db: Queryable): Promise<Solvency> {
  const [row] = await db.query<Solvency>(
    `select d.covered as "cumulativeBadDebtCovered", d.lp_absorbed as "cumulativeBadDebtLpAbsorbed", d.events as "badDebtEvents"
     from idx.cursor c join idx.epochs e on e.number = c.epoch join idx.bad_debts d on d.deployment = e.deployment`,
  )
  return row ?? { cumulativeBadDebtCovered: '0', cumulativeBadDebtLpAbsorbed: '0', badDebtEvents: 0 }
}
