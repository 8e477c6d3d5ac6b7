// The metrics of one process in Prometheus' text format. Counters are updated through observers; everything else is read from the sources when the metrics
// are scraped.

import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Gauge } from 'prom-client'
import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import { presentSec } from '../base/ledger-clock.ts'
import { KNOWN_PROTOCOL } from '../base/protocol.ts'
import type { RpcObserver } from '../chain/rpc/rpc-observer.ts'
import type { HttpObserver } from '../http/observe.ts'
import { countedTopic, isTransfer } from '../projections/log/archived-event.ts'
import type { ArchivedEvent } from '../projections/log/archived-event.ts'
import type { IndexState } from '../projections/state/index-state.ts'
import { createInstruments } from './instruments.ts'
import type { Instruments } from './instruments.ts'
import type { GatewayStats, MetricSources } from './sources.ts'

export interface Metrics {
  readonly http: HttpObserver
  readonly rpc: RpcObserver
  /** Counts events that were archived. */
  archived(events: readonly ArchivedEvent[]): void
  /** Adds sources. */
  addSources(sources: Partial<MetricSources>): void
  /** Reads the sources and renders all metrics. Waits at most one second for the database. */
  text(): Promise<string>
  readonly contentType: string
  /** Names and labels of the metrics. */
  describe(): readonly { readonly name: string; readonly labels: readonly string[] }[]
}

/** Methods with their own label value; a client may send any method. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])
/** The label value for each node status. */
const STATUS_LABELS = {
  unknown: 'unknown', healthy: 'healthy', lagging: 'lagging', ahead: 'ahead', faulty: 'faulty', unresponsive: 'unresponsive', wrongNetwork: 'wrong_network',
} as const
const INDEXER_STATES = ['starting', 'standby', 'catching-up', 'live', 'waiting', 'outdated', 'unreachable', 'refusing', 'unwritable'] as const

/** `runtime` adds metrics of the process and of Node.js, which observe until the process ends. */
export function createMetrics({ clock, runtime }: { readonly clock: Clock; readonly runtime: boolean }): Metrics {
  const registry = new Registry()
  const instruments = createInstruments(registry)
  if (runtime) collectDefaultMetrics({ register: registry })
  let sources: Partial<MetricSources> = {}

  return {
    http: {
      onResponse({ method, route, status, seconds, isFailure = false }) {
        const labels = { method: METHODS.has(method) ? method : 'other', route }
        instruments.requests.inc({ ...labels, status })
        if (isFailure) instruments.requestFailures.inc({ route, status })
        instruments.requestSeconds.observe(labels, seconds)
      },
      onRateLimitDecision(tier, allowed, isFirst) {
        const decision = allowed ? 'allowed' : 'refused'
        instruments.limiterDecisions.inc({ tier, decision })
        if (isFirst) instruments.limitedAddresses.inc({ decision })
      },
    },
    rpc: {
      called({ endpoint, method, outcome, seconds }) {
        instruments.rpcCalls.inc({ node: endpoint, method, outcome })
        instruments.rpcSeconds.observe({ node: endpoint, method }, seconds)
      },
      hedged(winner) {
        instruments.rpcHedges.inc({ winner })
      },
      faulted(endpoint, fault) {
        instruments.rpcNodeFaults.inc({ node: endpoint, fault })
      },
    },
    archived(events) {
      // The topic of an undecoded event is arbitrary text.
      for (const event of events) if (!isTransfer(event)) instruments.events.inc({ topic: countedTopic(event) })
    },
    addSources(more) {
      sources = { ...sources, ...more }
    },
    async text() {
      const { gateway, indexer, interfaces, manifestProblems, rpcQueues, storeQueues, rpcNodes, index, ledgerTime } = sources
      instruments.queues.reset()
      instruments.knownProtocol.set(KNOWN_PROTOCOL)
      if (gateway !== undefined) readGateway(instruments, gateway())
      if (indexer !== undefined) readIndexer(instruments, indexer())
      if (manifestProblems !== undefined) instruments.manifestProblems.set(manifestProblems().length)
      if (interfaces !== undefined) readInterfaces(instruments, interfaces())
      for (const [method, length] of rpcQueues?.() ?? []) instruments.queues.set({ queue: `rpc_${method}` }, length)
      if (rpcNodes !== undefined) readNodes(instruments, rpcNodes())
      for (const [kind, length] of Object.entries(storeQueues?.() ?? {})) instruments.queues.set({ queue: `database_${kind}` }, length)
      if (ledgerTime !== undefined) setOrRemove(instruments.clockSkew, ledgerTime.skewSec())
      if (index !== undefined) await readIndex(instruments, index, () => (ledgerTime === undefined ? nowSec(clock) : presentSec(clock, ledgerTime)))
      return await registry.metrics()
    },
    contentType: registry.contentType,
    describe: () =>
      registry.getMetricsAsArray().map((metric) => ({ name: metric.name, labels: 'labelNames' in metric ? (metric.labelNames as string[]) : [] })),
  }
}

/** Removes unknown values: 0 would look healthy. */
function setOrRemove(gauge: Gauge, value: number | null): void {
  if (value === null) gauge.remove()
  else gauge.set(value)
}

function readGateway(instruments: Instruments, stats: GatewayStats): void {
  const { stream, submissions, storedSubmissions, indexWaiters, sharedCounts, agreement, ...prices } = stats
  instruments.agreement.reset()
  for (const [figure, results] of agreement) {
    for (const [result, count] of Object.entries(results)) instruments.agreement.inc({ figure, result }, count)
  }
  instruments.submissionsEnded.reset()
  for (const [status, count] of storedSubmissions.ended) instruments.submissionsEnded.inc({ status }, count)
  instruments.submissionsCorrected.reset()
  instruments.submissionsCorrected.inc(storedSubmissions.corrected)
  setOrRemove(instruments.submissionsPending, storedSubmissions.pending)
  setOrRemove(instruments.submissionsOldest, storedSubmissions.oldestPendingSec)
  instruments.streamConnections.set(stream.connections)
  instruments.streamSubscribers.set(stream.subscribers)
  instruments.streamAccounts.set(stream.accounts)
  instruments.streamBufferedBytes.set(stream.bufferedBytesMax)
  setOrRemove(instruments.sharedCounts, sharedCounts === null ? null : Number(sharedCounts))
  setOrRemove(instruments.stalePrices, prices.stalePrices)
  setOrRemove(instruments.unpublishedPrices, prices.unpublishedPrices)
  const queues = {
    stream_replays: stream.replays, submissions: submissions.inFlight, submission_waiters: submissions.waiters, index_waiters: indexWaiters,
  }
  for (const [queue, length] of Object.entries(queues)) instruments.queues.set({ queue }, length)
}

function readNodes(instruments: Instruments, nodes: ReturnType<MetricSources['rpcNodes']>): void {
  for (const [node, { ledger, status, preferred }] of nodes.entries()) {
    if (ledger !== null) instruments.rpcNodeLedger.set({ node }, ledger)
    for (const [each, label] of Object.entries(STATUS_LABELS)) instruments.rpcNodeStatus.set({ node, status: label }, each === status ? 1 : 0)
    instruments.rpcNodePreferred.set({ node }, preferred ? 1 : 0)
  }
}

function readInterfaces({ contractInfo, contractNotUnderstood }: Instruments, interfaces: ReturnType<MetricSources['interfaces']>): void {
  contractInfo.reset()
  contractNotUnderstood.reset()
  for (const [contract, known] of Object.entries(interfaces)) {
    if (known === null) continue
    contractInfo.set({ contract, generation: known.generation ?? 'unknown', wasm_hash: known.wasmHash ?? 'unknown' }, 1)
    contractNotUnderstood.set({ contract }, known.notUnderstood.length)
  }
}

function readIndexer(instruments: Instruments, { state, lastLedger, latestLedger }: ReturnType<MetricSources['indexer']>): void {
  for (const label of INDEXER_STATES) instruments.indexerState.set({ state: label }, label === state ? 1 : 0)
  setOrRemove(instruments.indexerLag, lastLedger === null || latestLedger === null ? null : Math.max(0, latestLedger - lastLedger))
}

async function readIndex(instruments: Instruments, readSnapshot: MetricSources['index'], present: () => number): Promise<void> {
  const { state, database } = await readSnapshot()
  instruments.indexAnswers.set(database === null ? 1 : 0)
  const closeSec = state?.lastLedgerCloseTs ?? null
  setOrRemove(instruments.indexLedger, state?.lastLedger ?? null)
  setOrRemove(instruments.indexAge, closeSec === null ? null : Math.max(0, present() - closeSec))
  setOrRemove(instruments.networkProtocol, state?.protocol ?? null)
  setOrRemove(instruments.newerForms, state?.newerForms.length ?? null)
  setOrRemove(instruments.unknownEvents, state?.unknownEvents ?? null)
  setOrRemove(instruments.unreadTransactions, state?.unreadTransactions ?? null)
  setOrRemove(instruments.gaps, state?.gaps ?? null)
  setOrRemove(instruments.ledgersUntilLost, state?.ledgersUntilLost ?? null)
  setOrRemove(instruments.marketFound, state === null || state.marketFound === null ? null : Number(state.marketFound))
  readComparison(instruments, state)
  setOrRemove(instruments.vaultCorrections, state?.vaultCorrections ?? null)
  setOrRemove(instruments.rebuildDone, state?.rebuild?.done ?? null)
  setOrRemove(instruments.rebuildTotal, state?.rebuild?.total ?? null)
}

function readComparison({ corrections, missing, openDrift, archived }: Instruments, state: IndexState | null): void {
  for (const metric of [corrections, missing, openDrift, archived]) metric.reset()
  for (const [kind, count] of Object.entries(state?.corrections ?? {})) corrections.set({ kind }, count)
  for (const [topic, events] of Object.entries(state?.archived ?? {})) archived.set({ topic }, events)
  const { positionsMissing = null, ordersMissing = null, vaultsMissing = null } = state?.compared ?? {}
  for (const [kind, count] of Object.entries({ positions: positionsMissing, orders: ordersMissing, vaults: vaultsMissing })) {
    if (count !== null) missing.set({ kind }, count)
  }
  const { openPositionsDrift = null, openOrdersDrift = null } = state?.compared ?? {}
  for (const [kind, drift] of Object.entries({ positions: openPositionsDrift, orders: openOrdersDrift })) {
    if (drift !== null) openDrift.set({ kind }, drift)
  }
}
