// Samples of the liquidity vault, one per five minutes.

import { POOL_SAMPLE_SEC } from '../limits.ts'
import type { PoolSample } from '../resources/pool.ts'
import type { Queryable } from '../store/store.ts'
import { clampToSafeInteger, seqFromCursor, readPage, withoutSeq } from './log-list.ts'
import type { Page } from './page.ts'
import { encodeCursor } from './page.ts'

const KIND = 'pool-samples'

export interface PoolSamplesFilter {
  /** Exclusive, unix seconds. */
  readonly beforeTs?: number | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Samples of the pool, newest first. */
export async function listPoolSamples(db: Queryable, { beforeTs, limit, cursor }: PoolSamplesFilter): Promise<Page<PoolSample>> {
  const upperBounds = [...(beforeTs === undefined ? [] : [clampToSafeInteger(beforeTs)]), ...(cursor === undefined ? [] : [seqFromCursor(KIND, cursor)])]
  return await readPage<PoolSample, PoolSample>(
    db,
    {
      page: `select s.time as seq, s.time, s.ledger, s.aum, s.lp_price as "lpPrice", s.lp_supply as "lpSupply", s.reserved_payout as "reservedPayout",
          s.unrealized_pnl as "unrealizedPnl"
        from idx.pool_samples s where s.time < $2::bigint order by s.time desc limit $1::int`,
      params: [limit + 1, Math.min(Number.MAX_SAFE_INTEGER, ...upperBounds)],
      limit,
      cursorOf: ({ seq }) => encodeCursor(KIND, [seq]),
    },
    withoutSeq,
  )
}

/** The current five-minute interval, if it has no sample yet. */
export async function listMissingSamples(db: Queryable, nowMs: number): Promise<readonly { readonly time: number }[]> {
  const time = Math.floor(nowMs / 1_000 / POOL_SAMPLE_SEC) * POOL_SAMPLE_SEC
  return await db.query<{ time: number }>('select $1::bigint as time where not exists (select 1 from idx.pool_samples where time = $1::bigint)', [time])
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

export async function insertPoolSamples(tx: Queryable, samples: readonly NewPoolSample[]): Promise<void> {
  for (const { time, ledger, aum, lpPrice, lpSupply, reservedPayout, unrealizedPnl } of samples) {
    await tx.query(
      `insert into idx.pool_samples (time, ledger, aum, lp_price, lp_supply, reserved_payout, unrealized_pnl) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (time) do nothing`,
      [time, ledger, aum, lpPrice, lpSupply, reservedPayout, unrealizedPnl],
    )
  }
}
