// Prints: changes of positions at a price, as the channel of their asset shows them.

import type { TradeKind } from '../../resources/realized-trade.ts'
import type { Payload, PayloadValue } from '../log/archived-event.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import { idx } from '../../store/tables.ts'

/** The fields of an event's print besides its payload, as the index has them. */
export interface PrintKey {
  readonly asset: string
  readonly direction: number | null
  readonly orderId: number | null
}

const KINDS: Readonly<Record<string, Exclude<TradeKind, 'cross_liquidation'>>> = {
  position_opened: 'open',
  position_closed: 'close',
  position_reduced: 'reduce',
  position_liquidated: 'liquidation',
  position_partial_liq: 'partial_liquidation',
  adl_executed: 'adl',
}

const TOPICS_OF_TRADES = sql.join(Object.keys(KINDS).filter((topic) => KINDS[topic] !== 'open').map((topic) => `'${topic}'`), ', ')

/**
 * SQL: the print of the event `e`; null when it is none. Rows of idx.opens and idx.trades decide what a print is. Of a trade whose open is not archived, the
 * asset and direction are those that its event names. The total of a cross liquidation belongs to no asset.
 */
export function printOf(e: Sql): Sql {
  const print = (asset: Sql, direction: Sql): Sql => sql`jsonb_build_object('asset', ${asset}, 'direction', ${direction}, 'orderId', r.order_id)`
  return sql`case when ${e}.topic = 'position_opened' then (select ${print(sql`r.asset`, sql`r.direction`)} from ${idx.opens} r where r.seq = ${e}.seq)
    when ${e}.topic in (${TOPICS_OF_TRADES}) then (
      select ${print(sql`coalesce(r.asset, r.event_asset)`, sql`coalesce(r.direction, r.event_direction)`)} from ${idx.trades} r where r.seq = ${e}.seq) end`
}

/** Each column of an asset, with an index on it and seq. */
const ASSETS_OF_PRINTS = [[idx.opens, 'asset'], [idx.trades, 'asset'], [idx.trades, 'event_asset']] as const

/** A range of the log in SQL, and the most rows to read of it. */
interface PrintRange {
  /** By default the beginning of the log. */
  readonly after?: Sql
  readonly through: Sql
  readonly limit: Sql
  readonly newestFirst?: boolean
}

/**
 * SQL: the seqs of prints of an asset, at most `limit` of each table. Asset and seq are compared as one row value and are the order, so that the planner must
 * use the index on them: for an asset without prints it would otherwise read all of the log.
 */
export function printsOf(asset: Sql, { after = sql`0`, through, limit, newestFirst = false }: PrintRange): Sql {
  const order = newestFirst ? 'desc' : 'asc'
  return sql.join(ASSETS_OF_PRINTS.map(([table, column]) => sql`(select r.seq from ${table} r
    where (r.${column}, r.seq) > (${asset}, ${after}) and (r.${column}, r.seq) <= (${asset}, ${through}) and r.${column} is not null
    order by r.${column} ${order}, r.seq ${order} limit ${limit})`), ' union all ')
}

/** A print as it is sent. */
export interface Print {
  readonly kind: Exclude<TradeKind, 'cross_liquidation'>
  readonly asset: string
  readonly positionId: PayloadValue | undefined
  readonly trader: PayloadValue | undefined
  /** The entry price of an open, and the close price otherwise. */
  readonly price: PayloadValue | undefined
  readonly pnl?: PayloadValue
  readonly ledger: number
  /** Milliseconds. */
  readonly ts: number
  readonly txHash: string
  /** Of the closed part for reduce and partial_liquidation. */
  readonly size: PayloadValue | undefined
  /** 0 is long, 1 is short; null: unknown. */
  readonly direction: number | null
  readonly eventId: string
  readonly orderId?: number
}

interface PrintedEvent {
  readonly topic: string
  readonly ledger: number
  readonly ledgerCloseTs: number
  readonly txHash: string
  readonly eventId: string
  readonly payload: Payload | null
  readonly print: PrintKey | null
}

/** The print of an archived event; undefined for other events. */
export function toPrint({ topic, ledger, ledgerCloseTs, txHash, eventId, payload, print }: PrintedEvent): Print | undefined {
  const kind = KINDS[topic]
  if (print === null || payload === null || kind === undefined) return undefined
  const { positionId, trader, pnl } = payload
  const { asset, direction, orderId } = print
  return {
    kind, asset, positionId, trader,
    price: kind === 'open' ? payload['entryPrice'] : (payload['closePrice'] ?? payload['price']),
    ...(pnl === undefined ? {} : { pnl }),
    ledger, ts: ledgerCloseTs * 1000, txHash,
    size: payload['size'] ?? payload['closedSize'],
    direction, eventId,
    ...(orderId === null ? {} : { orderId }),
  }
}
