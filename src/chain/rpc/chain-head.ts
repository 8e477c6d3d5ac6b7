// The head of the network, inferred from the ledgers that its nodes report. Pure. The reasons: docs/decisions/choosing-a-node.md.

import { BURST_LEDGERS, MIN_LEDGER_MS } from './close-times.ts'
import type { NodeState, Observation } from './node-state.ts'

/** The highest ledger that the network can have reached, as far as known. */
export interface Head {
  readonly ledger: number
  readonly closeSec: number | null
  /** Time of its last move. */
  readonly sinceMs: number
  /** The node that reported it. */
  readonly by: number
  /** Number of times that it has advanced. From TRUSTED_MOVES on, a close time can no longer contradict it. */
  readonly moves: number
}

/** The status of the node that made an observation, and the head after it. */
export interface Assessment {
  readonly status: 'healthy' | 'lagging' | 'ahead'
  readonly head: Head
  /** `advanced`: nodes that were ahead may be right now. `lowered`: the head was wrong, so every node's status must be assessed again. */
  readonly change: 'none' | 'advanced' | 'lowered'
}

/** Nodes close their ledgers a moment apart: up to this many below the head is healthy. */
export const HEAD_TOLERANCE_LEDGERS = 2
/** A head that has not moved for this long is replaced by the highest recent report: the network may have been reset, or the head may have been wrong. */
export const HEAD_TTL_MS = 60_000
/** The head is trusted when another node confirms it, or after this many advances. */
const TRUSTED_MOVES = 3

export function isExpired(head: Head, nowMs: number): boolean {
  return nowMs - head.sinceMs >= HEAD_TTL_MS
}

/** The highest recent report, not trusted yet: if it is from before a reset, the close times of the new chain will contradict it. */
export function highestRecent(nodes: readonly NodeState[], nowMs: number): Head | null {
  let highest: Head | null = null
  for (const node of nodes) {
    const { lastObservation } = node
    if (!isRecent(node, nowMs) || lastObservation === null) continue
    const { ledger, closeSec } = lastObservation
    if (highest === null || ledger > highest.ledger) highest = { ledger, closeSec, sinceMs: nowMs, by: node.index, moves: 0 }
  }
  return highest
}

/** Assesses the observation of one node. `headAtRequest` is the head's ledger when its call began; 0: there was none. */
export function assess(
  head: Head | null,
  nodes: readonly NodeState[],
  reported: { readonly index: number; readonly observation: Observation; readonly headAtRequest: number; readonly nowMs: number },
): Assessment {
  const { index, observation: { ledger, closeSec }, headAtRequest, nowMs } = reported
  const own = { ledger, closeSec, sinceMs: nowMs, by: index }
  if (head === null) return { status: 'healthy', head: { ...own, moves: 0 }, change: 'none' }
  if (ledger > head.ledger) {
    if (nodes.length > 1 && !isCredible(nodes, index, ledger, head, nowMs)) return { status: 'ahead', head, change: 'none' }
    return { status: 'healthy', head: { ...own, moves: head.moves + 1 }, change: 'advanced' }
  }
  // A response may take long, so it is compared with the head at the time of its request.
  const asOf = headAtRequest === 0 ? head.ledger : Math.min(head.ledger, headAtRequest)
  if (ledger >= asOf - HEAD_TOLERANCE_LEDGERS) return { status: 'healthy', head: confirmed(head, index, ledger, closeSec), change: 'none' }
  if (head.moves >= TRUSTED_MOVES || !contradicts(head, ledger, closeSec)) return { status: 'lagging', head, change: 'none' }
  // In doubt the lower report wins: a head that is too low excludes a good node for a while, one that is too high makes every response look stale.
  return { status: 'healthy', head: { ...own, moves: 0 }, change: 'lowered' }
}

function confirmed(head: Head, index: number, ledger: number, closeSec: number | null): Head {
  return {
    ...head,
    moves: index === head.by ? head.moves : TRUSTED_MOVES,
    closeSec: ledger === head.ledger ? head.closeSec ?? closeSec : head.closeSec,
  }
}

/** True when the time since the last advance allows the ledger, or another node has reported one near it. */
function isCredible(nodes: readonly NodeState[], index: number, ledger: number, head: Head, nowMs: number): boolean {
  if (ledger - head.ledger <= BURST_LEDGERS + (nowMs - head.sinceMs) / MIN_LEDGER_MS) return true
  return nodes.some((node) => node.index !== index && isRecent(node, nowMs) && reportedNear(node, ledger))
}

/** Ledgers are seconds apart: of two reports with nearly the same time and ledgers far apart, one must be wrong. */
function contradicts(head: Head, ledger: number, closeSec: number | null): boolean {
  if (closeSec === null || head.closeSec === null) return false
  return head.ledger - ledger > BURST_LEDGERS + Math.max(0, head.closeSec - closeSec) * (1_000 / MIN_LEDGER_MS)
}

/** True when the node's last report is recent and from the right network. */
function isRecent({ isWrongNetwork, lastObservation }: NodeState, nowMs: number): boolean {
  return !isWrongNetwork && lastObservation !== null && nowMs - lastObservation.atMs < HEAD_TTL_MS
}

/** True when the node's last report is close to the ledger. */
export function reportedNear({ lastObservation }: NodeState, ledger: number): boolean {
  return lastObservation !== null && Math.abs(lastObservation.ledger - ledger) <= BURST_LEDGERS
}
