// How many of the ids that the exchange gives out one after the other events have told of. Kept as counts, so that what is missing is known without reading
// everything that is there.

import type { Queryable } from '../store/store.ts'
import type { ArchivedEvent } from './archived-event.ts'
import type { Epoch } from './epochs.ts'
import { readContractInstance } from './contract-instances.ts'
import { listPlaced } from './orders.ts'
import { numberOf } from './payload.ts'

/** A position is told of by its opening, a vault by its creation, an order by its placement or its end: some placements tell nothing. */
export type IdKind = 'position' | 'order' | 'vault'

/** What was told of, from the first id on. */
export interface SeenIds {
  readonly first: number
  readonly seen: number
}

/** Counts the ids that a page tells of for the first time. Placements must be stored already. */
export async function countSeenIds(tx: Queryable, epoch: Epoch, events: readonly ArchivedEvent[]): Promise<void> {
  const decoded = events.filter(({ payload }) => payload !== null)
  const idsOf = (contract: ArchivedEvent['contract'], key: string, topics: readonly string[]): readonly number[] =>
    decoded.filter((event) => event.contract === contract && topics.includes(event.topic)).map((event) => numberOf(event, key))
  const placed = idsOf('market', 'orderId', ['order_placed'])
  const ended = idsOf('market', 'orderId', ['order_executed', 'order_cancelled'])
  const known = await listPlaced(tx, epoch.deployment, ended)
  await addSeenIds(tx, epoch.deployment, 'position', { ids: idsOf('market', 'positionId', ['position_opened']) })
  await addSeenIds(tx, epoch.deployment, 'order', { ids: [...placed, ...ended.filter((id) => !known.has(id))], firsts: placed })
  const vaults = idsOf('vaultFactory', 'vaultId', ['vault_created'])
  if (vaults.length > 0) await addSeenIds(tx, await readContractInstance(tx, epoch, 'vaultFactory'), 'vault', { ids: vaults })
}

/** `firsts`: counting begins with the least of these. An end tells nothing of when its order was placed. */
async function addSeenIds(
  tx: Queryable,
  home: number,
  kind: IdKind,
  { ids, firsts = ids }: { readonly ids: readonly number[]; readonly firsts?: readonly number[] },
): Promise<void> {
  if (ids.length === 0) return
  const first = (await readSeenIds(tx, home, kind))?.first ?? (firsts.length === 0 ? undefined : Math.min(...firsts))
  if (first === undefined) return
  await tx.query(
    `insert into idx.told_ids as t (home, kind, first_id, told) values ($1, $2, $3, $4)
     on conflict (home, kind) do update set told = t.told + excluded.told`,
    [home, kind, first, ids.filter((id) => id >= first).length],
  )
}

/** Null: no event told of any. */
export async function readSeenIds(db: Queryable, home: number, kind: IdKind): Promise<SeenIds | null> {
  const [row] = await db.query<SeenIds>('select first_id as first, told as seen from idx.told_ids where home = $1 and kind = $2', [home, kind])
  return row ?? null
}
