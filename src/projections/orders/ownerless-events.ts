// Events of orders of unknown owner: they join the owner's feed when it becomes known.

import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'

export interface OwnerlessEvent {
  readonly seq: number
  readonly orderId: number
  readonly ts: number
  readonly topic: string
}

/** Stores events of unknown owners until the owner is known. */
export async function insertOwnerlessEvents(tx: Writable, contractEpoch: number, events: readonly OwnerlessEvent[]): Promise<void> {
  await insertRows(tx, idx.ownerless_events, events, { contract_epoch: { all: contractEpoch }, seq: 'seq', order_id: 'orderId', ts: 'ts', topic: 'topic' })
}

/**
 * Adds the pending events of these orders to the feeds of their owners. The feeds do not depend on whether the owner or the event came first, so that a
 * rebuild produces the same state. The stream still treats the events as learned later.
 */
export async function feedOwnedEvents(tx: Writable, contractEpoch: number, ids: readonly number[]): Promise<void> {
  await tx.run(
    sql`with owned as (
       ${sql.deleteFrom(idx.ownerless_events)} e using ${idx.order_details} o
       where e.contract_epoch = $1 and e.order_id = any($2::bigint[]) and o.contract_epoch = e.contract_epoch
         and o.order_id = e.order_id and o.owner is not null
       returning o.owner, e.seq, e.topic
     ), fed as (
       ${sql.insertInto(idx.account_events)} (account, seq, topic) select owner, seq, topic from owned returning account, seq
     )
     ${sql.insertInto(idx.learned_events)} (account, seq) select account, seq from fed on conflict do nothing`,
    [contractEpoch, ids],
  )
}
