// The indexer's state for the operator, logged once per change.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { KNOWN_PROTOCOL } from '../base/protocol.ts'
import { failureFields } from '../chain/failure.ts'
import type { RpcFailure } from '../chain/failure.ts'
import { BadPage } from './events-page.ts'
import type { StepResult } from './step-result.ts'

export interface IndexerStatus {
  readonly state: 'starting' | 'standby' | 'catching-up' | 'live' | 'waiting' | 'outdated' | 'unreachable'
  /** The last completely indexed ledger. */
  readonly lastLedger: number | null
  /** The RPC's latest ledger, as last reported. */
  readonly latestLedger: number | null
}

/** How often the progress of a catch-up is logged. */
const PROGRESS_INTERVAL_MS = 2_000

export interface Progress {
  /** Records a step's result and returns it. */
  record(result: StepResult): StepResult
  status(): IndexerStatus
}

export function createProgress(clock: Clock, log: Log): Progress {
  let status: IndexerStatus = { state: 'starting', lastLedger: null, latestLedger: null }
  let loggedAtMs = Number.NEGATIVE_INFINITY
  let events = 0

  /** Returns true when the state changed. */
  function setState(state: IndexerStatus['state']): boolean {
    const changed = status.state !== state
    status = { ...status, state }
    return changed
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
          if (setState('unreachable')) log.warn(problemFields(result.error), 'the RPC returned no valid page; retrying')
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
    status: () => status,
  }
}

function problemFields(error: RpcFailure | BadPage): Record<string, unknown> {
  return error instanceof BadPage ? { problem: error.message, fault: error.fault } : failureFields(error)
}
