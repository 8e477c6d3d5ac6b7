// The cost of a read: the plan that the database executes for its statement.

import { textOf } from '../../src/store/sql.ts'
import type { Param, Queryable, Store } from '../../src/store/store.ts'

/** A node of an executed plan. */
export interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

/** The executed plan of the first statement of a read, prepared without knowledge of its parameters, as a pool plans it. */
export async function explainRead(store: Store, read: (db: Queryable) => Promise<unknown>): Promise<PlanNode> {
  const sent: { sql: string; params: readonly Param[] }[] = []
  await read({
    query: async (statement, params = []) => {
      sent.push({ sql: textOf(statement), params })
      return await store.read.query(statement, params)
    },
  })
  const [{ sql, params } = { sql: '', params: [] }] = sent
  return await store.write.transaction(async (tx) => {
    await tx.query('set local plan_cache_mode = force_generic_plan')
    await tx.query(`prepare page as ${sql}`)
    const [row] = await tx.query<{ 'QUERY PLAN': unknown }>(`explain (analyze, format json) execute page(${params.map(literalOf).join(', ')})`)
    await tx.query('deallocate page')
    const plan = row?.['QUERY PLAN']
    const [{ Plan }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ Plan: PlanNode }]
    return Plan
  })
}

function literalOf(param: Param): string {
  if (typeof param === 'number') return String(param)
  if (typeof param === 'object' && param !== null && 'elements' in param) return literalOf(param.elements)
  return Array.isArray(param) ? `'{${param.join(',')}}'` : `'${String(param)}'`
}

/** Rows that were read of each table and used, and those that were read and discarded. */
export function rowsRead(plan: PlanNode): ReadonlyMap<string, { readonly used: number; readonly discarded: number }> {
  const rows = new Map<string, { used: number; discarded: number }>()
  const visit = (node: PlanNode): void => {
    const name = node['Relation Name']
    if (name !== undefined) {
      const { used, discarded } = rows.get(name) ?? { used: 0, discarded: 0 }
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
      rows.set(name, { used: used + node['Actual Rows'] * node['Actual Loops'], discarded: discarded + removed * node['Actual Loops'] })
    }
    node.Plans?.forEach(visit)
  }
  visit(plan)
  return rows
}
