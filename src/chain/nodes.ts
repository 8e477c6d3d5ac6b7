// Which of several nodes is to be asked: judged by the ledgers that their answers prove, not by what they say of their health. Why it is done this way:
// docs/decisions/choosing-a-node.md.

import { defined } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'

/** How a node stands to the others. */
export type NodeStatus =
  /** It has not told a ledger yet. */
  | 'unknown'
  | 'healthy'
  | 'lagging'
  /** It tells of a ledger that the network cannot have come to. */
  | 'ahead'
  /** It serves another network. */
  | 'wrongNetwork'

/** What an answer tells of where its node stands. */
export interface Observation {
  readonly ledger: number
  /** Unix seconds; null where the method does not tell it. */
  readonly closeSec: number | null
  /** Whether the ledger itself was read: getHealth only says so, and a node behind a balancer has been seen to say more than it then had. */
  readonly proven: boolean
}

/** A node as the operator sees it. */
export interface NodeView {
  readonly status: NodeStatus
  /** The ledger that its last answer told; null while it has told none. */
  readonly ledger: number | null
  /** Whether it is the one that is asked first. */
  readonly preferred: boolean
}

/** What a call wants of its node. */
export interface Criteria {
  /** The nodes that it has asked; they come after all others. */
  readonly tried: ReadonlySet<number>
  /** A faster node is no reason to leave the preferred one. */
  readonly sticky: boolean
  /** The least ledger of its answer; 0: any. */
  readonly minLedger: number
}

export interface Nodes {
  /** The highest ledger that is believed of the network; 0 while nothing is known. */
  head(): number
  /** A node answered a call that was begun when the front stood at `askedAt`; 0: when there was none. */
  observe(index: number, told: Observation, askedAt: number): NodeStatus
  readonly count: number
  /** Which network a node serves was looked at; true when it has just turned out to be another one. */
  recordNetwork(index: number, isOurs: boolean): boolean
  /** A probe took so long. Only probes are compared: the same question to every node. */
  recordLatency(index: number, tookMs: number): void
  /** All nodes, the one to ask first in front. */
  order(preferred: number, wish: Criteria): readonly number[]
  /** False for a node that was left. */
  isUsable(index: number): boolean
  /** Nodes that were not probed for a while, or whose pause is over. */
  dueForProbe(): readonly number[]
  /** A probe has ended, whether it was answered or not. */
  recordProbe(index: number): void
  view(preferred: number): readonly NodeView[]
}

/** Nodes that close their ledgers a moment apart are at the front all the same. */
export const HEAD_TOLERANCE_LEDGERS = 2
/** A ledger takes longer than this on every network that has several nodes. */
const MIN_LEDGER_MS = 1_000
/** A claim may be above what time allows by so much, and is then believed. */
export const LEAP_SLACK_LEDGERS = 50
/** When the front has not moved for so long it is looked for anew among what the nodes say: the network may have been reset, or the front been a lie. */
export const HEAD_TTL_MS = 60_000
/** A node that was left is asked again after this long, doubled each time in vain. */
export const EXCLUSION_MIN_MS = 5_000
export const EXCLUSION_MAX_MS = 300_000
/** Every node is probed so often, those that are left more often. */
export const PROBE_EVERY_MS = 30_000
/** The front is trusted when another node confirms it, or after it has moved so often as time allows it. */
const TRUSTED_MOVES = 3
/** A node is faster when its probes take less than half as long, and the difference is worth a change. */
const FASTER_FACTOR = 2
const FASTER_MIN_MS = 50
/** The weight of the newest probe in a node's latency. */
const NEWEST_WEIGHT = 0.3

interface Node {
  readonly index: number
  status: NodeStatus
  claim: (Observation & { readonly atMs: number }) | null
  isForeign: boolean
  /** 0 while nothing is held against it. After it was left the pause stays until the node has proven itself. */
  pauseMs: number
  returnAtMs: number
  probedAtMs: number
  latencyMs: number | null
}

interface Front {
  ledger: number
  closeSec: number | null
  /** When it last moved. */
  sinceMs: number
  by: number
  moves: number
}

/** Keeps the standing of `count` nodes. With one node there is no choice, and whatever it tells is the front. */
export function createNodes(count: number, clock: Clock): Nodes {
  const nodes = Array.from({ length: count }, (_, index): Node => ({
    index, status: 'unknown', claim: null, isForeign: false, pauseMs: 0, returnAtMs: 0, probedAtMs: Number.NEGATIVE_INFINITY, latencyMs: null,
  }))
  let front: Front | null = null

  function nodeAt(index: number): Node {
    return defined(nodes[index], `node ${index}`)
  }

  function moveFront(ledger: number, closeSec: number | null, by: number, moves: number): void {
    front = { ledger, closeSec, sinceMs: clock.elapsedMs(), by, moves }
  }

  /** Everybody's last claim against a front that was found anew. */
  function judgeAnew(): void {
    for (const node of nodes) {
      if (node.claim === null || front === null || clock.elapsedMs() - node.claim.atMs >= HEAD_TTL_MS) continue
      const { ledger } = node.claim
      if (ledger > front.ledger) exclude(node, 'ahead')
      else if (ledger < front.ledger - HEAD_TOLERANCE_LEDGERS) exclude(node, 'lagging')
      else reinstate(node, node.claim.proven)
    }
  }

  /** The highest of what was heard lately, without trust: if it is a chain that was left by a reset, the times of the new one will contradict it. */
  function expire(): void {
    const nowMs = clock.elapsedMs()
    if (front === null || nowMs - front.sinceMs < HEAD_TTL_MS) return
    front = null
    const heard = nodes.filter(({ claim, isForeign }) => !isForeign && claim !== null && nowMs - claim.atMs < HEAD_TTL_MS)
    const best = heard.sort(highestFirst)[0]
    if (best?.claim === null || best === undefined) return
    moveFront(best.claim.ledger, best.claim.closeSec, best.index, 0)
    judgeAnew()
  }

  function isCredible(index: number, ledger: number, now: Front): boolean {
    const nowMs = clock.elapsedMs()
    if (ledger - now.ledger <= LEAP_SLACK_LEDGERS + (nowMs - now.sinceMs) / MIN_LEDGER_MS) return true
    return nodes.some(({ index: other, claim, isForeign }) =>
      other !== index && !isForeign && claim !== null && nowMs - claim.atMs < HEAD_TTL_MS && Math.abs(claim.ledger - ledger) <= LEAP_SLACK_LEDGERS)
  }

  /** Ledgers lie seconds apart: two nodes that tell nearly the same time and ledgers far apart cannot both be right. */
  function contradicts(now: Front, ledger: number, closeSec: number | null): boolean {
    if (closeSec === null || now.closeSec === null) return false
    return now.ledger - ledger > LEAP_SLACK_LEDGERS + Math.max(0, now.closeSec - closeSec) * (1_000 / MIN_LEDGER_MS)
  }

  function judge(index: number, { ledger, closeSec }: Observation, askedAt: number): 'healthy' | 'lagging' | 'ahead' {
    expire()
    if (front === null) {
      moveFront(ledger, closeSec, index, 0)
      return 'healthy'
    }
    if (ledger > front.ledger) {
      if (count > 1 && !isCredible(index, ledger, front)) return 'ahead'
      moveFront(ledger, closeSec, index, front.moves + 1)
      for (const node of nodes) {
        // What was not believed of one is believed of two.
        if (node.status === 'ahead' && node.claim !== null && Math.abs(node.claim.ledger - ledger) <= LEAP_SLACK_LEDGERS) reinstate(node, node.claim.proven)
      }
      return 'healthy'
    }
    // An answer may take long; it is held against what was known when it was asked for.
    const asOf = askedAt === 0 ? front.ledger : Math.min(front.ledger, askedAt)
    if (ledger >= asOf - HEAD_TOLERANCE_LEDGERS) {
      if (index !== front.by) front.moves = TRUSTED_MOVES
      if (ledger === front.ledger) front.closeSec ??= closeSec
      return 'healthy'
    }
    if (front.moves >= TRUSTED_MOVES || !contradicts(front, ledger, closeSec)) return 'lagging'
    // In doubt the lower one is believed: a front too low leaves a good node unasked for a while, one too high makes every answer look old.
    moveFront(ledger, closeSec, index, 0)
    judgeAnew()
    return 'healthy'
  }

  function exclude(node: Node, standing: 'lagging' | 'ahead'): void {
    const nowMs = clock.elapsedMs()
    const isNews = node.status !== standing || nowMs >= node.returnAtMs
    node.status = standing
    if (!isNews) return
    node.pauseMs = Math.min(EXCLUSION_MAX_MS, node.pauseMs === 0 ? EXCLUSION_MIN_MS : node.pauseMs * 2)
    node.returnAtMs = nowMs + node.pauseMs
  }

  /** What a node proves counts at once. What it only says counts when its pause is over, and the pause is remembered until it has proven it. */
  function reinstate(node: Node, isProven: boolean): void {
    const isLeft = node.status === 'lagging' || node.status === 'ahead'
    if (isLeft && !isProven && clock.elapsedMs() < node.returnAtMs) return
    node.status = 'healthy'
    if (isProven) node.pauseMs = 0
  }

  /** The lower, the better. */
  function rank(node: Node, tried: ReadonlySet<number>): number {
    return (tried.has(node.index) ? 10 : 0) + RANKS[node.isForeign ? 'wrongNetwork' : node.status]
  }

  /** Those of the best rank, the one to ask first in front. */
  function bestFirst(best: readonly Node[], preferred: number, { sticky, minLedger }: Criteria): readonly Node[] {
    const own = best.find(({ index }) => index === preferred)
    const hasArrived = ({ claim }: Node): number => (minLedger > 0 && claim !== null && claim.ledger >= minLedger ? 0 : 1)
    const isMuchFaster = (node: Node): boolean =>
      own !== undefined && own.latencyMs !== null && node.latencyMs !== null
      && node.latencyMs * FASTER_FACTOR < own.latencyMs && own.latencyMs - node.latencyMs >= FASTER_MIN_MS
    const slowness = (node: Node): number => (sticky || !isMuchFaster(node) ? Number.POSITIVE_INFINITY : node.latencyMs ?? Number.POSITIVE_INFINITY)
    return best.toSorted((a, b) =>
      hasArrived(a) - hasArrived(b) || byLedger(a, b) || compare(slowness(a), slowness(b)) || distance(preferred, a) - distance(preferred, b))
  }

  function distance(from: number, { index }: Node): number {
    return (index - from + count) % count
  }

  function order(preferred: number, wish: Criteria): readonly number[] {
    const ranks = [...new Set(nodes.map((node) => rank(node, wish.tried)))].sort((a, b) => a - b)
    return ranks.flatMap((one) => bestFirst(nodes.filter((node) => rank(node, wish.tried) === one), preferred, wish)).map(({ index }) => index)
  }

  return {
    count,
    head: () => front?.ledger ?? 0,
    observe(index, told, askedAt) {
      const node = nodeAt(index)
      if (node.isForeign) return 'wrongNetwork'
      const atMs = clock.elapsedMs()
      const found = judge(index, told, askedAt)
      node.claim = { ...told, atMs }
      if (found === 'healthy') reinstate(node, told.proven)
      else exclude(node, found)
      return found
    },
    recordNetwork(index, isOurs) {
      const node = nodeAt(index)
      const isNews = !isOurs && !node.isForeign
      node.isForeign = !isOurs
      return isNews
    },
    recordLatency(index, tookMs) {
      const node = nodeAt(index)
      node.latencyMs = node.latencyMs === null ? tookMs : node.latencyMs + (tookMs - node.latencyMs) * NEWEST_WEIGHT
    },
    order,
    isUsable: (index) => !isLeft(nodeAt(index)) && !nodeAt(index).isForeign,
    dueForProbe() {
      const nowMs = clock.elapsedMs()
      return nodes.filter((node) => {
        const sinceMs = nowMs - node.probedAtMs
        return sinceMs >= PROBE_EVERY_MS || (sinceMs >= EXCLUSION_MIN_MS && isLeft(node) && nowMs >= node.returnAtMs)
      }).map(({ index }) => index)
    },
    recordProbe(index) {
      nodeAt(index).probedAtMs = clock.elapsedMs()
    },
    view(preferred) {
      const [first] = order(preferred, { tried: new Set(), sticky: false, minLedger: 0 })
      return nodes.map((node) => ({
        status: node.isForeign ? 'wrongNetwork' : node.status, ledger: node.claim?.ledger ?? null, preferred: node.index === first,
      }))
    },
  }
}

const RANKS: Readonly<Record<NodeStatus, number>> = { healthy: 0, unknown: 0, lagging: 1, ahead: 2, wrongNetwork: 3 }

function isLeft(node: Node): boolean {
  return node.status === 'lagging' || node.status === 'ahead'
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b
}

/** Where all are behind, the one that is least so. */
function byLedger(a: Node, b: Node): number {
  return a.status === 'lagging' && b.status === 'lagging' ? (b.claim?.ledger ?? 0) - (a.claim?.ledger ?? 0) : 0
}

function highestFirst(a: Node, b: Node): number {
  return (b.claim?.ledger ?? 0) - (a.claim?.ledger ?? 0)
}
