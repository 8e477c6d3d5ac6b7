// Selects the node to call, judged by the ledgers in the nodes' responses rather than by the health that they claim. The reasons:
// docs/decisions/choosing-a-node.md.

import { defined } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import type { LedgerClock } from '../../base/ledger-clock.ts'
import { assess, HEAD_TOLERANCE_LEDGERS, highestRecent, isExpired, reportedNear, HEAD_TTL_MS } from './chain-head.ts'
import type { Head } from './chain-head.ts'
import { orderNodes } from './node-order.ts'
import type { Criteria } from './node-order.ts'
import {
  createNodeState, exclude, isDueForProbe, isExcluded, isFaulty, isPaused, isUnresponsive, recordCall, recordLatency, reinstate, statusOf,
} from './node-state.ts'
import type { NodeState, NodeStatus, Observation } from './node-state.ts'

/** A node as the operator sees it. */
export interface NodeView {
  readonly status: NodeStatus
  /** The ledger of its last response; null before the first. */
  readonly ledger: number | null
  /** True for the node that calls try first. */
  readonly preferred: boolean
}

export interface Nodes {
  readonly count: number
  /** The head of the network; 0 while unknown. */
  head(): number
  /** Records what a response says about its node. `headAtRequest` is the head when the call began; 0: unknown. */
  observe(index: number, observation: Observation, headAtRequest: number): NodeStatus
  /** Records whether a node serves the gateway's network. Returns true when it has just turned out not to. */
  recordNetwork(index: number, isOurs: boolean): boolean
  /** Excludes a node that returned impossible data. Returns true unless it was excluded for that already. */
  recordFault(index: number): boolean
  /** Excludes a node that did not respond in time. Returns true unless it was excluded for that already. */
  recordSilence(index: number): boolean
  /** Records whether the node returned something readable. Failures in a row pause it. */
  recordCall(index: number, isFailure: boolean): void
  /** True while the node must not be called, after failures in a row. */
  isPaused(index: number): boolean
  /** Records how long a probe took. Only probes are compared, because they send the same request to every node. */
  recordLatency(index: number, tookMs: number): void
  /** Indexes of all nodes, best first. */
  order(preferred: number, criteria: Criteria): readonly number[]
  /** False for an excluded or paused node and for one of another network. */
  isUsable(index: number): boolean
  /** Nodes that have not been probed for a while, or whose exclusion has ended. */
  dueForProbe(): readonly number[]
  /** Records that a probe has ended, successfully or not. */
  recordProbe(index: number): void
  view(preferred: number): readonly NodeView[]
}

/** Tracks `count` nodes. Every ledger that a single node reports counts. `ledgerClock` gets the close times of credible responses. */
export function createNodes(count: number, clock: Clock, ledgerClock?: LedgerClock): Nodes {
  const nodes = Array.from({ length: count }, (_, index) => createNodeState(index))
  let head: Head | null = null

  function nodeAt(index: number): NodeState {
    return defined(nodes[index], `node ${index}`)
  }

  /** Compares the recent reports of all nodes with a head that was replaced. */
  function reassess({ ledger: headLedger }: Head, nowMs: number): void {
    for (const node of nodes) {
      const { lastObservation } = node
      if (lastObservation === null || nowMs - lastObservation.atMs >= HEAD_TTL_MS) continue
      if (lastObservation.ledger > headLedger) exclude(node, 'ahead', nowMs)
      else if (lastObservation.ledger < headLedger - HEAD_TOLERANCE_LEDGERS) exclude(node, 'lagging', nowMs)
      else reinstate(node, lastObservation.proven, nowMs)
    }
  }

  function replaceExpiredHead(nowMs: number): void {
    if (head === null || !isExpired(head, nowMs)) return
    head = highestRecent(nodes, nowMs)
    if (head !== null) reassess(head, nowMs)
  }

  /** A ledger that two nodes report counts, even if the first report alone did not. */
  function reinstateNear(ledger: number, nowMs: number): void {
    for (const node of nodes) {
      if (node.status === 'ahead' && reportedNear(node, ledger)) reinstate(node, node.lastObservation?.proven === true, nowMs)
    }
  }

  function order(preferred: number, criteria: Criteria): readonly number[] {
    return orderNodes(nodes, preferred, criteria)
  }

  return {
    count,
    head: () => head?.ledger ?? 0,
    observe(index, observation, headAtRequest) {
      const node = nodeAt(index)
      if (node.isWrongNetwork) return 'wrongNetwork'
      const nowMs = clock.elapsedMs()
      replaceExpiredHead(nowMs)
      const { status, head: assessed, change } = assess(head, nodes, { index, observation, headAtRequest, nowMs })
      head = assessed
      if (change === 'advanced') reinstateNear(observation.ledger, nowMs)
      if (change === 'lowered') reassess(assessed, nowMs)
      node.lastObservation = { ...observation, atMs: nowMs }
      if (status === 'healthy') reinstate(node, observation.proven, nowMs)
      else exclude(node, status, nowMs)
      if (status === 'healthy' && observation.closeSec !== null) ledgerClock?.observe({ ledger: observation.ledger, closeSec: observation.closeSec })
      return status
    },
    recordNetwork(index, isOurs) {
      const node = nodeAt(index)
      const isNews = !isOurs && !node.isWrongNetwork
      node.isWrongNetwork = !isOurs
      return isNews
    },
    recordFault(index) {
      const nowMs = clock.elapsedMs()
      const isNews = !isFaulty(nodeAt(index), nowMs)
      exclude(nodeAt(index), 'faulty', nowMs)
      return isNews
    },
    recordSilence(index) {
      const node = nodeAt(index)
      const nowMs = clock.elapsedMs()
      const isNews = !isUnresponsive(node, nowMs) && !isFaulty(node, nowMs)
      exclude(node, 'unresponsive', nowMs)
      return isNews
    },
    recordCall: (index, isFailure) => recordCall(nodeAt(index), isFailure, clock.elapsedMs()),
    isPaused: (index) => isPaused(nodeAt(index), clock.elapsedMs()),
    recordLatency: (index, tookMs) => recordLatency(nodeAt(index), tookMs),
    order,
    isUsable: (index) => !isExcluded(nodeAt(index)) && !nodeAt(index).isWrongNetwork && !isPaused(nodeAt(index), clock.elapsedMs()),
    dueForProbe() {
      const nowMs = clock.elapsedMs()
      return nodes.filter((node) => isDueForProbe(node, nowMs)).map(({ index }) => index)
    },
    recordProbe(index) {
      nodeAt(index).probedAtMs = clock.elapsedMs()
    },
    view(preferred) {
      const [first] = order(preferred, { tried: new Set(), sticky: false, minLedger: 0 })
      return nodes.map((node) => ({ status: statusOf(node), ledger: node.lastObservation?.ledger ?? null, preferred: node.index === first }))
    },
  }
}
