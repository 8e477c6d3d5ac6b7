// Orders and positions that submissions created, from their own results (schema tx): what is read of them until the index has their ledger.

import type { OpenOrder } from '../../resources/open-order.ts'
import type { OpenPosition } from '../../resources/open-position.ts'
import type { Order, OrderLifeStatus } from '../../resources/order.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable, Writer } from '../../store/store.ts'
import { idx, txTables } from '../../store/tables.ts'
import { arrayOf } from '../../store/store.ts'
import { IndexConflict } from '../state/index-state.ts'
import { recordOrderReading } from '../state/order-details.ts'

/** SQL: a submission that is known to have succeeded has this entry. A corrected outcome takes its entries back. */
const SUCCEEDED = sql`exists (select 1 from ${txTables.submissions} s where s.hash = e.tx_hash and s.status = 'SUCCESS')`

/** SQL: the terms of an order of idx.orders, `r`, from the transaction that placed it. */
export const CREATED_DETAILS: Sql = sql`(select e.details from ${txTables.created_entries} e
  where e.contract_epoch = r.contract_epoch and e.kind = 'order' and e.id = r.order_id and ${SUCCEEDED})`

interface CreatedOrder {
  readonly orderId: number
  readonly txHash: string
  readonly ledger: number
  readonly ts: number
  readonly status: OrderLifeStatus
  readonly details: OpenOrder
}

const ORDER = sql`e.id as "orderId", e.tx_hash as "txHash", e.ledger, e.ts, e.status, e.details`

/** An order that a submission placed, as it was placed. Undefined when no submission of the last day did. */
export async function readCreatedOrder(db: Queryable, contractEpoch: number, orderId: number): Promise<Order | undefined> {
  const [row] = await db.query<CreatedOrder>(
    sql`select ${ORDER} from ${txTables.created_entries} e where e.contract_epoch = $1 and e.kind = 'order' and e.id = $2::bigint and ${SUCCEEDED}`,
    [contractEpoch, orderId],
  )
  if (row === undefined) return undefined
  const { details, status, ledger, ts, txHash } = row
  return { ...details, status, placed: { ledger, ts, txHash, seq: null }, ended: null, execution: null }
}

/** More than one account opens between two polls of the index. */
const POSITIONS_MAX = 100

/** Positions of the current deployment that submissions opened for a trader, newest first, each with the ledger of its opening. */
export async function listCreatedPositions(
  db: Queryable, trader: string,
): Promise<readonly { readonly ledger: number; readonly row: OpenPosition }[]> {
  return await db.query<{ ledger: number; row: OpenPosition }>(
    sql`select e.ledger, e.details as row from ${idx.cursor} c join ${idx.epochs} p on p.number = c.epoch
       join ${txTables.created_entries} e on e.contract_epoch = p.contract_epoch and e.kind = 'position' and e.trader = $1
     where ${SUCCEEDED} order by e.ledger desc, e.id desc limit ${POSITIONS_MAX}`,
    [trader],
  )
}

/** The order and the position that a transaction created, as rows name them: the first of each. */
export interface CreatedIds {
  readonly orderId: number | null
  readonly positionId: number | null
}

/** The ids that these transactions created, by hash, for rows whose ledger is not indexed yet. */
export async function readCreatedIds(db: Queryable, hashes: readonly string[]): Promise<ReadonlyMap<string, CreatedIds>> {
  if (hashes.length === 0) return new Map()
  const rows = await db.query<CreatedIds & { readonly txHash: string }>(
    sql`select e.tx_hash as "txHash", min(e.id) filter (where e.kind = 'order') as "orderId", min(e.id) filter (where e.kind = 'position') as "positionId"
     from ${txTables.created_entries} e where e.tx_hash = any($1::text[]) and ${SUCCEEDED} group by e.tx_hash`,
    [arrayOf('text', hashes)],
  )
  return new Map(rows.map(({ txHash, ...ids }) => [txHash, ids]))
}

/** An event that was archived this much later than the order was known here was published with the order's terms. */
const CLOCKS_DIFFER_MS = 1_000
/** Orders per transaction. */
const BATCH = 200

/**
 * Gives the index the terms of orders whose ledger it has reached, so that they need no later reading; returns their number. Stores nothing when the index has
 * moved in between: the next call continues.
 */
export async function recordCreatedOrders(db: Writer, nowMs: number): Promise<number> {
  const rows = await db.query<CreatedOrder & { readonly epoch: number; readonly contractEpoch: number; readonly isPublished: boolean }>(
    sql`select ${ORDER}, c.epoch, e.contract_epoch as "contractEpoch", exists (select 1 from ${idx.orders} o join ${idx.events} v on v.seq = o.seq
         where o.contract_epoch = e.contract_epoch and o.order_id = e.id and v.inserted_at >= e.created_at + ${CLOCKS_DIFFER_MS}) as "isPublished"
       from ${idx.cursor} c join ${idx.epochs} p on p.number = c.epoch
       join ${txTables.created_entries} e on e.contract_epoch = p.contract_epoch and e.kind = 'order' and not e.recorded and e.ledger <= c.last_ledger
     where ${SUCCEEDED} order by e.ledger limit ${BATCH}`,
  )
  const [first] = rows
  if (first === undefined) return 0
  const { epoch: number, contractEpoch } = first
  try {
    await db.transaction(async (tx) => {
      for (const [ledger, placed] of Map.groupBy(rows, (row) => row.ledger)) {
        const orders = placed.map(({ orderId, status, details, ts, txHash, isPublished }) =>
          ({ orderId, owner: details.trader, status, details, placement: { ledger, ts, txHash }, isPublished }))
        await recordOrderReading(tx, { number, contractEpoch }, { orders, scan: null, ledger }, nowMs)
      }
      await tx.run(
        sql`${sql.update(txTables.created_entries)} e set recorded = true where e.contract_epoch = $1 and e.kind = 'order' and e.id = any($2::bigint[])`,
        [contractEpoch, arrayOf('bigint', rows.map(({ orderId }) => orderId))],
      )
    })
    return rows.length
  } catch (error) {
    if (error instanceof IndexConflict) return 0
    throw error
  }
}
