// Trades: opens, and everything that closes a position or a part of it, joined with the opening leg at indexing time.

import type { RealizedTrade, TradeKind } from '../../resources/realized-trade.ts'
import { columns, selectList } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { AsOf } from '../state/as-of.ts'
import { arraysOf } from '../array-params.ts'
import { COMPLETE_SEQ } from '../state/index-state.ts'
import type { LogBounds } from '../log/log-list.ts'
import { listLog } from '../log/log-list.ts'
import { epochOfSeq, olderDeployment } from '../state/older-deployment.ts'
import type { Page } from '../log/page.ts'

export interface TradesFilter extends AsOf, Pick<LogBounds, 'beforeTs' | 'deployment'> {
  readonly trader?: string | undefined
  /** Upper case. Trades whose opening leg is unknown have no asset and never match. */
  readonly asset?: string | undefined
  /** Also lists opened positions. */
  readonly includeOpens?: boolean
  readonly limit: number
  readonly cursor?: string | undefined
}

type TradeColumns = Readonly<Record<Exclude<keyof RealizedTrade, 'seq'>, Sql | string>>

/** The SQL of each column; `r` is idx.trades. */
export const TRADE_COLUMNS: TradeColumns = {
  positionId: 'r.position_id', trader: 'r.trader', kind: 'r.kind', ledger: 'r.ledger', ts: 'r.ts', txHash: 'r.tx_hash', asset: 'r.asset',
  direction: 'r.direction', size: 'r.size', entryPrice: 'r.entry_price', closePrice: 'r.close_price', pnl: 'r.pnl', orderId: 'r.order_id',
  eventId: sql`(select e.event_id from ${idx.events} e where e.seq = r.seq)`,
  epoch: sql`(select p.epoch from ${idx.epochs} p where p.number = ${epochOfSeq(sql`r.seq`)})`,
  deployment: olderDeployment(epochOfSeq(sql`r.seq`)),
}

const TRADE_SELECTED = selectList(TRADE_COLUMNS)

/** The same of idx.opens. */
export const OPEN_COLUMNS: TradeColumns = { ...TRADE_COLUMNS, kind: `'open'`, closePrice: 'null::numeric', pnl: 'null::numeric' }

/** Trades, newest first (specification, "GET /v1/trades"). */
export async function listTrades(db: Queryable, filter: TradesFilter): Promise<Page<RealizedTrade>> {
  const { trader, asset, includeOpens = false, ...rest } = filter
  const page = await listLog<RawTrade>(db, {
    ...rest,
    kind: 'trades',
    table: idx.trades,
    equals: { trader, asset },
    columns: TRADE_COLUMNS,
    keepsSeq: true,
    // Without rows of a transaction of which events are missing: a later event may complete them.
    ...(filter.atLedger === undefined ? { span: () => ({ high: COMPLETE_SEQ }) } : {}),
    ...(includeOpens ? { merged: { table: idx.opens, columns: OPEN_COLUMNS } } : {}),
  })
  return { ...page, rows: page.rows.map(toTrade) }
}

/** The trades at these positions of the log. */
export async function readTradesBySeq(db: Queryable, seqs: readonly number[]): Promise<ReadonlyMap<number, RealizedTrade>> {
  if (seqs.length === 0) return new Map()
  const rows = await db.query<RawTrade>(sql`select r.seq, ${TRADE_SELECTED} from ${idx.trades} r where r.seq = any($1::bigint[])`, [seqs])
  return new Map(rows.map((row) => [row.seq, toTrade(row)]))
}

type RawTrade = Omit<RealizedTrade, 'deployment'> & { readonly deployment: string | null }

function toTrade({ deployment, ...row }: RawTrade): RealizedTrade {
  return deployment === null ? row : { ...row, deployment }
}

/** The opening leg of a trade. */
interface TradeLeg {
  readonly asset: string
  readonly direction: number
  readonly size: bigint
  readonly entryPrice: bigint
}

/** Fields of a position that its closing event reports. */
interface ReportedLeg extends Pick<TradeLeg, 'asset' | 'size'> {
  /** Null: the event does not report it. */
  readonly direction: number | null
}

/** Members of every trade to write. */
interface NewRow {
  readonly seq: number
  readonly trader: string
  readonly ledger: number
  readonly ts: number
  readonly txHash: string
  /** The order that caused it. */
  readonly orderId: number | null
}

/** An opened position to write. */
export interface NewOpen extends NewRow, TradeLeg {
  readonly positionId: number
}

/** A trade to write. */
export interface NewTrade extends NewRow {
  /** Null for a cross liquidation, which concerns an account. */
  readonly positionId: number | null
  readonly kind: Exclude<TradeKind, 'open'>
  /** Null when the open is not in the archive. */
  readonly leg: TradeLeg | null
  /** Fields of the position that the event reports, besides its entry price. Null for a cross liquidation. */
  readonly reported: ReportedLeg | null
  /** Null for a cross liquidation. */
  readonly closePrice: bigint | null
  readonly pnl: bigint | null
}

export async function insertOpens(tx: Writable, opens: readonly NewOpen[]): Promise<void> {
  await insertRows(tx, idx.opens, opens, {
    seq: 'seq', position_id: 'positionId', trader: 'trader', ledger: 'ledger', ts: 'ts', tx_hash: 'txHash', asset: 'asset', direction: 'direction',
    size: 'size', entry_price: 'entryPrice', order_id: 'orderId',
  })
}

export async function insertTrades(tx: Writable, trades: readonly NewTrade[]): Promise<void> {
  await insertRows(tx, idx.trades, trades, {
    seq: 'seq', position_id: 'positionId', trader: 'trader', kind: 'kind', ledger: 'ledger', ts: 'ts', tx_hash: 'txHash',
    asset: ({ leg }) => leg?.asset ?? null, direction: ({ leg }) => leg?.direction ?? null, size: ({ leg }) => leg?.size ?? null,
    entry_price: ({ leg }) => leg?.entryPrice ?? null, close_price: 'closePrice', pnl: 'pnl', order_id: 'orderId',
  })
  await storeReportedLegs(tx, trades)
}

/** Prints and volumes have trades whose open is not archived too. Most pages have none, so that their columns are written separately. */
async function storeReportedLegs(tx: Writable, trades: readonly NewTrade[]): Promise<void> {
  const rows = trades.flatMap(({ seq, leg, reported }) => (leg === null && reported !== null ? [{ ...reported, seq }] : []))
  if (rows.length === 0) return
  await tx.run(
    sql`${sql.update(idx.trades)} t set event_asset = r.asset, event_direction = r.direction, event_size = r.size
     from unnest($1::bigint[], $2::text[], $3::smallint[], $4::numeric[]) r (seq, asset, direction, size) where t.seq = r.seq`,
    arraysOf(rows, { seq: 'bigint', asset: 'text', direction: 'smallint', size: 'numeric' }),
  )
}

/** More than one transaction can liquidate. */
const LIQUIDATIONS_MAX = 100

const LIQUIDATION = columns(idx.trades, 'newest', { trader: 'trader', txHash: 'tx_hash' })

/** The account's liquidations in this transaction that were written before. */
export async function readLiquidations(
  tx: Queryable,
  { trader, txHash }: { readonly trader: string; readonly txHash: string },
): Promise<readonly { readonly trader: string; readonly txHash: string }[]> {
  return await tx.query(
    sql`select ${LIQUIDATION} from (
       select r.trader, r.tx_hash, r.kind from ${idx.trades} r where r.trader = $1 order by r.trader desc, r.seq desc limit ${LIQUIDATIONS_MAX}) newest
     where newest.tx_hash = $2 and newest.kind = 'liquidation'`,
    [trader, txHash],
  )
}
