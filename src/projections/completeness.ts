// How complete the index is: ids that the ledger has given out against those that events have told of.

import type { Queryable } from '../store/store.ts'
import type { Epoch } from './epochs.ts'
import { readHome } from './homes.ts'
import { listPlaced } from './orders.ts'
import type { Since } from './reconciliation.ts'
import { readToldIds } from './told-ids.ts'

/** Ids since the first that was told of, and how many of them nothing told of. */
export interface Completeness {
  readonly expected: number
  readonly missing: number
}

/** What the ledger says. Null: cannot be read. */
export interface GivenOut {
  readonly lastPositionId: number | null
  readonly lastOrderId: number | null
  readonly restingIds: readonly number[] | null
  readonly vaultCount: number | null
}

/** Each null where it cannot be told. `since` is all that was archived behind the ledger of `given`. */
export async function readCompleteness(db: Queryable, epoch: Epoch, since: Since, given: GivenOut): Promise<{
  readonly positions: Completeness | null
  readonly orders: Completeness | null
  readonly vaults: Completeness | null
}> {
  const { deployment } = epoch
  const positions = await readToldIds(db, deployment, 'position')
  const vaults = await readToldIds(db, await readHome(db, epoch, 'vaultFactory'), 'vault')
  const { lastPositionId, vaultCount } = given
  return {
    positions: positions === null || lastPositionId === null ? null : complete(positions.first, lastPositionId, told(positions.told, since.opened, lastPositionId)),
    orders: await readOrders(db, deployment, since, given),
    vaults: vaults === null || vaultCount === null ? null : complete(vaults.first, vaultCount - 1, told(vaults.told, since.vaults, vaultCount - 1)),
  }
}

/** Some placements tell nothing: an order that rests is there, whether or not an event named it. One that ended has an event in any case. */
async function readOrders(db: Queryable, deployment: number, since: Since, { lastOrderId, restingIds }: GivenOut): Promise<Completeness | null> {
  const known = await readToldIds(db, deployment, 'order')
  if (known === null || lastOrderId === null || restingIds === null) return null
  const placed = await listPlaced(db, deployment, restingIds)
  const silent = restingIds.filter((id) => id >= known.first && !placed.has(id) && !since.orders.has(id)).length
  return complete(known.first, lastOrderId, told(known.told, since.orders, lastOrderId) + silent)
}

/** Without those that were given out behind the ledger. */
function told(all: number, since: ReadonlySet<number>, last: number): number {
  return all - [...since].filter((id) => id > last).length
}

function complete(first: number, last: number, known: number): Completeness {
  const expected = Math.max(0, last - first + 1)
  return { expected, missing: Math.max(0, expected - known) }
}
