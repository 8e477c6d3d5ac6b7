import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { Tracer } from '../base/tracer.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { ArchivedEvent } from '../projections/log/archived-event.ts'
import type { Store } from '../store/store.ts'
import type { ChainTrust } from './identity/confirmation.ts'
import type { IndexerStatus } from './status.ts'

/** Name of the writer lock. */
export const INDEXER_LOCK = 'indexer'

export interface IndexerOptions {
  readonly store: Store
  readonly rpc: Rpc
  /** Nodes with a longer history, for ledgers that `rpc` has dropped; null or absent: none. */
  readonly archive?: Rpc | null
  /** The deployment that is indexed. When it is replaced, the next step begins an epoch. */
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly pollIntervalMs: number
  /** First ledger of a new index; null: the RPC's oldest ledger. */
  readonly startLedger: number | null
  /** Trust in the network; by default as in a public one. */
  readonly trust?: ChainTrust
  readonly tracer?: Tracer
  /** True when changes of submissions belong in this log; by default they do. */
  readonly hasSubmissions?: boolean
  /** Called after events were archived. */
  readonly onArchived?: (events: readonly ArchivedEvent[]) => void
  /** Called with each change of the state, and with the progress of a catch-up. */
  readonly onStatus?: (status: IndexerStatus) => void
}
