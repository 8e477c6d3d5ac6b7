// The known state of one node, and the changes of its status.

/** The status of a node relative to the others. */
export type NodeStatus =
  /** It has not reported a ledger yet. */
  | 'unknown'
  | 'healthy'
  | 'lagging'
  /** It reports a ledger that the network cannot have reached. */
  | 'ahead'
  /** It returned impossible data. */
  | 'faulty'
  /** It did not respond in time. */
  | 'unresponsive'
  /** It serves another network. */
  | 'wrongNetwork'

/** The ledger of a node, as a response reports it. */
export interface Observation {
  readonly ledger: number
  /** Unix seconds; null where the method does not report it. */
  readonly closeSec: number | null
  /** True when the node read the ledger itself. getHealth only claims one: nodes behind load balancers have claimed more than they had. */
  readonly proven: boolean
}

/** The state of one node. Changed by the functions below only. */
export interface NodeState {
  readonly index: number
  status: Exclude<NodeStatus, 'wrongNetwork'>
  isWrongNetwork: boolean
  lastObservation: (Observation & { readonly atMs: number }) | null
  /** Length of the current or last exclusion. It stays until the node has proven itself, so that a repeated exclusion doubles it. 0: none. */
  exclusionMs: number
  excludedUntilMs: number
  probedAtMs: number
  /** Failed calls since the last successful one. */
  failures: number
  pausedUntilMs: number
  /** Moving average of the probes' durations; null before the first. */
  latencyMs: number | null
}

/** Time for which a node is excluded at first. Each repeated exclusion doubles it, up to the maximum. */
export const EXCLUSION_MIN_MS = 5_000
const EXCLUSION_MAX_MS = 300_000
/** Every node is probed this often; an excluded node also when its exclusion ends. */
export const PROBE_EVERY_MS = 30_000
/** The weight of the newest probe in a node's latency. */
const NEWEST_WEIGHT = 0.3

/** After this many failed calls in a row a node is not called for the pause, even if it is the only one; one successful call ends that. */
export const PAUSE_AFTER_FAILURES = 5
export const PAUSE_MS = 5_000

export function createNodeState(index: number): NodeState {
  return {
    index, status: 'unknown', isWrongNetwork: false, lastObservation: null, exclusionMs: 0, excludedUntilMs: 0,
    probedAtMs: Number.NEGATIVE_INFINITY, failures: 0, pausedUntilMs: 0, latencyMs: null,
  }
}

export function statusOf(node: NodeState): NodeStatus {
  return node.isWrongNetwork ? 'wrongNetwork' : node.status
}

type Exclusion = 'lagging' | 'ahead' | 'faulty' | 'unresponsive'

export function isExcluded({ status }: NodeState): boolean {
  return status !== 'unknown' && status !== 'healthy'
}

/** Excludes a node, or extends its exclusion once that has ended. No ledger number ends the exclusion of a faulty or unresponsive node earlier. */
export function exclude(node: NodeState, status: Exclusion, nowMs: number): void {
  if (isFaulty(node, nowMs) || (isUnresponsive(node, nowMs) && status !== 'faulty')) return
  const isOngoing = node.status === status && nowMs < node.excludedUntilMs
  node.status = status
  if (isOngoing) return
  node.exclusionMs = Math.min(EXCLUSION_MAX_MS, node.exclusionMs === 0 ? EXCLUSION_MIN_MS : node.exclusionMs * 2)
  node.excludedUntilMs = nowMs + node.exclusionMs
}

/** A proven ledger ends an exclusion at once. A claimed one counts only after the exclusion, and keeps its length for the next. */
export function reinstate(node: NodeState, isProven: boolean, nowMs: number): void {
  if (isFaulty(node, nowMs) || isUnresponsive(node, nowMs)) return
  if (isExcluded(node) && !isProven && nowMs < node.excludedUntilMs) return
  node.status = 'healthy'
  if (isProven) node.exclusionMs = 0
}

export function isFaulty(node: NodeState, nowMs: number): boolean {
  return node.status === 'faulty' && nowMs < node.excludedUntilMs
}

export function isUnresponsive(node: NodeState, nowMs: number): boolean {
  return node.status === 'unresponsive' && nowMs < node.excludedUntilMs
}

export function recordCall(node: NodeState, isFailure: boolean, nowMs: number): void {
  node.failures = isFailure ? node.failures + 1 : 0
  if (node.failures >= PAUSE_AFTER_FAILURES) node.pausedUntilMs = nowMs + PAUSE_MS
}

export function isPaused(node: NodeState, nowMs: number): boolean {
  return node.failures >= PAUSE_AFTER_FAILURES && nowMs < node.pausedUntilMs
}

export function recordLatency(node: NodeState, tookMs: number): void {
  node.latencyMs = node.latencyMs === null ? tookMs : node.latencyMs + (tookMs - node.latencyMs) * NEWEST_WEIGHT
}

export function isDueForProbe(node: NodeState, nowMs: number): boolean {
  const sinceMs = nowMs - node.probedAtMs
  return sinceMs >= PROBE_EVERY_MS || (sinceMs >= EXCLUSION_MIN_MS && isExcluded(node) && nowMs >= node.excludedUntilMs)
}
