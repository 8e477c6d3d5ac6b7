// The number of sequential ids (positions, orders, vaults) seen in events. Stored as counts, so that missing ids are known without reading every row.

import { columns } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import type { Epoch } from './epochs.ts'
import { readContractEpoch } from './contract-epochs.ts'
import { listPlaced } from '../orders/orders.ts'
import { numberOf } from '../log/payload.ts'

/** A position is seen when it opens, a vault when it is created, an order when it is placed or ends, because some placements emit no event. */
export type IdKind = 'position' | 'order' | 'vault'

/** The first id seen, and the number of ids seen from it on. */
export interface SeenIds {
  readonly first: number
  readonly seen: number
}

/** Counts the ids that a page shows for the first time. Its placements must be stored already. */
export async function countSeenIds(tx: Writable, epoch: Epoch, events: readonly ArchivedEvent[]): Promise<void> {
  const decoded = events.filter(({ payload }) => payload !== null)
  const idsOf = (contract: ArchivedEvent['contract'], key: string, topics: readonly string[]): readonly number[] =>
    decoded.filter((event) => event.contract === contract && topics.includes(event.topic)).map((event) => numberOf(event, key))
  const placed = idsOf('market', 'orderId', ['order_placed'])
  const ended = idsOf('market', 'orderId', ['order_executed', 'order_cancelled'])
  const known = await listPlaced(tx, epoch.contractEpoch, ended)
  await addSeenIds(tx, epoch.contractEpoch, 'position', { ids: idsOf('market', 'positionId', ['position_opened']) })
  await addSeenIds(tx, epoch.contractEpoch, 'order', { ids: [...placed, ...ended.filter((id) => !known.has(id))], firsts: placed })
  const vaults = idsOf('vaultFactory', 'vaultId', ['vault_created'])
  if (vaults.length > 0) await addSeenIds(tx, await readContractEpoch(tx, epoch, 'vaultFactory'), 'vault', { ids: vaults })
}

/** `firsts`: counting starts at the lowest of these. An order's end does not reveal when it was placed, so it cannot start the count. */
async function addSeenIds(
  tx: Writable,
  contractEpoch: number,
  kind: IdKind,
  { ids, firsts = ids }: { readonly ids: readonly number[]; readonly firsts?: readonly number[] },
): Promise<void> {
  if (ids.length === 0) return
  const first = (await readSeenIds(tx, contractEpoch, kind))?.first ?? (firsts.length === 0 ? undefined : Math.min(...firsts))
  if (first === undefined) return
  await tx.run(
    sql`${sql.insertInto(idx.seen_ids)} as t (contract_epoch, kind, first_id, seen) values ($1, $2, $3, $4)
     on conflict (contract_epoch, kind) do update set seen = t.seen + excluded.seen`,
    [contractEpoch, kind, first, ids.filter((id) => id >= first).length],
  )
}

const SEEN = columns(idx.seen_ids, 's', { first: 'first_id', seen: 'seen' })

/** Null: no id was seen. */
export async function readSeenIds(db: Queryable, contractEpoch: number, kind: IdKind): Promise<SeenIds | null> {
  const [row] = await db.query(sql`select ${SEEN} from ${idx.seen_ids} s where s.contract_epoch = $1 and s.kind = $2`, [contractEpoch, kind])
  return row ?? null
}
