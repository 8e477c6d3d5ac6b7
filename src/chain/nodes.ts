// Which of several nodes is to be asked: judged by the ledgers that their answers prove, not by what they say of their health. Why it is done this way:
// docs/decisions/choosing-a-node.md.

import { defined } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'

/** How a node stands to the others. */
export type Standing =
  /** It has not told a ledger yet. */
  | 'unknown'
  | 'front'
  | 'behind'
  /** It tells of a ledger that the network cannot have come to. */
  | 'ahead'
  /** It serves another network. */
  | 'foreign'

/** What an answer tells of where its node stands. */
export interface Told {
  readonly ledger: number
  /** Unix seconds; null where the method does not tell it. */
  readonly closeSec: number | null
  /** Whether the ledger itself was read: getHealth only says so, and a node behind a balancer has been seen to say more than it then had. */
  readonly proven: boolean
}

/** A node as the operator sees it. */
export interface NodeView {
  readonly standing: Standing
  /** The ledger that its last answer told; null while it has told none. */
  readonly ledger: number | null
  /** Whether it is the one that is asked first. */
  readonly preferred: boolean
}

/** What a call wants of its node. */
export interface Wish {
  /** The nodes that it has asked; they come after all others. */
  readonly tried: ReadonlySet<number>
  /** A faster node is no reason to leave the preferred one. */
  readonly sticky: boolean
  /** The least ledger of its answer; 0: any. */
  readonly minLedger: number
}

export interface Nodes {
  /** The highest ledger that is believed of the network; 0 while nothing is known. */
  front(): number
  /** A node answered a call that was begun when the front stood at `askedAt`; 0: when there was none. */
  hear(index: number, told: Told, askedAt: number): Standing
  readonly count: number
  /** Which network a node serves was looked at; true when it has just turned out to be another one. */
  recognise(index: number, isOurs: boolean): boolean
  /** A probe took so long. Only probes are compared: the same question to every node. */
  timed(index: number, tookMs: number): void
  /** All nodes, the one to ask first in front. */
  order(preferred: number, wish: Wish): readonly number[]
  /** False for a node that was left. */
  isGood(index: number): boolean
  /** Nodes that were not probed for a while, or whose pause is over. */
  due(): readonly number[]
  /** A probe has ended, whether it was answered or not. */
  probed(index: number): void
  view(preferred: number): readonly NodeView[]
}

/** Nodes that close their ledgers a moment apart are at the front all the same. */
export const FRONT_TOLERANCE_LEDGERS = 2
/** A ledger takes longer than this on every network that has several nodes. */
const LEDGER_LEAST_MS = 1_000
/** A claim may be above what time allows by so much, and is then believed. */
export const LEAP_SLACK_LEDGERS = 50
/** When the front has not moved for so long it is looked for anew among what the nodes say: the network may have been reset, or the front been a lie. */
export const FRONT_KEPT_MS = 60_000
/** A node that was left is asked again after this long, doubled each time in vain. */
export const LEFT_PAUSE_MIN_MS = 5_000
export const LEFT_PAUSE_MAX_MS = 300_000
/** Every node is probed so often, those that are left more often. */
export const PROBED_AFTER_MS = 30_000
/** The front is trusted when another node confirms it, or after it has moved so often as time allows it. */
const TRUSTED_MOVES = 3
/** A node is faster when its probes take less than half as long, and the difference is worth a change. */
const FASTER_FACTOR = 2
const FASTER_LEAST_MS = 50
/** The weight of the newest probe in a node's latency. */
const NEWEST_WEIGHT = 0.3

interface Node {
  readonly index: number
  standing: Standing
  claim: (Told & { readonly atMs: number }) | null
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
    index, standing: 'unknown', claim: null, isForeign: false, pauseMs: 0, returnAtMs: 0, probedAtMs: Number.NEGATIVE_INFINITY, latencyMs: null,
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
      if (node.claim === null || front === null || clock.elapsedMs() - node.claim.atMs >= FRONT_KEPT_MS) continue
      const { ledger } = node.claim
      if (ledger > front.ledger) leave(node, 'ahead')
      else if (ledger < front.ledger - FRONT_TOLERANCE_LEDGERS) leave(node, 'behind')
      else takeBack(node, node.claim.proven)
    }
  }

  /** The highest of what was heard lately, without trust: if it is a chain that was left by a reset, the times of the new one will contradict it. */
  function expire(): void {
    const nowMs = clock.elapsedMs()
    if (front === null || nowMs - front.sinceMs < FRONT_KEPT_MS) return
    front = null
    const heard = nodes.filter(({ claim, isForeign }) => !isForeign && claim !== null && nowMs - claim.atMs < FRONT_KEPT_MS)
    const best = heard.sort(highestFirst)[0]
    if (best?.claim === null || best === undefined) return
    moveFront(best.claim.ledger, best.claim.closeSec, best.index, 0)
    judgeAnew()
  }

  function isCredible(index: number, ledger: number, now: Front): boolean {
    const nowMs = clock.elapsedMs()
    if (ledger - now.ledger <= LEAP_SLACK_LEDGERS + (nowMs - now.sinceMs) / LEDGER_LEAST_MS) return true
    return nodes.some(({ index: other, claim, isForeign }) =>
      other !== index && !isForeign && claim !== null && nowMs - claim.atMs < FRONT_KEPT_MS && Math.abs(claim.ledger - ledger) <= LEAP_SLACK_LEDGERS)
  }

  /** Ledgers lie seconds apart: two nodes that tell nearly the same time and ledgers far apart cannot both be right. */
  function contradicts(now: Front, ledger: number, closeSec: number | null): boolean {
    if (closeSec === null || now.closeSec === null) return false
    return now.ledger - ledger > LEAP_SLACK_LEDGERS + Math.max(0, now.closeSec - closeSec) * (1_000 / LEDGER_LEAST_MS)
  }

  function judge(index: number, { ledger, closeSec }: Told, askedAt: number): 'front' | 'behind' | 'ahead' {
    expire()
    if (front === null) {
      moveFront(ledger, closeSec, index, 0)
      return 'front'
    }
    if (ledger > front.ledger) {
      if (count > 1 && !isCredible(index, ledger, front)) return 'ahead'
      moveFront(ledger, closeSec, index, front.moves + 1)
      for (const node of nodes) {
        // What was not believed of one is believed of two.
        if (node.standing === 'ahead' && node.claim !== null && Math.abs(node.claim.ledger - ledger) <= LEAP_SLACK_LEDGERS) takeBack(node, node.claim.proven)
      }
      return 'front'
    }
    // An answer may take long; it is held against what was known when it was asked for.
    const asOf = askedAt === 0 ? front.ledger : Math.min(front.ledger, askedAt)
    if (ledger >= asOf - FRONT_TOLERANCE_LEDGERS) {
      if (index !== front.by) front.moves = TRUSTED_MOVES
      if (ledger === front.ledger) front.closeSec ??= closeSec
      return 'front'
    }
    if (front.moves >= TRUSTED_MOVES || !contradicts(front, ledger, closeSec)) return 'behind'
    // In doubt the lower one is believed: a front too low leaves a good node unasked for a while, one too high makes every answer look old.
    moveFront(ledger, closeSec, index, 0)
    judgeAnew()
    return 'front'
  }

  function leave(node: Node, standing: 'behind' | 'ahead'): void {
    const nowMs = clock.elapsedMs()
    const isNews = node.standing !== standing || nowMs >= node.returnAtMs
    node.standing = standing
    if (!isNews) return
    node.pauseMs = Math.min(LEFT_PAUSE_MAX_MS, node.pauseMs === 0 ? LEFT_PAUSE_MIN_MS : node.pauseMs * 2)
    node.returnAtMs = nowMs + node.pauseMs
  }

  /** What a node proves counts at once. What it only says counts when its pause is over, and the pause is remembered until it has proven it. */
  function takeBack(node: Node, isProven: boolean): void {
    const isLeft = node.standing === 'behind' || node.standing === 'ahead'
    if (isLeft && !isProven && clock.elapsedMs() < node.returnAtMs) return
    node.standing = 'front'
    if (isProven) node.pauseMs = 0
  }

  /** The lower, the better. */
  function rank(node: Node, tried: ReadonlySet<number>): number {
    return (tried.has(node.index) ? 10 : 0) + RANKS[node.isForeign ? 'foreign' : node.standing]
  }

  /** Those of the best rank, the one to ask first in front. */
  function bestFirst(best: readonly Node[], preferred: number, { sticky, minLedger }: Wish): readonly Node[] {
    const own = best.find(({ index }) => index === preferred)
    const hasArrived = ({ claim }: Node): number => (minLedger > 0 && claim !== null && claim.ledger >= minLedger ? 0 : 1)
    const isMuchFaster = (node: Node): boolean =>
      own !== undefined && own.latencyMs !== null && node.latencyMs !== null
      && node.latencyMs * FASTER_FACTOR < own.latencyMs && own.latencyMs - node.latencyMs >= FASTER_LEAST_MS
    const slowness = (node: Node): number => (sticky || !isMuchFaster(node) ? Number.POSITIVE_INFINITY : node.latencyMs ?? Number.POSITIVE_INFINITY)
    return best.toSorted((a, b) =>
      hasArrived(a) - hasArrived(b) || byLedger(a, b) || compare(slowness(a), slowness(b)) || distance(preferred, a) - distance(preferred, b))
  }

  function distance(from: number, { index }: Node): number {
    return (index - from + count) % count
  }

  function order(preferred: number, wish: Wish): readonly number[] {
    const ranks = [...new Set(nodes.map((node) => rank(node, wish.tried)))].sort((a, b) => a - b)
    return ranks.flatMap((one) => bestFirst(nodes.filter((node) => rank(node, wish.tried) === one), preferred, wish)).map(({ index }) => index)
  }

  return {
    count,
    front: () => front?.ledger ?? 0,
    hear(index, told, askedAt) {
      const node = nodeAt(index)
      if (node.isForeign) return 'foreign'
      const atMs = clock.elapsedMs()
      const found = judge(index, told, askedAt)
      node.claim = { ...told, atMs }
      if (found === 'front') takeBack(node, told.proven)
      else leave(node, found)
      return found
    },
    recognise(index, isOurs) {
      const node = nodeAt(index)
      const isNews = !isOurs && !node.isForeign
      node.isForeign = !isOurs
      return isNews
    },
    timed(index, tookMs) {
      const node = nodeAt(index)
      node.latencyMs = node.latencyMs === null ? tookMs : node.latencyMs + (tookMs - node.latencyMs) * NEWEST_WEIGHT
    },
    order,
    isGood: (index) => !isLeft(nodeAt(index)) && !nodeAt(index).isForeign,
    due() {
      const nowMs = clock.elapsedMs()
      return nodes.filter((node) => {
        const sinceMs = nowMs - node.probedAtMs
        return sinceMs >= PROBED_AFTER_MS || (sinceMs >= LEFT_PAUSE_MIN_MS && isLeft(node) && nowMs >= node.returnAtMs)
      }).map(({ index }) => index)
    },
    probed(index) {
      nodeAt(index).probedAtMs = clock.elapsedMs()
    },
    view(preferred) {
      const [first] = order(preferred, { tried: new Set(), sticky: false, minLedger: 0 })
      return nodes.map((node) => ({
        standing: node.isForeign ? 'foreign' : node.standing, ledger: node.claim?.ledger ?? null, preferred: node.index === first,
      }))
    },
  }
}

const RANKS: Readonly<Record<Standing, number>> = { front: 0, unknown: 0, behind: 1, ahead: 2, foreign: 3 }

function isLeft(node: Node): boolean {
  return node.standing === 'behind' || node.standing === 'ahead'
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b
}

/** Where all are behind, the one that is least so. */
function byLedger(a: Node, b: Node): number {
  return a.standing === 'behind' && b.standing === 'behind' ? (b.claim?.ledger ?? 0) - (a.claim?.ledger ?? 0) : 0
}

function highestFirst(a: Node, b: Node): number {
  return (b.claim?.ledger ?? 0) - (a.claim?.ledger ?? 0)
}
