// Orders as clients read them: what the events report, joined with the details of the ledger entry.

import type { OpenOrder } from '../../resources/open-order.ts'
import type { Order, OrderLifeStatus } from '../../resources/order.ts'
import type { OrderOutcome } from '../../resources/transaction.ts'
import { selectList } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Param, Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { AsOf, HeadColumns } from '../state/as-of.ts'
import { stateSource } from '../state/as-of.ts'
import { arraysOf } from '../array-params.ts'
import { clampToSafeInteger, headOf, listLog, seqFromCursor, toSearchText } from '../log/log-list.ts'
import { encodeCursor } from '../log/page.ts'
import { CREATED_DETAILS, readCreatedOrder } from './created-entries.ts'
import type { Head, Page } from '../log/page.ts'

type Terms = Omit<Order, 'orderId' | 'status' | 'placed' | 'ended' | 'execution'>

const UNKNOWN_TERMS: Terms = {
  trader: null, orderType: null, asset: null, direction: null, positionId: null, collateral: null, leverage: null, size: null, triggerPrice: null,
  triggerCondition: null, limitPrice: null, stopLimitPhase: null, trailingPercentBps: null, peakPrice: null, referencePrice: null, slippageToleranceBps: null,
  timeInForce: null, reduceOnly: null, createdAt: null,
}

/** The contract reports an order that it placed and cancelled at once only as cancelled. */
const CANCELLED_AT_PLACEMENT = 'ioc_not_filled'

/** An order as it is stored. */
interface RawOrder {
  readonly orderId: number
  readonly status: OrderLifeStatus
  readonly trader: string | null
  readonly placedSeq: number | null
  readonly triggerPrice: string | null
  readonly ledger: number | null
  readonly ts: number | null
  readonly txHash: string | null
  readonly endedSeq: number | null
  readonly endReason: string | null
  readonly endedLedger: number | null
  readonly endedTs: number | null
  readonly endedTxHash: string | null
  readonly positionId: number | null
  readonly price: string | null
  readonly size: string | null
  readonly pnl: string | null
  /** Nominal. */
  readonly keeperReward: string | null
  readonly settled: { readonly fee: string | null; readonly keeperReward: string | null } | null
  readonly details: OpenOrder | null
  /** Of an order whose placement no event reported. */
  readonly placement: { readonly ledger: number; readonly ts: number; readonly txHash: string; readonly seq: number | null } | null
}

/** The SQL of each column; `r` is idx.orders. */
const COLUMNS: Readonly<Record<keyof RawOrder, Sql | string>> = {
  orderId: 'r.order_id', status: 'r.status', trader: 'r.trader',
  placedSeq: 'r.seq', triggerPrice: 'r.trigger_price', ledger: 'r.ledger', ts: 'r.ts', txHash: 'r.tx_hash',
  endedSeq: 'r.ended_seq', endReason: 'r.end_reason', endedLedger: 'r.ended_ledger', endedTs: 'r.ended_ts', endedTxHash: 'r.ended_tx_hash',
  positionId: 'r.position_id', price: 'r.price', size: 'r.size', pnl: 'r.pnl', keeperReward: 'r.keeper_reward',
  settled: sql`(select jsonb_build_object('fee', f.fee::text, 'keeperReward', f.keeper_reward::text) from ${idx.position_fills} f
    where f.seq = r.execution_seq and f.position_id = r.position_id)`,
  details: sql`coalesce(
    (select d.details from ${idx.order_details} d where d.contract_epoch = r.contract_epoch and d.order_id = r.order_id), ${CREATED_DETAILS})`,
  placement: sql`case when r.seq is null then (select jsonb_build_object('ledger', p.ledger, 'ts', p.ts, 'txHash', p.tx_hash, 'seq', p.seq)
    from ${idx.order_placements} p where p.contract_epoch = r.contract_epoch and p.order_id = r.order_id) end`,
}
const SELECTED = selectList(COLUMNS)

export interface OrderHistoryFilter extends AsOf {
  readonly trader: string
  readonly status?: OrderLifeStatus | undefined
  /** Upper case. Orders of unknown asset never match. */
  readonly asset?: string | undefined
  /** The name of a deployment, or of an epoch; by default the current deployment. */
  readonly deployment?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/**
 * The orders of an account in one deployment, by id, newest first: the market assigns ids in sequence, so an order that becomes known late takes its place
 * among the others, and a cursor stays where it is.
 */
export async function listOrderHistory(db: Queryable, filter: OrderHistoryFilter): Promise<Page<Order>> {
  const { trader, status, asset, deployment: name, limit, cursor, atLedger } = filter
  const { contractEpoch, hasEnded } = await findDeployment(db, name)
  if (status !== undefined && atLedger !== undefined) return await listByPastStatus(db, { ...filter, status, atLedger }, { contractEpoch, hasEnded })
  const page = await listLog<RawOrder & { readonly throughSeq: number | null }>(db, {
    kind: cursorKind(contractEpoch),
    table: idx.orders,
    by: { column: 'order_id', through: (seq) => lastOrderId(sql`${contractEpoch}`, seq) },
    ...(atLedger === undefined ? {} : { only: KNOWN_BY_STATE, atLedger }),
    ...(hasEnded && status !== undefined ? { only: statusAfterReset(status) } : {}),
    equals: { contract_epoch: contractEpoch, trader, asset, status: hasEnded ? undefined : status },
    columns: { ...COLUMNS, throughSeq: throughSeqOf(filter) },
    limit,
    cursor,
  })
  return { ...page, rows: page.rows.map(({ throughSeq, ...raw }) => toOrder(afterReset(asOf(raw, throughSeq), hasEnded))) }
}

function cursorKind(contractEpoch: number): string {
  return `order-history-${contractEpoch}`
}

/** Orders that one page of a status in the past reads at most. A page that ends there may be short, and continues with its cursor. */
export const PAST_ORDERS_PER_PAGE = 1_000

/** Pages of the orders that had a status in a past state. No index leads to them, so the account's orders are read by id, a bounded number per page. */
async function listByPastStatus(
  db: Queryable, filter: OrderHistoryFilter & { readonly status: OrderLifeStatus; readonly atLedger: number }, { contractEpoch, hasEnded }: FoundDeployment,
): Promise<Page<Order>> {
  const { trader, status, asset, limit, cursor } = filter
  const params: Param[] = [contractEpoch, toSearchText(trader)]
  const bind = (value: Param): Sql => sql`$${params.push(value)}`
  const state = stateSource(filter, bind)
  const assetKey = asset === undefined ? [] : [[sql`r.asset`, sql`${bind(toSearchText(asset))}::text`] as const]
  const keys = [[sql`r.contract_epoch`, sql`$1::int`], [sql`r.trader`, sql`$2::text`], ...assetKey] as const
  const columns = [...keys.map(([column]) => column), sql`r.order_id`]
  const bound = (id: Sql): Sql => sql`(${sql.join([...keys.map(([, value]) => value), id], ', ')})`
  const last = lastOrderId(sql`$1`, sql`c.through_seq`)
  const high = cursor === undefined ? last : sql`least(${last}, ${bind(seqFromCursor(cursorKind(contractEpoch), cursor))}::bigint - 1)`
  const pastStatus = sql`case when r.ended_seq > c.through_seq then 'pending' else r.status end`
  const hasStatus = hasEnded ? statusAfterReset(status, pastStatus) : sql`${pastStatus} = ${bind(status)}::text`
  const rows = await db.query<HeadColumns & { readonly scanned: number; readonly scanEnd: number | null } & (
    (RawOrder & { readonly throughSeq: number }) | { readonly orderId: null }
  )>(
    sql`select ${state.head}, page.* from ${state.from} left join lateral (
       with scanned as materialized (
         select r.order_id, ${KNOWN_BY_STATE} and ${hasStatus} as matches from ${idx.orders} r
         where (${sql.join(columns, ', ')}) >= ${bound(sql`0`)} and (${sql.join(columns, ', ')}) <= ${bound(high)}
         order by ${sql.join(columns.map((column) => sql`${column} desc`), ', ')} limit ${PAST_ORDERS_PER_PAGE})
       select total.*, o.* from (select count(*) as scanned, min(order_id) as "scanEnd" from scanned) total
       left join lateral (select ${SELECTED}, c.through_seq as "throughSeq" from scanned s
          join ${idx.orders} r on r.contract_epoch = $1 and r.order_id = s.order_id
         where s.matches order by s.order_id desc limit ${bind(limit + 1)}::int) o on true
     ) page on true order by page."orderId" desc`,
    params,
  )
  const found = rows.flatMap((row) => (row.orderId === null ? [] : [row]))
  const pageRows = found.slice(0, limit)
  const [{ scanned, scanEnd } = { scanned: 0, scanEnd: null }] = rows
  const nextId = found.length > limit ? (pageRows.at(-1)?.orderId ?? null) : scanned === PAST_ORDERS_PER_PAGE ? scanEnd : null
  return {
    rows: pageRows.map((row) => toOrder(afterReset(asOf(row, row.throughSeq), hasEnded))),
    next: nextId === null ? null : encodeCursor(cursorKind(contractEpoch), [nextId]),
    head: headOf(rows),
    gaps: [],
  }
}

/** SQL: the orders with a status, in a deployment whose chain a reset has ended. Nothing executes or cancels its pending orders any more. */
function statusAfterReset(status: OrderLifeStatus, stored: Sql = sql`r.status`): Sql {
  return status === 'pending' ? sql`false` : sql`${stored} ${status === 'executed' ? '=' : '<>'} 'executed'`
}

/** An order that was pending when its chain ended is cancelled, without an event that says so. */
function afterReset(raw: RawOrder, hasEnded: boolean): RawOrder {
  return hasEnded && raw.status === 'pending' ? { ...raw, status: 'cancelled' } : raw
}

/** SQL: the last order id that was placed up to a seq, or before the next placement that was reported. */
function lastOrderId(contractEpoch: Sql, seq: Sql): Sql {
  return sql`(coalesce((select n.order_id from ${idx.orders} n where n.contract_epoch = ${contractEpoch} and n.seq > ${seq} order by n.seq limit 1),
    ${ORDER_IDS_END}) - 1)`
}

/** Greater than every id that clients can send. */
const ORDER_IDS_END = sql.raw(String(2n ** 53n))

/** SQL: whether an order of the state `c` was placed by then. Without a placement event, only its time is known. */
const KNOWN_BY_STATE = sql`(r.seq <= c.through_seq or r.ended_seq <= c.through_seq or (r.seq is null and c.last_ledger_close_ts >= (
  select (d.details->>'createdAt')::bigint from ${idx.order_details} d where d.contract_epoch = r.contract_epoch and d.order_id = r.order_id)))`

/** SQL: the last seq of the state; null: the present one. */
function throughSeqOf({ atLedger }: AsOf): Sql {
  return atLedger === undefined ? sql`null::bigint` : sql`c.through_seq`
}

/**
 * One order of a deployment; null when none is known by this id. An order that a submission placed is known from then on. `recent`: a connection that reads
 * what was stored a moment ago, if `db` may lag.
 */
export async function readOrder(
  db: Queryable, filter: AsOf & { readonly orderId: number; readonly deployment?: string | undefined }, recent: Queryable = db,
): Promise<{ readonly order: Order | null; readonly head: Head }> {
  const { contractEpoch, hasEnded } = await findDeployment(db, filter.deployment)
  const params: Param[] = [contractEpoch, clampToSafeInteger(filter.orderId)]
  const state = stateSource(filter, (value) => sql`$${params.push(value)}`)
  const known = filter.atLedger === undefined ? 'true' : KNOWN_BY_STATE
  const rows = await db.query<HeadColumns & ((RawOrder & { readonly throughSeq: number | null }) | { readonly orderId: null })>(
    sql`select ${state.head}, o.* from ${state.from}
     left join lateral (select ${SELECTED}, ${throughSeqOf(filter)} as "throughSeq" from ${idx.orders} r
       where r.contract_epoch = $1 and r.order_id = $2::bigint and ${known}) o on true`,
    params,
  )
  const [raw] = rows
  const order = raw === undefined || raw.orderId === null ? null : toOrder(afterReset(asOf(raw, raw.throughSeq), hasEnded))
  const isWhole = order !== null && (order.orderType !== null || recent === db)
  const created = isWhole || hasEnded || filter.atLedger !== undefined ? undefined : await readCreatedOrder(recent, contractEpoch, filter.orderId)
  return { order: created === undefined || order === null ? created ?? order : { ...created, ...givenMembers(order) }, head: headOf(rows) }
}

/** The members of an order that are not null. */
function givenMembers(order: Order): Partial<Order> {
  return Object.fromEntries(Object.entries(order).filter(([, value]) => value !== null))
}

/** An order as it was after one event, for the channel of its account. */
export interface OrderAtSeq {
  readonly seq: number
  /** Null: unknown. */
  readonly account: string | null
  readonly row: Order
}

/**
 * The orders that these events placed or ended, each as it was after its event. An event that changed nothing has no row: an execution after a cancellation
 * in the same transaction.
 */
export async function readOrdersAtSeq(db: Queryable, seqs: readonly number[]): Promise<readonly OrderAtSeq[]> {
  if (seqs.length === 0) return []
  const rows = await db.query<RawOrder & { readonly seq: number }>(
    sql`select e.seq, ${SELECTED} from ${idx.events} e join ${idx.epochs} p on p.number = e.epoch and p.contracts->>'market' = e.contract_id
       join ${idx.orders} r on r.contract_epoch = p.contract_epoch and r.order_id = (e.payload->>'orderId')::bigint and e.seq in (r.seq, r.ended_seq)
     where e.seq = any($1::bigint[]) and e.topic in ('order_placed', 'order_executed', 'order_cancelled') and e.payload is not null
     order by e.seq`,
    [seqs],
  )
  return rows.map(({ seq, ...raw }) => ({ seq, account: raw.trader, row: toOrder(asOf(raw, seq)) }))
}

/** An order that became more complete. */
export interface CompletedOrder extends OrderAtSeq {
  /** True when an event of the order came before. */
  readonly wasReported: boolean
}

/** The orders that these changes completed, each as it was then. */
export async function readCompletedOrders(db: Queryable, changeSeqs: readonly number[]): Promise<readonly CompletedOrder[]> {
  if (changeSeqs.length === 0) return []
  const rows = await db.query<RawOrder & { readonly seq: number }>(
    sql`select k.seq, ${SELECTED} from ${idx.order_changes} k join ${idx.orders} r on r.contract_epoch = k.contract_epoch and r.order_id = k.order_id
     where k.seq = any($1::bigint[]) order by k.seq`,
    [changeSeqs],
  )
  return rows.map(({ seq, ...raw }) => ({
    seq, account: raw.trader, row: toOrder(asOf(raw, seq)), wasReported: raw.placedSeq !== null || (raw.endedSeq !== null && raw.endedSeq < seq),
  }))
}

/**
 * The outcomes of the orders that these transactions placed, by transaction; only up to `throughSeq` when it is given. Those that are pending, or whose end
 * is unknown, have none.
 */
export async function readOrderOutcomes(
  db: Queryable, placements: readonly { readonly orderId: number; readonly txHash: string }[], throughSeq?: number,
): Promise<ReadonlyMap<string, OrderOutcome>> {
  if (placements.length === 0) return new Map()
  const rows = await db.query<OrderOutcome & { readonly placedBy: string }>(
    sql`select p.tx_hash as "placedBy", r.status, r.ended_ledger as ledger, r.ended_ts as ts, r.ended_tx_hash as "txHash"
     from (select distinct contract_epoch from ${idx.epochs}) d cross join unnest($1::bigint[], $2::text[]) p (order_id, tx_hash)
       join ${idx.orders} r on r.contract_epoch = d.contract_epoch and r.order_id = p.order_id
     where r.ended_seq <= coalesce($3::bigint, r.ended_seq)
       and (r.tx_hash = p.tx_hash or (r.end_reason = '${CANCELLED_AT_PLACEMENT}' and r.ended_tx_hash = p.tx_hash)
         or exists (select 1 from ${idx.order_placements} o where o.contract_epoch = r.contract_epoch and o.order_id = r.order_id and o.tx_hash = p.tx_hash))`,
    [...arraysOf(placements, { orderId: 'bigint', txHash: 'text' }), throughSeq ?? null],
  )
  return new Map(rows.map(({ placedBy, ...outcome }) => [placedBy, outcome]))
}

interface FoundDeployment {
  /** 0: there is no such deployment. */
  readonly contractEpoch: number
  /** True when its chain is no longer the indexed one. */
  readonly hasEnded: boolean
}

/**
 * The current deployment, or the newest one with this name that has orders. After a reset, the same addresses are served on the new chain until another
 * deployment is declared, so that a name may have a second deployment without any.
 */
async function findDeployment(db: Queryable, name: string | undefined): Promise<FoundDeployment> {
  const [row] = await db.query<FoundDeployment>(
    name === undefined
      ? sql`select e.contract_epoch as "contractEpoch", false as "hasEnded" from ${idx.cursor} c join ${idx.epochs} e on e.number = c.epoch`
      : sql`select e.contract_epoch as "contractEpoch",
           e.chain <> (select h.chain from ${idx.cursor} c join ${idx.epochs} h on h.number = c.epoch) as "hasEnded"
         from ${idx.epochs} e where e.name = $1 or e.epoch = $1
         order by exists (select 1 from ${idx.orders} o where o.contract_epoch = e.contract_epoch) desc, e.number desc limit 1`,
    name === undefined ? [] : [toSearchText(name)],
  )
  return row ?? { contractEpoch: 0, hasEnded: false }
}

/** The order before the events after `seq`; null: as it is now. */
function asOf(raw: RawOrder, seq: number | null): RawOrder {
  if (seq === null || raw.endedSeq === null || raw.endedSeq <= seq) return raw
  return { ...raw, status: 'pending', endedSeq: null }
}

function toOrder(raw: RawOrder): Order {
  const { details, orderId, status, trader } = raw
  const terms: Terms = details ?? { ...UNKNOWN_TERMS, triggerPrice: raw.triggerPrice }
  const isTrailing = terms.orderType === 'trailing_stop'
  return {
    ...terms,
    orderId,
    trader,
    // A trailing stop's placement event reports the price at the placement.
    peakPrice: terms.peakPrice ?? (isTrailing ? raw.triggerPrice : null),
    stopLimitPhase: terms.orderType === 'stop_limit' && status === 'executed' ? 'limit_active' : terms.stopLimitPhase,
    createdAt: terms.createdAt ?? raw.ts,
    status,
    placed: placementOf(raw),
    ended: endOf(raw),
    execution: executionOf(raw),
  }
}

function placementOf({ placedSeq: seq, ledger, ts, txHash, details, placement, ...end }: RawOrder): Order['placed'] {
  if (seq !== null && ts !== null) return { ledger, ts, txHash, seq }
  if (placement !== null) return placement
  const atOnce = end.endReason === CANCELLED_AT_PLACEMENT
  if (atOnce && end.endedTs !== null) return { ledger: end.endedLedger, ts: end.endedTs, txHash: end.endedTxHash, seq: end.endedSeq }
  return details === null ? null : { ledger: null, ts: details.createdAt, txHash: null, seq: null }
}

function endOf({ endedSeq: seq, endedLedger: ledger, endedTs: ts, endedTxHash: txHash, endReason: reason }: RawOrder): Order['ended'] {
  return seq === null || ledger === null || ts === null || txHash === null || reason === null ? null : { ledger, ts, txHash, seq, reason }
}

function executionOf({ status, endedSeq, price, size, positionId, pnl, keeperReward, settled }: RawOrder): Order['execution'] {
  if (status !== 'executed' || endedSeq === null || price === null || size === null || positionId === null) return null
  // The execution event reports the nominal reward. What a close pays is limited by what it leaves.
  const paid = settled?.keeperReward ?? (pnl === null ? keeperReward : null)
  return { price, size, fee: settled?.fee ?? null, keeperReward: paid, positionId, pnl }
}
