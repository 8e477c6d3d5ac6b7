// Which order caused a print: the market reports the execution of an order in its next event.

import { columns } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import { numberOf } from '../log/payload.ts'

const EXECUTED = 'order_executed'

/** The orders that caused events of a page, by the seq of the event before their execution. */
export function readExecutedOrders(events: readonly ArchivedEvent[]): ReadonlyMap<number, number> {
  const orders = new Map<number, number>()
  let before: ArchivedEvent | undefined
  for (const event of events) {
    if (event.contract !== 'market') continue
    if (event.topic === EXECUTED && event.payload !== null && before?.txHash === event.txHash) orders.set(before.seq, numberOf(event, 'orderId'))
    before = event
  }
  return orders
}

const SEQ = columns(idx.events, 'e', { seq: 'seq' })

/** A page may begin between a print and the execution that caused it. */
export async function assignEarlierOrder(tx: Writable, events: readonly ArchivedEvent[]): Promise<void> {
  const first = events.find(({ contract }) => contract === 'market')
  if (first?.topic !== EXECUTED || first.payload === null) return
  const [before] = await tx.query(
    sql`select ${SEQ} from ${idx.events} e where e.tx_hash = $1 and e.contract_id = $2 and e.seq < $3::bigint order by e.seq desc limit 1`,
    [first.txHash, first.contractId, first.seq],
  )
  if (before === undefined) return
  for (const table of [idx.opens, idx.trades]) {
    await tx.run(sql`${sql.update(table)} set order_id = $2::bigint where seq = $1::bigint`, [before.seq, numberOf(first, 'orderId')])
  }
}
