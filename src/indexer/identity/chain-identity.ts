// Which chain a node serves. A chain is identified by the hashes of its ledgers: a reset network keeps its passphrase, contract addresses and event ids.
// The reasons: docs/decisions/chain-identity.md.

import { MILLISECONDS_SINCE } from '../../base/protocol.ts'
import { areOrdered, closedAfter } from '../../chain/rpc/close-times.ts'
import type { ClosedLedger } from '../../chain/rpc/close-times.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { LedgerHeader } from '../../chain/codec/ledger-header.ts'
import type { LedgerRange } from '../../chain/rpc/responses.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Anchor, ReadAnchor } from '../../projections/state/anchors.ts'
import type { LedgerCloseTime } from '../../projections/state/index-state.ts'
import { BadPage } from '../pages/events-page.ts'

/** Ledgers that are read to identify a chain. Their responses contain whole ledgers, megabytes each on a busy network. */
export const HEADERS_PER_CHECK = 4

/** A node's ledger range; close times are null where it does not report them. */
export interface NodeRange {
  readonly latest: ClosedLedger | null
  readonly latestLedger: number
  readonly oldest: LedgerCloseTime | null
  readonly oldestLedger: number
}

/** The chain of a node: its ledgers, its last headers, and the shortest interval between ledgers of its network. */
export interface NodeChain {
  readonly range: NodeRange
  readonly tip: readonly LedgerHeader[]
  readonly minLedgerMs: number
}

/** The relation of a node's chain to one with known anchors. `unknown`: the node has none of the anchors, and nothing contradicts them. */
export type Relation = 'same' | 'other' | 'unknown'

/**
 * Reads the node's ledger range. A node whose latest ledger is old reports itself unhealthy and returns no range; then the range is read from its ledgers,
 * because they can still be indexed and the chain may have stopped for hours.
 */
export async function readRange(rpc: Rpc, options: CallOptions): Promise<NodeRange> {
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

/**
 * Reads the headers of consecutive ledgers, each of which contains the hash of the one before. Fewer than requested when the node does not have the last
 * ones, none when it does not have the first. Throws RpcFailure, or BadPage when they do not chain.
 */
export async function readHeaders(rpc: Rpc, range: { readonly from: number; readonly to: number }, options: CallOptions): Promise<readonly LedgerHeader[]> {
  const limit = range.to - range.from + 1
  const ledgers = await requestLedgers(rpc, { startLedger: range.from, limit }, options)
  if (ledgers.length > limit) throw new BadPage('broken_chain', 'the node returned more ledgers than requested')
  for (const [index, ledger] of ledgers.entries()) {
    if (ledger.sequence !== range.from + index) throw new BadPage('broken_chain', 'the node returned other ledgers than requested')
    const before = ledgers[index - 1]
    if (before === undefined) continue
    if (ledger.previousHash !== before.hash) throw new BadPage('broken_chain', 'a ledger does not contain the hash of the previous one')
    if (!closedAfter(before, ledger)) throw new BadPage('broken_chain', 'a ledger closed no later than the previous one')
  }
  return ledgers
}

async function requestLedgers(
  rpc: Rpc, request: { readonly startLedger: number; readonly limit: number }, options: CallOptions,
): Promise<readonly LedgerHeader[]> {
  try {
    return (await rpc.getLedgers(request, options)).ledgers
  } catch (error) {
    // The ledger is outside the node's range.
    if (error instanceof RpcFailure && error.kind === 'rpc' && !error.retryable) return []
    throw error
  }
}

/** Reads the header of one ledger; undefined when the node does not have it. Throws as `readHeaders` does. */
export async function readHeader(rpc: Rpc, ledger: number, options: CallOptions): Promise<LedgerHeader | undefined> {
  const [header] = await readHeaders(rpc, { from: ledger, to: ledger }, options)
  return header
}

/** The node's last headers. Throws BadPage when the node does not have the ledger that it reports as its latest. */
export async function readTip(rpc: Rpc, { latest, latestLedger, oldestLedger }: NodeRange, options: CallOptions): Promise<readonly LedgerHeader[]> {
  const headers = await readHeaders(rpc, { from: Math.max(oldestLedger, latestLedger - HEADERS_PER_CHECK + 1), to: latestLedger }, options)
  const tip = headers.at(-1)
  if (tip?.sequence !== latestLedger) throw new BadPage('missing_ledger', 'the node does not have its latest ledger')
  if (latest !== null && tip.closeSec !== latest.closeSec) throw new BadPage('close_time_mismatch', 'the latest close time is not in its ledger\'s header')
  return headers
}

/**
 * Compares a node's chain with anchors, newest first. Reads at most one ledger. Without a common ledger, headers can still contradict the newest anchor: on one
 * chain, close times rise with ledgers.
 */
export async function relate(rpc: Rpc, anchors: readonly Anchor[], { range, tip, minLedgerMs }: NodeChain, options: CallOptions): Promise<Relation> {
  const { oldestLedger, latestLedger } = range
  const common = anchors.find(({ ledger }) => ledger >= oldestLedger && ledger <= latestLedger)
  if (common === undefined) return contradicts(anchors[0], tip.at(-1), minLedgerMs) ? 'other' : 'unknown'
  const header = tip.find(({ sequence }) => sequence === common.ledger) ?? (await readHeader(rpc, common.ledger, options))
  if (header === undefined) return 'unknown'
  return header.hash === common.hash ? 'same' : 'other'
}

/** True if an anchor and a header, of different ledgers, cannot be from one chain. */
function contradicts(anchor: Anchor | undefined, header: LedgerHeader | undefined, minLedgerMs: number): boolean {
  if (anchor === undefined || anchor.closeSec === null || header === undefined) return false
  return !areOrdered(closedLedger(anchor, anchor.closeSec), closedLedger(toAnchor(header), header.closeSec), minLedgerMs)
}

/** The close time of an anchor. The ledger that upgrades to protocol 30 is the last with only seconds; a later one may have milliseconds that were not read. */
export function closedLedger({ ledger, closeMs, protocol }: Anchor, closeSec: number): ClosedLedger {
  const isKnown = closeMs !== null || (protocol !== null && protocol <= MILLISECONDS_SINCE)
  return { ledger, closeSec, ...(isKnown ? { closeMs } : {}) }
}

export function toAnchor({ sequence, hash, previousHash, closeSec, closeMs, protocol, newer }: LedgerHeader): ReadAnchor {
  return { ledger: sequence, hash, previousHash, closeSec, closeMs, protocol, newer }
}
