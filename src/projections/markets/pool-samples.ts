// Samples of the liquidity vault, one per five minutes.

import { POOL_SAMPLE_SEC } from '../../limits.ts'
import type { PoolSample } from '../../resources/pool.ts'
import { columns, expression } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Param, Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { AsOf, StateSource } from '../state/as-of.ts'
import { stateSource } from '../state/as-of.ts'
import { clampToSafeInteger, seqFromCursor, readPage, withoutSeq } from '../log/log-list.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import type { Page } from '../log/page.ts'
import { encodeCursor } from '../log/page.ts'
import { bigOf } from '../log/payload.ts'

const KIND = 'pool-samples'

export interface PoolSamplesFilter extends AsOf {
  /** Exclusive, unix seconds. */
  readonly beforeTs?: number | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

const SAMPLE = columns(idx.pool_samples, 's', {
  seq: 'time', time: 'time', ledger: 'ledger', aum: 'aum', lpPrice: 'lp_price', lpSupply: 'lp_supply', reservedPayout: 'reserved_payout',
  unrealizedPnl: 'unrealized_pnl',
})

/** Samples of the pool, newest first. As of a ledger, those that were read from it or earlier ones before it closed. */
export async function listPoolSamples(db: Queryable, { beforeTs, atLedger, limit, cursor }: PoolSamplesFilter): Promise<Page<PoolSample>> {
  const upperBounds = [...(beforeTs === undefined ? [] : [clampToSafeInteger(beforeTs)]), ...(cursor === undefined ? [] : [seqFromCursor(KIND, cursor)])]
  const params: Param[] = [limit + 1, Math.min(Number.MAX_SAFE_INTEGER, ...upperBounds)]
  const state = stateSource({ atLedger }, (value) => sql`$${params.push(value)}`)
  const { readBy, later } = sampleBounds(state)
  const flowsAfter = (topic: 'deposit' | 'withdraw', amount: 'usdcAmount' | 'netUsdc'): Sql => later(
    (after, through) => sql`select coalesce(sum((e.payload->>'${amount}')::numeric), 0) from ${idx.events} e join ${idx.epochs} p on p.number = e.epoch
      where e.seq > ${after} and e.seq <= ${through} and e.topic = '${topic}' and e.contract_id = p.contracts->>'vault'`)
  return await readPage<PoolSample, PoolSample>(
    db,
    {
      state,
      page: sql`select ${SAMPLE}, ${columns(idx.pool_flows, 'f', {
        deposits: expression<string>(sql`f.deposits - ${flowsAfter('deposit', 'usdcAmount')}`),
        withdrawals: expression<string>(sql`f.withdrawals - ${flowsAfter('withdraw', 'netUsdc')}`),
      })}
        from (select * from ${idx.pool_samples} r where r.time < $2::bigint ${readBy} order by r.time desc limit $1::int) s
        cross join lateral (${flowsSince(
          sql`${idx.pool_flows} f`, sql`(select max(p.time) from ${idx.pool_samples} p where p.time < s.time)`, sql`s.time`,
        )}) f`,
      params,
      limit,
      cursorOf: ({ seq }) => encodeCursor(KIND, [seq]),
    },
    withoutSeq,
  )
}

/**
 * SQL of the condition that a sample `r` belongs to a state, and of what the sample `s` has to leave out: the flows of its interval after the state. `sumOf`
 * selects their sum between two seqs.
 */
export function sampleBounds({ throughSeq }: StateSource): {
  readonly readBy: Sql
  readonly later: (sumOf: (after: Sql, through: Sql) => Sql) => Sql
} {
  if (throughSeq === undefined) return { readBy: sql``, later: () => sql`0` }
  const intervalEnd = sql`s.time + ${POOL_SAMPLE_SEC}`
  const lastSeq = sql`(select l.last_seq from ${idx.ledgers} l where l.epoch = c.epoch and l.close_ts < ${intervalEnd}
    order by l.close_ts desc, l.last_seq desc limit 1)`
  return {
    readBy: sql`and r.time <= c.last_ledger_close_ts and r.ledger <= c.last_ledger`,
    later: (sumOf) => sql`case when ${intervalEnd} <= c.last_ledger_close_ts then 0 else (${sumOf(throughSeq, lastSeq)}) end`,
  }
}

/** SQL: the sums of a table's rows `f` after one interval, up to and including another. A null start is the beginning. */
export function flowsSince(rows: Sql, after: Sql, through: Sql): Sql {
  return sql`select coalesce(sum(f.deposits), 0) as deposits, coalesce(sum(f.withdrawals), 0) as withdrawals from ${rows}
    where f.time > coalesce(${after}, -1) and f.time <= ${through}`
}

/** Start of the sampling interval that contains a time. */
export function sampleTime(tsSec: number): number {
  return tsSec - (tsSec % POOL_SAMPLE_SEC)
}

/** The deposits and withdrawals of one interval. */
export interface FlowSum {
  deposits: bigint
  withdrawals: bigint
}

/** Adds a page's deposits into and withdrawals from the liquidity vault. */
export async function applyPoolFlows(tx: Writable, events: readonly ArchivedEvent[]): Promise<void> {
  const sums = new Map<number, FlowSum>()
  for (const event of events) {
    if (event.contract !== 'vault' || event.payload === null || (event.topic !== 'deposit' && event.topic !== 'withdraw')) continue
    const time = sampleTime(event.ledgerCloseTs)
    const sum = sums.get(time) ?? { deposits: 0n, withdrawals: 0n }
    sums.set(time, sum)
    if (event.topic === 'deposit') sum.deposits += bigOf(event, 'usdcAmount')
    else sum.withdrawals += bigOf(event, 'netUsdc')
  }
  await insertRows(
    tx, idx.pool_flows, [...sums].map(([time, sum]) => ({ ...sum, time })), { time: 'time', deposits: 'deposits', withdrawals: 'withdrawals' },
    sql`on conflict (time) do update set deposits = pool_flows.deposits + excluded.deposits, withdrawals = pool_flows.withdrawals + excluded.withdrawals`,
  )
}

/** The current five-minute interval, if it has no sample yet. */
export async function listMissingSamples(db: Queryable, nowMs: number): Promise<readonly { readonly time: number }[]> {
  const time = Math.floor(nowMs / 1_000 / POOL_SAMPLE_SEC) * POOL_SAMPLE_SEC
  return await db.query<{ time: number }>(sql`select $1::bigint as time where not exists (select 1 from ${idx.pool_samples} where time = $1::bigint)`, [time])
}

/** The pool as read for one five-minute interval. */
export interface NewPoolSample {
  readonly time: number
  readonly ledger: number
  readonly aum: bigint
  readonly lpPrice: bigint
  readonly lpSupply: bigint
  readonly reservedPayout: bigint | null
  readonly unrealizedPnl: bigint | null
}

export async function insertPoolSamples(tx: Writable, samples: readonly NewPoolSample[]): Promise<void> {
  await insertRows(
    tx, idx.pool_samples, samples,
    {
      time: 'time', ledger: 'ledger', aum: 'aum', lp_price: 'lpPrice', lp_supply: 'lpSupply', reserved_payout: 'reservedPayout',
      unrealized_pnl: 'unrealizedPnl',
    },
    sql`on conflict (time) do nothing`,
  )
}
