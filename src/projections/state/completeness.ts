// How complete the index is: ids allocated on the ledger compared with ids seen in events.

import type { Queryable } from '../../store/store.ts'
import type { Epoch } from './epochs.ts'
import { readContractEpoch } from './contract-epochs.ts'
import { listPlaced } from '../orders/orders.ts'
import type { Completeness, ActivitySince } from '../repair/reconciliation.ts'
import { readSeenIds } from './seen-ids.ts'
import type { SeenIds } from './seen-ids.ts'

/** Id counters and resting orders on the ledger; null where an entry could not be read. */
export interface ObservedIds {
  readonly lastPositionId: number | null
  readonly lastOrderId: number | null
  readonly restingIds: readonly number[] | null
  readonly vaultCount: number | null
}

/** Null where the completeness is unknown. `since` is the activity archived after the ledger of `observed`. */
export async function readCompleteness(db: Queryable, epoch: Epoch, since: ActivitySince, observed: ObservedIds): Promise<{
  readonly positions: Completeness | null
  readonly orders: Completeness | null
  readonly vaults: Completeness | null
}> {
  const { contractEpoch } = epoch
  const positions = await readSeenIds(db, contractEpoch, 'position')
  const vaults = await readSeenIds(db, await readContractEpoch(db, epoch, 'vaultFactory'), 'vault')
  const { lastPositionId, vaultCount } = observed
  return {
    positions: completenessOf(positions, lastPositionId, since.opened),
    orders: await readOrderCompleteness(db, contractEpoch, since, observed),
    vaults: completenessOf(vaults, vaultCount === null ? null : vaultCount - 1, since.vaults),
  }
}

/** Some order types emit no placement event. Such an order counts as seen while it rests; its end always emits an event. */
async function readOrderCompleteness(
  db: Queryable,
  contractEpoch: number,
  since: ActivitySince,
  { lastOrderId, restingIds }: ObservedIds,
): Promise<Completeness | null> {
  const known = await readSeenIds(db, contractEpoch, 'order')
  if (known === null || lastOrderId === null || restingIds === null) return null
  const placed = await listPlaced(db, contractEpoch, restingIds)
  const unreported = restingIds.filter((id) => id >= known.first && !placed.has(id) && !since.orders.has(id)).length
  return completenessOf({ ...known, seen: known.seen + unreported }, lastOrderId, since.orders)
}

/** Ids allocated after the compared ledger do not count. */
function completenessOf(known: SeenIds | null, last: number | null, since: ReadonlySet<number>): Completeness | null {
  if (known === null || last === null) return null
  const expected = Math.max(0, last - known.first + 1)
  const seen = known.seen - [...since].filter((id) => id > last).length
  return { expected, missing: Math.max(0, expected - seen) }
}
