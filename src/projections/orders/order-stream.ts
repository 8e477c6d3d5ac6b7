// The log for the channels account.orders.*: for each account, the positions at which a submission, an order or a fill changed, with their rows.

import { ORDER_TOPICS } from '../../exchange/events.ts'
import { FILLS_IN_SNAPSHOT, ORDERS_IN_SNAPSHOT } from '../../limits.ts'
import type { Fill } from '../../resources/fill.ts'
import type { Order } from '../../resources/order.ts'
import type { TransactionRow } from '../../resources/transaction.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx, txTables } from '../../store/tables.ts'
import { listOrderHistory, readCompletedOrders, readOrdersAtSeq } from './order-history.ts'
import type { CompletedOrder, OrderAtSeq } from './order-history.ts'
import { listFills, readCompletedFills, readFillsBySeq } from '../positions/position-fills.ts'
import type { FillOfAccount } from '../positions/position-fills.ts'

/** One change, with the row that REST serves. `again`: an earlier one had the row with fewer members. */
export type OrderChange =
  | { readonly kind: 'submission'; readonly row: TransactionRow }
  | { readonly kind: 'order'; readonly row: Order; readonly again?: true }
  | { readonly kind: 'fill'; readonly row: Fill; readonly again?: true }

/** The changes of one entry of the log for an account. */
export interface OrderEntry {
  readonly seq: number
  /** The name of its epoch. */
  readonly epoch: string
  readonly account: string
  /** At least one. */
  readonly changes: readonly OrderChange[]
}

/** SQL: the topics of orders, separated by commas. */
const TOPICS = sql.join(ORDER_TOPICS.map((topic) => `'${topic}'`), ', ')

/** SQL: the event `seq` placed or ended an order. An execution that follows a cancellation in the same transaction changes nothing. */
const changesOrder = (seq: Sql): Sql => sql`exists (
  select 1 from ${idx.events} e join ${idx.epochs} p on p.number = e.epoch and p.contracts->>'market' = e.contract_id
    join ${idx.orders} o on o.contract_epoch = p.contract_epoch and o.order_id = (e.payload->>'orderId')::bigint and e.seq in (o.seq, o.ended_seq)
  where e.seq = ${seq} and e.topic in (${TOPICS}))`

/** SQL: a fill that no event names. It is known only later, and has the position at which it became known. */
const UNNAMED = `(kind = 'liquidation' and price is null)`

/**
 * SQL: positions of one account, `n.name`, from each of their sources. `source` is the seq of the event; an event whose account became known later has another
 * position. `range` is a condition on a column, and `page` the order and limit of each source.
 */
function positionsOf(range: (column: Sql) => Sql, page: (column: Sql) => Sql): Sql {
  return sql`(select c.seq as position, 'submission' as kind, c.seq as source from ${txTables.submission_changes} c
      where c.owner = n.name and ${range(sql`c.seq`)} ${page(sql`c.seq`)})
    union all
    (select f.seq, 'fill', f.seq
      from (select distinct seq from ${idx.position_fills} where trader = n.name and ${range(sql`seq`)} and not ${UNNAMED}) f ${page(sql`f.seq`)})
    union all
    (select k.seq, 'completed', k.seq from ${idx.order_changes} k where k.account = n.name and ${range(sql`k.seq`)} ${page(sql`k.seq`)})
    union all
    (select own.seq, 'order', own.seq from unnest(array[${TOPICS}]) t (topic) cross join lateral (
        select a.seq from ${idx.account_events} a where a.account = n.name and a.topic = t.topic and ${range(sql`a.seq`)}
          and not exists (select 1 from ${idx.learned_events} l where l.account = a.account and l.seq = a.seq)
          and ${changesOrder(sql`a.seq`)} ${page(sql`a.seq`)}) own
      ${page(sql`own.seq`)})
    union all
    (select l.shown_seq, 'order', l.seq from ${idx.learned_events} l
      where l.account = n.name and ${range(sql`l.shown_seq`)} and ${changesOrder(sql`l.seq`)} ${page(sql`l.shown_seq`)})`
}

const IN_RANGE = (column: Sql): Sql => sql`${column} > $2::bigint and ${column} <= $3::bigint`

/** In the order of their frames at one position. */
const SOURCES = ['submission', 'order', 'fill', 'completed'] as const
type Source = (typeof SOURCES)[number]

interface RawPosition {
  readonly position: number
  readonly epoch: string
  readonly account: string
  readonly kind: Source
  readonly source: number
  readonly row: TransactionRow | null
}

/** Sources of one position: at most one of each kind. */
const POSITION_ROWS_MAX = 4

/** The changes of some accounts in (afterSeq, throughSeq], in log order. They are complete up to the `throughSeq` of the result. */
export async function readOrderEntries(
  db: Queryable, accounts: readonly string[],
  { afterSeq, throughSeq, limit, warnOrder }: {
    readonly afterSeq: number; readonly throughSeq: number; readonly limit: number; readonly warnOrder?: (order: Order) => Order
  },
): Promise<{ readonly entries: readonly OrderEntry[]; readonly throughSeq: number }> {
  if (accounts.length === 0 || afterSeq >= throughSeq) return { entries: [], throughSeq }
  const rows = await db.query<RawPosition>(
    sql`select q.position, q.kind, q.source, q.account,
       case when q.kind = 'submission' then (select c.row from ${txTables.submission_changes} c where c.seq = q.source) end as row,
       (select p.epoch from ${idx.epoch_ranges} s join ${idx.epochs} p on p.number = s.epoch where s.first_seq <= q.position
        order by s.first_seq desc limit 1) as epoch
     from (select n.name as account, each.* from unnest($1::text[]) n (name) cross join lateral (
         ${positionsOf(IN_RANGE, (column) => sql`order by ${column} limit $4::int`)}) each
       order by each.position limit $4::int) q
     order by q.position, q.account, array_position($5::text[], q.kind), q.source`,
    [accounts, afterSeq, throughSeq, limit + accounts.length * POSITION_ROWS_MAX, SOURCES],
  )
  const isCut = rows.length === limit + accounts.length * POSITION_ROWS_MAX
  // The last position may be incomplete.
  const through = isCut ? (rows.at(-1)?.position ?? throughSeq) - 1 : throughSeq
  return { entries: await toEntries(db, rows.filter(({ position }) => position <= through), warnOrder), throughSeq: through }
}

async function toEntries(
  db: Queryable, positions: readonly RawPosition[], warnOrder: (order: Order) => Order = (order) => order,
): Promise<readonly OrderEntry[]> {
  const sourcesOf = (kind: Source): number[] => positions.filter((each) => each.kind === kind).map(({ source }) => source)
  const orders = Map.groupBy(await readOrdersAtSeq(db, sourcesOf('order')), ({ seq }) => seq)
  const fills = Map.groupBy(await readFillsBySeq(db, sourcesOf('fill')), ({ fill }) => fill.seq)
  const completed = await readCompletedOrders(db, sourcesOf('completed'))
  const completedOrders = Map.groupBy(completed.map((order) => ({ ...order, row: warnOrder(order.row) })), ({ seq }) => seq)
  const completedFills = Map.groupBy(await readCompletedFills(db, sourcesOf('completed')), ({ changeSeq }) => changeSeq)
  const toOrders = (found: readonly OrderAtSeq[] = []): OrderChange[] => found.map(({ row }) => ({ kind: 'order', row: warnOrder(row) }))
  function changesOf({ kind, source, account, row }: RawPosition): readonly OrderChange[] {
    const toFills = (found: readonly FillOfAccount[] = []): OrderChange[] =>
      found.filter(({ trader }) => trader === account).map(({ fill }) => ({ kind: 'fill', row: fill }))
    switch (kind) {
      case 'submission':
        return row === null ? [] : [{ kind, row }]
      case 'order':
        return toOrders(orders.get(source))
      case 'fill':
        return toFills(fills.get(source))
      default:
        return [...(completedOrders.get(source) ?? []).map(orderAgain), ...toFills(completedFills.get(source)).map(fillAgain)]
    }
  }
  const entries = Map.groupBy(positions, ({ position, account }) => `${position} ${account}`)
  return [...entries.values()].flatMap((own) => {
    const [first] = own
    const changes = own.flatMap(changesOf)
    return first === undefined || changes.length === 0 ? [] : [{ seq: first.position, epoch: first.epoch, account: first.account, changes }]
  })
}

function orderAgain({ row, wasReported }: CompletedOrder): OrderChange {
  return { kind: 'order', row, ...(wasReported ? { again: true } : {}) }
}

/** A fill that no event names has its first frame when it becomes known. */
function fillAgain(change: OrderChange): OrderChange {
  return change.kind !== 'fill' || (change.row.kind === 'liquidation' && change.row.price === null) ? change : { ...change, again: true }
}

/** The number of positions of some accounts in (afterSeq, throughSeq], counted up to `max`. */
export async function countOrderEntries(
  db: Queryable, accounts: readonly string[], { afterSeq, throughSeq, max }: { readonly afterSeq: number; readonly throughSeq: number; readonly max: number },
): Promise<number> {
  if (accounts.length === 0) return 0
  const [row] = await db.query<{ count: number }>(
    sql`select count(*) as count from (select 1 from unnest($1::text[]) n (name) cross join lateral (
       ${positionsOf(IN_RANGE, () => sql`limit $4::int`)}) each limit $4::int) counted`,
    [accounts, afterSeq, throughSeq, max],
  )
  return row?.count ?? 0
}

/** The last position of each account at or before `atSeq`; 0 when there is none. */
export async function readOrderHeads(db: Queryable, accounts: readonly string[], atSeq: number): Promise<ReadonlyMap<string, number>> {
  if (accounts.length === 0) return new Map()
  const rows = await db.query<{ name: string; seq: number | null }>(
    sql`select n.name, (select max(each.position) from (
       ${positionsOf((column) => sql`${column} <= $2::bigint`, (column) => sql`order by ${column} desc limit 1`)}) each) as seq
     from unnest($1::text[]) n (name)`,
    [accounts, atSeq],
  )
  return new Map(rows.map(({ name, seq }) => [name, seq ?? 0]))
}

/** An account's open orders, pending submissions and last fills, newest first. */
export interface OrdersSnapshot {
  /** Everything up to this position is included; changes after it may be. */
  readonly seq: number
  readonly orders: readonly Order[]
  readonly submissions: readonly TransactionRow[]
  readonly fills: readonly Fill[]
}

export async function readOrdersSnapshot(db: Queryable, account: string): Promise<OrdersSnapshot> {
  const { head, rows: orders } = await listOrderHistory(db, { trader: account, status: 'pending', limit: ORDERS_IN_SNAPSHOT })
  const { rows: fills } = await listFills(db, { trader: account, limit: FILLS_IN_SNAPSHOT })
  const submissions = await db.query<{ row: TransactionRow }>(
    sql`select latest.row from ${txTables.submissions} s
       cross join lateral (select c.row from ${txTables.submission_changes} c where c.hash = s.hash and c.owner = s.owner order by c.id desc limit 1) latest
     where s.owner = $1 and s.status = 'PENDING' and s.logged_status = 'PENDING' order by s.id desc limit ${ORDERS_IN_SNAPSHOT}`,
    [account],
  )
  return { seq: head.seq, orders, submissions: submissions.map(({ row }) => row), fills }
}
