// State that is read when metrics are scraped.

import type { NodeView } from '../chain/rpc/nodes.ts'
import type { LedgerTime } from '../base/ledger-clock.ts'
import type { ContractInterfaces } from '../exchange/contracts/contract-interface.ts'
import type { IndexerStatus } from '../indexer/status.ts'
import type { IndexSnapshotReader } from '../projections/state/index-snapshot.ts'

/** Resources that a gateway holds for its clients. All are bounded. */
export interface GatewayStats {
  readonly stream: {
    readonly connections: number
    readonly subscribers: number
    readonly accounts: number
    readonly replays: number
    readonly bufferedBytesMax: number
  }
  /** Requests waiting for the ledger in their X-Min-Ledger header. */
  readonly indexWaiters: number
  readonly submissions: { readonly inFlight: number; readonly waiters: number }
  readonly storedSubmissions: {
    /** By final state, in this process. */
    readonly ended: ReadonlyMap<string, number>
    /** Null: not counted yet. */
    readonly pending: number | null
    readonly oldestPendingSec: number | null
    /** False final states that were corrected, by this process. */
    readonly corrected: number
  }
  /** Comparisons of nodes by figure and result. */
  readonly agreement: ReadonlyMap<string, Readonly<Record<string, number>>>
  /** True if the shared request counts are available; null when they are not configured. */
  readonly sharedCounts: boolean | null
  /** Assets whose price cannot be read, or is older than the exchange accepts; null while unknown. */
  readonly stalePrices: number | null
  /** Of these, assets whose price can be read; null while unknown. */
  readonly unpublishedPrices: number | null
}

/** The sources in this process. */
export interface MetricSources {
  readonly index: IndexSnapshotReader
  readonly ledgerTime: LedgerTime
  readonly gateway: () => GatewayStats
  readonly indexer: () => IndexerStatus
  readonly interfaces: () => ContractInterfaces
  /** Reasons why the present manifests are not applied. */
  readonly manifestProblems: () => readonly string[]
  /** Queued calls by method. */
  readonly rpcQueues: () => ReadonlyMap<string, number>
  /** Queued statements. */
  readonly storeQueues: () => { readonly reads: number; readonly writes: number }
  /** The nodes in the order of the configuration. */
  readonly rpcNodes: () => readonly NodeView[]
}

