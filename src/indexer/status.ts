// The indexer's state for the operator. Each change, and the progress of a catch-up, is logged and reported once.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { KNOWN_PROTOCOL } from '../base/protocol.ts'
import { createOutageLog } from '../base/outage-log.ts'
import { failureFields, OUTAGES, RpcFailure } from '../chain/rpc/failure.ts'
import { StoreUnavailable } from '../store/store.ts'
import { BadPage } from './pages/events-page.ts'
import type { StepResult } from './pages/step-result.ts'

export interface IndexerStatus {
  /** `refusing`: the nodes respond, but not with pages that can be used. `unwritable`: the database takes no page. */
  readonly state: 'starting' | 'standby' | 'catching-up' | 'live' | 'waiting' | 'outdated' | 'unreachable' | 'refusing' | 'unwritable'
  /** The problem, for people; null in other states than `refusing` and `unwritable`. */
  readonly problem: string | null
  /** The last completely indexed ledger. */
  readonly lastLedger: number | null
  /** The RPC's latest ledger, as last reported. */
  readonly latestLedger: number | null
}

/** Interval at which the progress of a catch-up is logged. */
const PROGRESS_INTERVAL_MS = 2_000

export interface StatusTracker {
  /** Records a step's result and returns it. */
  record(result: StepResult): StepResult
  /** Records what ended an iteration. `isStep`: its step had no result. */
  failed(error: unknown, isStep: boolean): void
  /** Records that an iteration has ended without such an error, with the writer lock. */
  written(): void
  status(): IndexerStatus
}

/** `onStatus` is called with each change, and with the progress of a catch-up. */
export function createStatusTracker(
  { clock, log, onStatus }: { readonly clock: Clock; readonly log: Log; readonly onStatus?: ((status: IndexerStatus) => void) | undefined },
): StatusTracker {
  let status: IndexerStatus = { state: 'starting', problem: null, lastLedger: null, latestLedger: null }
  const failures = createOutageLog({
    clock, log, level: 'error', message: 'the index could not be written; retrying', endMessage: 'the index is written again',
  })
  let loggedAtMs = Number.NEGATIVE_INFINITY
  let events = 0

  /** Returns true when the state changed. */
  function setState(state: IndexerStatus['state'], problem: string | null = null): boolean {
    const changed = status.state !== state
    status = { ...status, state, problem }
    if (changed && state !== 'catching-up') onStatus?.(status)
    return changed
  }

  function recordUnusable(error: RpcFailure | BadPage): void {
    if (error instanceof RpcFailure && OUTAGES.has(error.kind)) {
      if (setState('unreachable')) log.warn(problemFields(error), 'the RPC cannot be reached; retrying')
    } else if (setState('refusing', error instanceof BadPage ? error.fault : error.kind)) {
      log.warn(problemFields(error), 'the RPC returned no valid page; retrying')
    }
  }

  function recordIndexed(result: Extract<StepResult, { kind: 'indexed' }>): void {
    const { lastLedger, latestLedger } = result
    status = { ...status, lastLedger, latestLedger }
    events += result.events
    if (result.caughtUp) {
      if (setState('live')) log.info({ ledger: lastLedger, events }, 'the index is in sync')
      events = 0
      return
    }
    setState('catching-up')
    if (clock.elapsedMs() - loggedAtMs < PROGRESS_INTERVAL_MS) return
    loggedAtMs = clock.elapsedMs()
    log.info({ ledger: lastLedger, latestLedger, events }, 'the index is catching up')
    onStatus?.(status)
  }

  return {
    record(result) {
      switch (result.kind) {
        case 'indexed':
          recordIndexed(result)
          break
        case 'standby':
          if (setState('standby')) log.info({}, 'another process writes the index; standing by')
          break
        case 'waiting':
          if (setState('waiting')) log.warn({ reason: result.reason }, 'the index is waiting for the RPC')
          break
        case 'outdated':
          if (setState('outdated')) {
            log.error({ unknown: result.newer.what, known: KNOWN_PROTOCOL }, 'the index stopped: the network is newer than this gateway')
          }
          break
        case 'unreachable':
          recordUnusable(result.error)
          break
        case 'epoch':
          log.info({ epoch: result.epoch, reason: result.reason, startLedger: result.startLedger }, 'a new epoch of the index began')
          break
        case 'gap':
          log.error({ fromLedger: result.fromLedger, toLedger: result.toLedger }, 'ledgers were lost: the RPC dropped them before they were read')
          break
        case 'conflict':
          log.warn({}, 'another writer advanced the index; reading its state again')
          break
      }
      return result
    },
    failed(error, isStep) {
      if (!(error instanceof StoreUnavailable)) {
        if (isStep) setState('unwritable', 'an unexpected error, which the log describes')
        return failures.failed(error instanceof Error ? `${error.name}: ${error.message}` : 'unknown', () => ({ err: error }))
      }
      const { message: reason, problem } = error
      if (isStep) setState('unwritable', reason)
      failures.failed(problem, () => ({ problem, reason }))
    },
    written: failures.succeeded,
    status: () => status,
  }
}

function problemFields(error: RpcFailure | BadPage): Record<string, unknown> {
  return error instanceof BadPage ? { problem: error.message, fault: error.fault } : failureFields(error)
}

/** The line for the person who started the process. `hosts` are the nodes' host names, without credentials. */
export function describeStatus({ state, problem, lastLedger, latestLedger }: IndexerStatus, hosts: readonly string[]): string {
  const nodes = hosts.join(', ')
  switch (state) {
    case 'catching-up':
      return `Indexer catching up: ledger ${lastLedger ?? 0} of ${latestLedger ?? 0}`
    case 'live':
      return `Indexer in sync at ledger ${lastLedger ?? 0}`
    case 'standby':
      return 'Indexer on standby: another process writes the index'
    case 'waiting':
      return `Indexer waiting: ${nodes} lags behind the index or serves another network`
    case 'outdated':
      return 'Indexer stopped: the network has a newer protocol than this gateway. Upgrade the gateway; the indexed history stays available.'
    case 'unreachable':
      return `Indexer cannot reach ${nodes}. The gateway serves the indexed history and keeps retrying.`
    case 'refusing':
      return `Indexer cannot use the responses of ${nodes}: ${problem ?? 'unknown'}. The gateway serves the indexed history and keeps retrying.`
    case 'unwritable':
      return `Indexer cannot write the index: ${problem ?? 'unknown'}. It keeps retrying; nothing is lost while the nodes retain the ledgers.`
    case 'starting':
      return 'Indexer starting'
  }
}
