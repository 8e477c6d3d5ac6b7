// Realised trades: closes and liquidations, joined with their opening leg at indexing time.

import type { RealizedTrade } from '../resources/realized-trade.ts'
import type { Queryable } from '../store/store.ts'
import { columnsOf } from './columns.ts'
import type { LogBounds } from './log-list.ts'
import { listLog } from './log-list.ts'
import type { Page } from './page.ts'

export interface TradesFilter extends Pick<LogBounds, 'beforeTs'> {
  readonly trader?: string | undefined
  /** Upper case. Trades whose opening leg is unknown have no asset and never match. */
  readonly asset?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Realised trades, newest first (specification, "GET /v1/trades"). */
export async function listTrades(db: Queryable, filter: TradesFilter): Promise<Page<RealizedTrade>> {
  const { trader, asset, ...rest } = filter
  return await listLog<RealizedTrade>(db, {
    ...rest,
    kind: 'trades',
    table: 'idx.trades',
    equals: { trader, asset },
    columns: {
      positionId: 'r.position_id', trader: 'r.trader', kind: 'r.kind', ledger: 'r.ledger', ts: 'r.ts', txHash: 'r.tx_hash', asset: 'r.asset',
      direction: 'r.direction', size: 'r.size', entryPrice: 'r.entry_price', closePrice: 'r.close_price', pnl: 'r.pnl',
    },
  })
}

/** The opening leg of a trade. */
export interface TradeLeg {
  readonly asset: string
  readonly direction: number
  readonly size: bigint
  readonly entryPrice: bigint
}

/** A trade to write. */
export interface NewTrade {
  readonly seq: number
  readonly positionId: number
  readonly trader: string
  readonly kind: 'close' | 'liquidation'
  readonly ledger: number
  readonly ts: number
  readonly txHash: string
  /** Null when the open is not in the archive. */
  readonly leg: TradeLeg | null
  readonly closePrice: bigint
  readonly pnl: bigint | null
}

export async function insertTrades(tx: Queryable, trades: readonly NewTrade[]): Promise<void> {
  if (trades.length === 0) return
  await tx.query(
    `insert into idx.trades (seq, position_id, trader, kind, ledger, ts, tx_hash, asset, direction, size, entry_price, close_price, pnl)
     select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::smallint[],
       $10::numeric[], $11::numeric[], $12::numeric[], $13::numeric[])`,
    [
      ...columnsOf(trades, ['seq', 'positionId', 'trader', 'kind', 'ledger', 'ts', 'txHash']),
      trades.map((trade) => trade.leg?.asset ?? null),
      trades.map((trade) => trade.leg?.direction ?? null),
      trades.map((trade) => trade.leg?.size ?? null),
      trades.map((trade) => trade.leg?.entryPrice ?? null),
      ...columnsOf(trades, ['closePrice', 'pnl']),
    ],
  )
}
