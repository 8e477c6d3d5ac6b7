// What the indexer is doing, told to the operator without repeating itself.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { failureFields } from '../chain/failure.ts'
import type { StepResult } from './step.ts'

export interface IndexerStatus {
  readonly state: 'starting' | 'standby' | 'catching-up' | 'live' | 'waiting' | 'unreachable'
  /** The last ledger that was scanned whole. */
  readonly lastLedger: number | null
  /** The RPC's latest ledger, as last told. */
  readonly latestLedger: number | null
}

/** How often a catch-up tells how far it is. */
const PROGRESS_EVERY_MS = 2_000

export interface Progress {
  /** Takes note of a step's result and returns it. */
  record(result: StepResult): StepResult
  status(): IndexerStatus
}

export function createProgress(clock: Clock, log: Log): Progress {
  let status: IndexerStatus = { state: 'starting', lastLedger: null, latestLedger: null }
  let loggedAtMs = Number.NEGATIVE_INFINITY
  let events = 0

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
      if (setState('live')) log.info({ ledger: lastLedger, events }, 'the index is up to date')
      events = 0
      return
    }
    setState('catching-up')
    if (clock.elapsedMs() - loggedAtMs < PROGRESS_EVERY_MS) return
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
          if (setState('waiting')) log.warn({ reason: result.reason }, 'the index waits for the RPC')
          break
        case 'unreachable':
          if (setState('unreachable')) log.warn(failureFields(result.error), 'the RPC gives no page; trying again')
          break
        case 'epoch':
          log.info({ epoch: result.epoch, reason: result.reason, startLedger: result.startLedger }, 'a new epoch of the index begins')
          break
        case 'gap':
          log.error({ fromLedger: result.fromLedger, toLedger: result.toLedger }, 'ledgers were lost: the RPC dropped them before they were read')
          break
        case 'moved':
          log.warn({}, 'another writer moved the index; looking again')
          break
      }
      return result
    },
    status: () => status,
  }
}
