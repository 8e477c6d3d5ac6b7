// What is read off the parts when somebody asks for the metrics: nothing of it is counted on the way.

import type { NodeView } from '../chain/nodes.ts'
import type { IndexerStatus } from '../indexer/progress.ts'
import type { IndexSnapshotReader } from '../projections/index-snapshot.ts'

/** What a gateway holds for its clients right now; all of it is bounded. */
export interface GatewayStats {
  readonly stream: {
    readonly connections: number
    readonly subscribers: number
    readonly accounts: number
    readonly replays: number
    readonly bufferedBytesMax: number
  }
  /** Requests that wait for the ledger of their X-Min-Ledger. */
  readonly indexWaiters: number
  readonly submissions: { readonly flights: number; readonly waiters: number }
  /** Whether the counts that all instances share answer; null where nothing is shared. */
  readonly sharedCounts: boolean | null
  /** Assets without a fresh price; null while that is not known. */
  readonly stalePrices: number | null
}

/** The parts of this process; those that it does not run are left out. */
export interface MetricSources {
  readonly index: IndexSnapshotReader
  readonly gateway: () => GatewayStats
  readonly indexer: () => IndexerStatus
  /** Calls that wait for their turn, by method. */
  readonly rpcQueues: () => ReadonlyMap<string, number>
  /** Statements that wait for their turn. */
  readonly storeQueues: () => { readonly reads: number; readonly writes: number }
  /** How each node stands, in the order of the configuration. */
  readonly rpcNodes: () => readonly NodeView[]
}

