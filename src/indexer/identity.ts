// Decides whether a node still serves the indexed chain. A reset network keeps its passphrase, contract addresses and event ids; only close times differ.
// On one chain close times rise with ledgers, so two ledgers that break this rule are from two chains.

import type { LedgerRange, LedgerSummary } from '../chain/responses.ts'
import { RpcFailure } from '../chain/failure.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { IndexCursor, LedgerHash, LedgerCloseTime } from '../projections/index-state.ts'

/** The ends of a node's ledger range; null where it reports no close time. */
export interface NodeRange {
  readonly latest: LedgerCloseTime | null
  readonly oldest: LedgerCloseTime | null
}

/** A range that was requested from the node. */
export interface FullRange extends NodeRange {
  readonly latestLedger: number
  readonly oldestLedger: number
}

/**
 * How reported close times contradict a known one: a ledger that is not higher closed `later`, or one that is not lower closed `earlier`. Undefined when all
 * can be from one chain; a lagging node contradicts nothing.
 * NOTE: a new chain that outgrew the known ledger and dropped it again (a week of ledgers without polling) is mistaken for the old one.
 */
export function findContradiction(known: LedgerCloseTime | null, reported: readonly (LedgerCloseTime | null)[]): 'later' | 'earlier' | undefined {
  if (known === null) return undefined
  const closeTimes = reported.filter((closeTime) => closeTime !== null)
  if (closeTimes.some(({ ledger, closeSec }) => ledger <= known.ledger && closeSec > known.closeSec)) return 'later'
  return closeTimes.some(({ ledger, closeSec }) => ledger >= known.ledger && closeSec < known.closeSec) ? 'earlier' : undefined
}

/** The result of checking a node's chain. */
export type ChainCheck =
  | 'same'
  /** The network was reset: a new epoch begins. */
  | 'reset'
  /** An earlier chain, from a stuck node or a cache. Nothing it returns may be used. */
  | 'stale'

/** One ledger as it was indexed, and as the node has it now. */
export interface LedgerComparison {
  readonly known: LedgerCloseTime
  readonly reported: LedgerCloseTime
}

/** Whether the node has the anchor ledger with the known hash. A different hash proves another chain, but not which of the two is newer. */
export type HashComparison = 'same' | 'other' | 'unknown'

/** What a node reported about its chain. */
export interface ChainEvidence<Range extends NodeRange = NodeRange> {
  readonly range: Range
  /** A known ledger, read after the range. */
  readonly ledger?: LedgerComparison | undefined
  readonly anchor?: HashComparison | undefined
}

/** What the database knows of the indexed chain. */
export type IndexedChain = Pick<IndexCursor, 'epoch' | 'seen'>

/** Compares what nodes report with the indexed chain. */
export interface ChainMonitor {
  /** Remembers the range of the chain that this epoch indexes. */
  track(epoch: number, range: NodeRange): void
  /** True when this range can belong to the indexed chain. */
  matches(indexed: IndexedChain, range: NodeRange): boolean
  check(indexed: IndexedChain, evidence: ChainEvidence): ChainCheck
}

/**
 * A chain with later close times than the indexed one is a reset. A chain with earlier close times may be stale; it counts as a reset once it closes new
 * ledgers, as a local network does after a snapshot is restored.
 */
export function createChainMonitor(): ChainMonitor {
  /** The oldest ledger of an epoch's chain when tracking began. Ignored when the database has moved to another epoch: our own commit may have been lost. */
  let tracked: { readonly epoch: number; readonly oldest: LedgerCloseTime | null } | undefined
  /** The latest ledger of a chain that looked stale. */
  let suspect: LedgerCloseTime | null = null

  function contradiction({ epoch, seen }: IndexedChain, { latest, oldest }: NodeRange): 'later' | 'earlier' | undefined {
    const first = tracked?.epoch === epoch ? tracked.oldest : null
    return findContradiction(seen, [latest, oldest]) ?? findContradiction(first, [latest, oldest])
  }

  return {
    track(epoch, { oldest }) {
      tracked = { epoch, oldest }
      suspect = null
    },
    matches: (indexed, range) => contradiction(indexed, range) === undefined,
    check(indexed, { range, ledger, anchor }) {
      const found = contradiction(indexed, range) ??
        (ledger === undefined ? undefined : findContradiction(ledger.known, [ledger.reported])) ??
        (anchor === 'other' ? 'earlier' : undefined)
      if (found === undefined) {
        suspect = null
        return 'same'
      }
      const hasGrown = suspect !== null && range.latest !== null && range.latest.ledger > suspect.ledger && range.latest.closeSec > suspect.closeSec
      if (found === 'later' || hasGrown) return 'reset'
      suspect ??= range.latest
      return 'stale'
    },
  }
}

/**
 * Reads the node's ledger range. A node whose latest ledger is old reports itself unhealthy and returns no range; then the range is read from its ledgers,
 * because they can still be indexed and the chain may have stopped for hours.
 */
export async function readRange(rpc: Rpc, options: CallOptions): Promise<FullRange> {
  const { latestLedger, latestLedgerCloseSec, oldestLedger, oldestLedgerCloseSec } = await requestRange(rpc, options)
  return {
    latestLedger,
    oldestLedger,
    latest: latestLedgerCloseSec === null ? null : { ledger: latestLedger, closeSec: latestLedgerCloseSec },
    oldest: oldestLedgerCloseSec === null ? null : { ledger: oldestLedger, closeSec: oldestLedgerCloseSec },
  }
}

async function requestRange(rpc: Rpc, options: CallOptions): Promise<LedgerRange> {
  try {
    return await rpc.getHealth(options)
  } catch (error) {
    if (!(error instanceof RpcFailure) || error.kind !== 'rpc') throw error
    const sameNode = error.endpoint === undefined ? options : { ...options, endpoint: error.endpoint }
    return await rpc.getLedgers({ startLedger: await rpc.getLatestLedger(sameNode), limit: 1 }, sameNode)
  }
}

/** Compares the hash of the anchor ledger. Throws RpcFailure. */
export async function compareHash(rpc: Rpc, anchor: LedgerHash | null, options: CallOptions): Promise<HashComparison> {
  const reported = anchor === null ? undefined : await readLedger(rpc, anchor.ledger, options)
  if (reported === undefined || anchor === null) return 'unknown'
  return reported.hash === anchor.hash ? 'same' : 'other'
}

/** Reads a ledger; undefined when the node does not have it. Throws RpcFailure. */
export async function readLedger(rpc: Rpc, ledger: number, options: CallOptions): Promise<LedgerSummary | undefined> {
  try {
    const { ledgers: [found] } = await rpc.getLedgers({ startLedger: ledger, limit: 1 }, options)
    return found?.sequence === ledger ? found : undefined
  } catch (error) {
    // The ledger is outside the node's range.
    if (error instanceof RpcFailure && error.kind === 'rpc' && !error.retryable) return undefined
    throw error
  }
}

/** Reads a known ledger for comparison; undefined when the node does not have it. Throws RpcFailure. */
export async function compareLedger(rpc: Rpc, known: LedgerCloseTime | null, options: CallOptions): Promise<LedgerComparison | undefined> {
  const reported = known === null ? undefined : await readLedger(rpc, known.ledger, options)
  return reported === undefined || known === null ? undefined : { known, reported: { ledger: reported.sequence, closeSec: reported.closeSec } }
}
