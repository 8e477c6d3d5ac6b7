// Is this still the chain that was indexed? A reset network has the same passphrase, the same addresses and the same ids; only its times tell: on one chain
// close times rise with ledgers, so two moments that do not are of two chains.

import type { LedgerRange, LedgerSummary } from '../chain/responses.ts'
import { RpcFailure } from '../chain/failure.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { IndexCursor, LedgerHash, LedgerCloseTime } from '../projections/index-state.ts'

/** A node's range, as far as it tells close times. */
export interface NodeRange {
  readonly latest: LedgerCloseTime | null
  readonly oldest: LedgerCloseTime | null
}

/** A range that was asked for. */
export interface FullRange extends NodeRange {
  readonly latestLedger: number
  readonly oldestLedger: number
}

/**
 * How some moments of a node contradict one of the indexed chain: it closed a ledger no higher and yet `later`, or one no lower and yet `earlier`. Undefined
 * when they can be of one chain, as those of a node that merely lags can.
 * NOTE: a new chain that has outgrown every known moment and dropped those ledgers again, a week of ledgers unwatched, is taken for the old one.
 */
export function findContradiction(known: LedgerCloseTime | null, told: readonly (LedgerCloseTime | null)[]): 'later' | 'earlier' | undefined {
  if (known === null) return undefined
  const moments = told.filter((moment) => moment !== null)
  if (moments.some(({ ledger, closeSec }) => ledger <= known.ledger && closeSec > known.closeSec)) return 'later'
  return moments.some(({ ledger, closeSec }) => ledger >= known.ledger && closeSec < known.closeSec) ? 'earlier' : undefined
}

/** What a look at the node has told about its chain. */
export type ChainCheck =
  | 'same'
  /** It is another one: a new epoch begins. */
  | 'another'
  /** It is the one that was left: a node that stands still, or an answer out of some cache. Nothing of it is to be believed. */
  | 'left'

/** Compares what nodes tell with what is known of the indexed chain. */
export interface ChainMonitor {
  /** The chain that this epoch indexes, as far as the node told. */
  track(epoch: number, range: NodeRange): void
  /** True when these moments can be of the indexed chain. */
  matches(indexed: IndexedChain, told: NodeRange): boolean
  /** Judges a fresh range, and a ledger that was asked for beside it. */
  check(indexed: IndexedChain, range: NodeRange, beside?: LedgerComparison, anchor?: HashComparison): ChainCheck
}

/** What the database says of the indexed chain. */
export type IndexedChain = Pick<IndexCursor, 'epoch' | 'seen'>

/** One ledger as it was indexed, and as the node has it now. */
export interface LedgerComparison {
  readonly known: LedgerCloseTime
  readonly reported: LedgerCloseTime
}

/** Whether the node has the ledger by which the chain is known under the same hash. A hash tells that chains differ, and not which is the newer one. */
export type HashComparison = 'same' | 'other' | 'unknown'

/**
 * A chain whose times are later than those that were indexed is a reset. One whose times are earlier may be an answer of the chain that was left; it is
 * believed
 * when it goes on closing ledgers, as a local network does that was put back to a snapshot.
 */
export function createChainMonitor(): ChainMonitor {
  /**
   * The oldest ledger that the chain of an epoch had when it was first seen. Of another epoch than the database's it means nothing: a commit may be lost to
   * us.
   */
  let anchor: { readonly epoch: number; readonly oldest: LedgerCloseTime | null } | undefined
  /** The latest ledger of a chain that seemed to be one that was left. */
  let suspect: LedgerCloseTime | null = null

  function contradiction({ epoch, seen }: IndexedChain, { latest, oldest }: NodeRange): 'later' | 'earlier' | undefined {
    const first = anchor?.epoch === epoch ? anchor.oldest : null
    return findContradiction(seen, [latest, oldest]) ?? findContradiction(first, [latest, oldest])
  }

  return {
    track(epoch, { oldest }) {
      anchor = { epoch, oldest }
      suspect = null
    },
    matches: (indexed, told) => contradiction(indexed, told) === undefined,
    check(indexed, range, beside, anchor) {
      const found = contradiction(indexed, range) ??
        (beside === undefined ? undefined : findContradiction(beside.known, [beside.reported])) ??
        (anchor === 'other' ? 'earlier' : undefined)
      if (found === undefined) {
        suspect = null
        return 'same'
      }
      const goesOn = suspect !== null && range.latest !== null && range.latest.ledger > suspect.ledger && range.latest.closeSec > suspect.closeSec
      if (found === 'later' || goesOn) return 'another'
      suspect ??= range.latest
      return 'left'
    },
  }
}

/**
 * The node's range. A node whose latest ledger is old calls itself unhealthy and tells no range: then its ledgers tell it, because what it has can be indexed
 * as well as ever, and the chain may stand still for hours.
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
    const same = error.endpoint === undefined ? options : { ...options, endpoint: error.endpoint }
    return await rpc.getLedgers({ startLedger: await rpc.getLatestLedger(same), limit: 1 }, same)
  }
}

/** Compares the ledger by which the chain is known. Throws RpcFailure. */
export async function compareHash(rpc: Rpc, anchor: LedgerHash | null, options: CallOptions): Promise<HashComparison> {
  const told = anchor === null ? undefined : await readLedger(rpc, anchor.ledger, options)
  if (told === undefined || anchor === null) return 'unknown'
  return told.hash === anchor.hash ? 'same' : 'other'
}

/** A ledger as the node has it; undefined when it does not have it. Throws RpcFailure. */
export async function readLedger(rpc: Rpc, ledger: number, options: CallOptions): Promise<LedgerSummary | undefined> {
  try {
    const { ledgers: [found] } = await rpc.getLedgers({ startLedger: ledger, limit: 1 }, options)
    return found?.sequence === ledger ? found : undefined
  } catch (error) {
    // Outside the node's range: nothing can be said.
    if (error instanceof RpcFailure && error.kind === 'rpc' && !error.retryable) return undefined
    throw error
  }
}

/** A known ledger as the node has it; undefined when it does not have it. Throws RpcFailure. */
export async function compareLedger(rpc: Rpc, known: LedgerCloseTime | null, options: CallOptions): Promise<LedgerComparison | undefined> {
  const told = known === null ? undefined : await readLedger(rpc, known.ledger, options)
  return told === undefined || known === null ? undefined : { known, reported: { ledger: told.sequence, closeSec: told.closeSec } }
}
