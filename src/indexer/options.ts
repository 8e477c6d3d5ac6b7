// What the indexer is made of.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { Tracer } from '../base/tracer.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { ContractAddresses } from '../exchange/contracts.ts'
import type { ArchivedEvent } from '../projections/archived-event.ts'
import type { Store } from '../store/store.ts'

/** Name of the lock that the one writer holds. */
export const INDEXER_LOCK = 'indexer'

export interface IndexerOptions {
  readonly store: Store
  readonly rpc: Rpc
  /** Nodes with more history, asked for what `rpc` has dropped; null or absent: none. */
  readonly archive?: Rpc | null
  readonly contracts: ContractAddresses
  readonly networkPassphrase: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly pollIntervalMs: number
  /** Where a first start begins; null: at the RPC's oldest ledger. */
  readonly startLedger: number | null
  /** Told of steps; nobody when it is left out. */
  readonly tracer?: Tracer
  /** Told of events when they have been archived. */
  readonly onArchived?: (events: readonly ArchivedEvent[]) => void
}
