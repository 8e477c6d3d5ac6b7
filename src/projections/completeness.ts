// How complete the index is: ids that the ledger has given out against those that events have told of.

import type { Queryable } from '../store/store.ts'
import type { Epoch } from './epochs.ts'
import { readContractInstance } from './contract-instances.ts'
import { listPlaced } from './orders.ts'
import type { Completeness, ActivitySince } from './reconciliation.ts'
import { readSeenIds } from './seen-ids.ts'
import type { SeenIds } from './seen-ids.ts'

/** What the ledger says. Null: cannot be read. */
export interface ObservedIds {
  readonly lastPositionId: number | null
  readonly lastOrderId: number | null
  readonly restingIds: readonly number[] | null
  readonly vaultCount: number | null
}

/** Each null where it cannot be told. `since` is all that was archived behind the ledger of `given`. */
export async function readCompleteness(db: Queryable, epoch: Epoch, since: ActivitySince, given: ObservedIds): Promise<{
  readonly positions: Completeness | null
  readonly orders: Completeness | null
  readonly vaults: Completeness | null
}> {
  const { deployment } = epoch
  const positions = await readSeenIds(db, deployment, 'position')
  const vaults = await readSeenIds(db, await readContractInstance(db, epoch, 'vaultFactory'), 'vault')
  const { lastPositionId, vaultCount } = given
  return {
    positions: completenessOf(positions, lastPositionId, since.opened),
    orders: await readOrderCompleteness(db, deployment, since, given),
    vaults: completenessOf(vaults, vaultCount === null ? null : vaultCount - 1, since.vaults),
  }
}

/** Some placements tell nothing: an order that rests is there, whether or not an event named it. One that ended has an event in any case. */
async function readOrderCompleteness(
  db: Queryable,
  deployment: number,
  since: ActivitySince,
  { lastOrderId, restingIds }: ObservedIds,
): Promise<Completeness | null> {
  const known = await readSeenIds(db, deployment, 'order')
  if (known === null || lastOrderId === null || restingIds === null) return null
  const placed = await listPlaced(db, deployment, restingIds)
  const silent = restingIds.filter((id) => id >= known.first && !placed.has(id) && !since.orders.has(id)).length
  return completenessOf({ ...known, seen: known.seen + silent }, lastOrderId, since.orders)
}

/** Those that were given out behind the ledger are left out. */
function completenessOf(known: SeenIds | null, last: number | null, since: ReadonlySet<number>): Completeness | null {
  if (known === null || last === null) return null
  const expected = Math.max(0, last - known.first + 1)
  const told = known.seen - [...since].filter((id) => id > last).length
  return { expected, missing: Math.max(0, expected - told) }
}
