// Changes that complete an order or a fill after its event: their positions in the log, from which the channel account.orders.* reads the rows again.

import { insertRows } from '../../store/insert-rows.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { lastReservedSeq, readIndexCursor, updateIndexCursor } from '../state/index-state.ts'

/** The order or fill that became more complete, or both. */
export interface OrderChangeOf {
  readonly account: string
  readonly orderId: number | null
  readonly fill: { readonly seq: number; readonly positionId: number } | null
}

/** Clients follow recent events. What was learned of older ones is in the rows that REST and replays return, and needs no frames. */
const RECENT_SEC = 3_600

/** Rows whose time is recent as of the end of the index. Null is always recent. */
export async function onlyRecent<Row>(tx: Queryable, rows: readonly Row[], secOf: (row: Row) => number | null): Promise<readonly Row[]> {
  const endSec = rows.length === 0 ? null : (await readIndexCursor(tx))?.lastLedgerCloseTs ?? null
  return rows.filter((row) => (secOf(row) ?? Infinity) >= (endSec ?? 0) - RECENT_SEC)
}

/** Gives each change the next position in the log, and returns the first one. Throws IndexConflict when another writer advanced the index. */
export async function appendOrderChanges(tx: Writable, contractEpoch: number, changes: readonly OrderChangeOf[]): Promise<number> {
  const cursor = changes.length === 0 ? null : await readIndexCursor(tx)
  if (cursor === null) return 0
  const firstSeq = lastReservedSeq(cursor) + 1
  await updateIndexCursor(tx, cursor, { ...cursor, lastSeq: firstSeq + changes.length - 1 }, null)
  await insertRows(tx, idx.order_changes, changes.map((change, index) => ({ ...change, seq: firstSeq + index })), {
    contract_epoch: { all: contractEpoch }, seq: 'seq', account: 'account', order_id: 'orderId', fill_seq: ({ fill }) => fill?.seq ?? null,
    position_id: ({ fill }) => fill?.positionId ?? null,
  })
  return firstSeq
}
