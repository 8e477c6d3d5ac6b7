// Orders: how a page of events changes the table, and what is read from it by placement. Executions and cancellations name no account: the owner comes from
// the placement event or, for orders without one (immediate-or-cancel, and in generation 1 stop-limit and trailing stop), from the ledger entry.

import { defined } from '../../base/assert.ts'
import type { PlacedOrderRow } from '../../resources/placed-order.ts'
import { columns, expression, selectList } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Param, Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent, Payload } from '../log/archived-event.ts'
import type { AsOf } from '../state/as-of.ts'
import { stateSource } from '../state/as-of.ts'
import { arraysOf } from '../array-params.ts'
import type { Epoch } from '../state/epochs.ts'
import { listLog, readPage, seqFromCursor, toSearchText, withoutSeq } from '../log/log-list.ts'
import { readPositionEvent } from '../log/market-events.ts'
import type { PositionEvent } from '../log/market-events.ts'
import { beginsInsideExecution, foldOrders } from './orders-fold.ts'
import type { EndedOrder, PlacedOrder } from './orders-fold.ts'
import type { Page } from '../log/page.ts'
import { encodeCursor } from '../log/page.ts'

/** Applies a page's events to the orders. Each event must be applied exactly once. */
export async function applyOrderEvents(tx: Writable, epoch: Epoch, events: readonly ArchivedEvent[]): Promise<void> {
  const before = beginsInsideExecution(events) ? await readPositionEventBefore(tx, epoch, events) : undefined
  const { placed, ended } = foldOrders(events, before)
  await placeOrders(tx, epoch.contractEpoch, [...placed.values()])
  await endOrders(tx, epoch.contractEpoch, [...ended.values()])
}

/** More than one transaction emits. */
const TRANSACTION_EVENTS_MAX = 500

const EARLIER = columns(idx.events, 'e', {
  seq: 'seq', topic: 'topic', ledger: 'ledger', ledgerCloseTs: 'ledger_close_ts', payload: expression<Payload | null>(sql`e.payload`),
})

/** The last position event before the page, of the transaction that the page begins in. Undefined when that has executed another order since. */
async function readPositionEventBefore(tx: Queryable, epoch: Epoch, [first]: readonly ArchivedEvent[]): Promise<PositionEvent | undefined> {
  if (first === undefined) return undefined
  const { seq, txHash } = first
  const rows = await tx.query(
    sql`select ${EARLIER} from (select * from ${idx.events} where seq < $1::bigint order by seq desc limit ${TRANSACTION_EVENTS_MAX}) e
     where e.tx_hash = $2 and e.contract_id = $3 order by e.seq desc`,
    [seq, txHash, epoch.contracts.market],
  )
  for (const row of rows) {
    if (row.topic === 'order_executed') return undefined
    const position = readPositionEvent({ ...first, ...row, contract: 'market' })
    if (position !== undefined) return position
  }
  return undefined
}

/** SQL: the status of an order that no event ended. */
const STATUS_OF_ENTRY = `coalesce(d.status, 'pending')`
const WITH_DETAILS = sql`left join ${idx.order_details} d on d.contract_epoch = $1 and d.order_id = page.order_id`

async function placeOrders(tx: Writable, contractEpoch: number, placed: readonly PlacedOrder[]): Promise<void> {
  if (placed.length === 0) return
  await tx.run(
    sql`${sql.insertInto(idx.orders)} as o (contract_epoch, order_id, status, trader, asset, details_complete, seq, trigger_price, ledger, ts, tx_hash)
     select $1::int, page.order_id, ${STATUS_OF_ENTRY}, page.trader, d.details->>'asset', coalesce(d.complete, false), page.seq, page.trigger_price,
       page.ledger, page.ts, page.tx_hash
     from unnest($2::bigint[], $3::text[], $4::numeric[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[])
       page (order_id, trader, trigger_price, seq, ledger, ts, tx_hash) ${WITH_DETAILS}
     on conflict (contract_epoch, order_id) do update set trader = excluded.trader, seq = excluded.seq, trigger_price = excluded.trigger_price,
       ledger = excluded.ledger, ts = excluded.ts, tx_hash = excluded.tx_hash
     where o.seq is null`,
    [contractEpoch, ...arraysOf(placed, {
      orderId: 'bigint', trader: 'text', triggerPrice: 'numeric', seq: 'bigint',
      ledger: 'bigint', ts: 'bigint', txHash: 'text',
    })],
  )
}

/** Ends orders. An order that an event has ended stays as it is. */
async function endOrders(tx: Writable, contractEpoch: number, ended: readonly EndedOrder[]): Promise<void> {
  if (ended.length === 0) return
  await tx.run(
    sql`${sql.insertInto(idx.orders)} as o (contract_epoch, order_id, status, trader, asset, details_complete, ended_seq, end_reason, ended_ledger, ended_ts,
       ended_tx_hash, execution_seq, position_id, price, size, pnl, keeper_reward)
     select $1::int, page.order_id, page.status, d.owner, d.details->>'asset', coalesce(d.complete, false), page.seq, page.reason, page.ledger, page.ts,
       page.tx_hash, page.execution_seq, page.position_id, page.price, page.size, page.pnl, page.keeper_reward
     from unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[], $8::text[], $9::bigint[], $10::bigint[], $11::numeric[],
         $12::numeric[], $13::numeric[], $14::numeric[])
       page (order_id, status, seq, reason, ledger, ts, tx_hash, execution_seq, position_id, price, size, pnl, keeper_reward) ${WITH_DETAILS}
     on conflict (contract_epoch, order_id) do update set status = excluded.status, ended_seq = excluded.ended_seq, end_reason = excluded.end_reason,
       ended_ledger = excluded.ended_ledger, ended_ts = excluded.ended_ts, ended_tx_hash = excluded.ended_tx_hash, execution_seq = excluded.execution_seq,
       position_id = excluded.position_id, price = excluded.price, size = excluded.size, pnl = excluded.pnl, keeper_reward = excluded.keeper_reward
     where o.ended_seq is null`,
    [contractEpoch, ...arraysOf(ended, {
      orderId: 'bigint', status: 'text', seq: 'bigint', reason: 'text', ledger: 'bigint', ts: 'bigint', txHash: 'text',
      executionSeq: 'bigint', positionId: 'bigint', price: 'numeric', size: 'numeric', pnl: 'numeric', keeperReward: 'numeric',
    })],
  )
}

const OWNER = columns(idx.orders, 'o', { id: 'order_id', owner: expression<string>(sql`o.trader`) })
const ID = columns(idx.orders, 'o', { id: 'order_id' })

/** The known owners of these orders. */
export async function readOrderOwners(db: Queryable, contractEpoch: number, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query(
    sql`select ${OWNER} from ${idx.orders} o where o.contract_epoch = $1 and o.order_id = any($2::bigint[]) and o.trader is not null`, [contractEpoch, ids],
  )
  return new Map(rows.map((row) => [row.id, row.owner]))
}

export interface PlacedOrdersFilter extends AsOf {
  readonly trader?: string | undefined
  /** Lists open orders only. */
  readonly openOnly: boolean
  readonly limit: number
  readonly cursor?: string | undefined
}

const OPEN_KIND = 'orders-open'

/** Orders of the current deployment whose placement was reported, newest first. */
export async function listPlacedOrders(db: Queryable, filter: PlacedOrdersFilter): Promise<Page<PlacedOrderRow>> {
  const { trader, openOnly, limit, cursor, atLedger } = filter
  if (openOnly && atLedger !== undefined) return await listPastOpenOrders(db, filter)
  return await listLog<PlacedOrderRow>(db, {
    kind: openOnly ? OPEN_KIND : 'orders-all',
    table: idx.orders,
    scope: { column: 'contract_epoch', value: sql`(select e.contract_epoch from ${idx.epochs} e where e.number = c.epoch)` },
    equals: { trader },
    ...(openOnly ? { only: sql`r.status = 'pending'` } : {}),
    columns: { ...PLACED_COLUMNS, status: atLedger === undefined ? STATUS : sql`case when r.ended_seq > c.through_seq then 'open' else ${STATUS} end` },
    atLedger,
    limit,
    cursor,
  })
}

const STATUS = 'case r.status when \'pending\' then \'open\' else r.status end'
const PLACED_COLUMNS: Readonly<Record<keyof PlacedOrderRow, string>> = {
  orderId: 'r.order_id', trader: 'r.trader', triggerPrice: 'r.trigger_price', status: '\'open\'', ledger: 'r.ledger', ts: 'r.ts', txHash: 'r.tx_hash',
}
const PLACED_SELECTED = selectList(PLACED_COLUMNS)

/**
 * Orders that were pending in a past state: those that still are, and those that have ended since. The latter are boxes (0034_past_orders.sql): those of all
 * traders at a seq are on a line, and their distance from its upper end is how much earlier they were placed.
 */
async function listPastOpenOrders(db: Queryable, { trader, limit, cursor, atLedger }: PlacedOrdersFilter): Promise<Page<PlacedOrderRow>> {
  const params: Param[] = []
  const bind = (value: Param): Sql => sql`$${params.push(value)}`
  const state = stateSource({ atLedger }, bind)
  const at = defined(state.throughSeq, 'the end of a past state')
  const high = cursor === undefined ? at : sql`least(${at}, ${bind(seqFromCursor(OPEN_KIND, cursor))}::bigint - 1)`
  const owner = trader === undefined ? undefined : sql`${bind(toSearchText(trader))}::text`
  const scope = [
    sql`r.contract_epoch = (select e.contract_epoch from ${idx.epochs} e where e.number = c.epoch)`, sql`r.seq <= ${high}`,
    ...(owner === undefined ? [] : [sql`r.trader = ${owner}`]),
  ]
  const atOwner = sql`point(${at}, hashtext(${owner ?? 'null'}))`
  const { line, place, order } = owner === undefined
    ? { line: PLACEMENT_LINE, place: sql`box(point(${at}, 0), point(${at}, ${high}))`, order: sql`${PLACEMENT_LINE} <-> point(${at}, ${high})` }
    : { line: TRADER_LINE, place: sql`box(${atOwner}, ${atOwner})`, order: sql`r.seq desc` }
  const select = sql`select r.seq, ${PLACED_SELECTED} from ${idx.orders} r where ${sql.join(scope, ' and ')}`
  const rows = sql`limit ${bind(limit + 1)}::int`
  const page = sql`select * from (
    (${select} and r.status = 'pending' order by r.seq desc ${rows}) union all
    (${select} and r.seq is not null and r.ended_seq is not null and r.ended_seq > ${at} and ${line} && ${place} order by ${order} ${rows})
  ) r order by r.seq desc ${rows}`
  return await readPage<PlacedOrderRow, PlacedOrderRow>(
    db, { state, page, params, limit, cursorOf: ({ seq }) => encodeCursor(OPEN_KIND, [seq]) }, withoutSeq,
  )
}

const PLACEMENT_LINE = sql`box(point(r.seq, r.seq), point(r.ended_seq - 1, r.seq))`
const TRADER_LINE = sql`box(point(r.seq, hashtext(r.trader)), point(r.ended_seq - 1, hashtext(r.trader)))`

/** The ids of the trader's open orders in the current deployment, newest first. */
export async function listOpenOrderIds(db: Queryable, trader: string, limit: number): Promise<readonly number[]> {
  const { rows } = await listPlacedOrders(db, { trader, openOnly: true, limit })
  return rows.map(({ orderId }) => orderId)
}

/** Those of these orders whose placement event was archived. */
export async function listPlaced(db: Queryable, contractEpoch: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db.query(
    sql`select ${ID} from ${idx.orders} o where o.contract_epoch = $1 and o.order_id = any($2::bigint[]) and o.seq is not null`, [contractEpoch, ids],
  )
  return new Set(rows.map(({ id }) => id))
}
