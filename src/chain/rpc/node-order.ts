// The order in which a call tries the nodes. Pure.

import { statusOf } from './node-state.ts'
import type { NodeState, NodeStatus } from './node-state.ts'

/** The requirements of a call for its node. */
export interface Criteria {
  /** Nodes that the call has tried; they come last. */
  readonly tried: ReadonlySet<number>
  /** Stays with the preferred node even when another is faster. */
  readonly sticky: boolean
  /** The minimum ledger of the response; 0: any. */
  readonly minLedger: number
}

/** A node replaces the preferred one when its probes take less than half as long and the difference is significant. */
const FASTER_FACTOR = 2
const FASTER_MIN_MS = 50

/** Lower is better. */
const RANKS: Readonly<Record<NodeStatus, number>> = { healthy: 0, unknown: 0, lagging: 1, ahead: 2, faulty: 2, unresponsive: 2, wrongNetwork: 3 }
const TRIED_PENALTY = 10

/** Indexes of all nodes, best first. Among equals the preferred node comes first, then those that follow it in the configured list. */
export function orderNodes(nodes: readonly NodeState[], preferred: number, criteria: Criteria): readonly number[] {
  const { tried, sticky, minLedger } = criteria
  const rank = (node: NodeState): number => (tried.has(node.index) ? TRIED_PENALTY : 0) + RANKS[statusOf(node)]
  const missesMinLedger = (node: NodeState): number => (minLedger > 0 && (node.lastObservation?.ledger ?? 0) >= minLedger ? 0 : 1)
  const current = nodes[preferred]
  const latency = (node: NodeState): number => {
    const mayReplace = !sticky && current !== undefined && rank(current) === rank(node) && isMuchFaster(node, current)
    return mayReplace ? node.latencyMs ?? Number.POSITIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  const distance = ({ index }: NodeState): number => (index - preferred + nodes.length) % nodes.length
  return nodes
    .toSorted((a, b) =>
      rank(a) - rank(b) || missesMinLedger(a) - missesMinLedger(b) || leastLagging(a, b) || compare(latency(a), latency(b)) || distance(a) - distance(b))
    .map(({ index }) => index)
}

function isMuchFaster(node: NodeState, current: NodeState): boolean {
  if (current.latencyMs === null || node.latencyMs === null) return false
  return node.latencyMs * FASTER_FACTOR < current.latencyMs && current.latencyMs - node.latencyMs >= FASTER_MIN_MS
}

/** The one with the higher ledger comes first when both nodes lag. */
function leastLagging(a: NodeState, b: NodeState): number {
  return a.status === 'lagging' && b.status === 'lagging' ? (b.lastObservation?.ledger ?? 0) - (a.lastObservation?.ledger ?? 0) : 0
}

/** Also compares infinities, whose difference is not a number. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b
}
