// Prints the indexer's state for the person who started the process; progress.ts writes the structured log.

import type { Clock } from '../../base/clock.ts'
import type { Indexer } from '../indexer.ts'
import type { IndexerStatus } from './progress.ts'

const CHECK_INTERVAL_MS = 500
/** Interval at which the progress of a catch-up is printed. */
const CATCH_UP_REPORT_MS = 2_000

/** Prints each change of state until `stop` aborts. `hosts` are the nodes' host names, without credentials. */
export async function reportProgress(
  indexer: Pick<Indexer, 'status'>,
  options: { readonly hosts: readonly string[]; readonly clock: Clock; readonly print: (text: string) => void; readonly stop: AbortSignal },
): Promise<void> {
  const { clock, print, stop } = options
  const nodes = options.hosts.join(', ')
  let reported: string = 'starting'
  let reportedAtMs = 0
  while (!stop.aborted) {
    const status = indexer.status()
    const { state } = status
    const isDue = state === 'catching-up' && clock.nowMs() - reportedAtMs >= CATCH_UP_REPORT_MS
    if (state !== reported || isDue) {
      reported = state
      reportedAtMs = clock.nowMs()
      const text = describe(status, nodes)
      if (text !== null) print(text)
    }
    await clock.sleep(CHECK_INTERVAL_MS, stop)
  }
}

/** The line for a state; null at the start, when there is nothing to report yet. */
function describe({ state, problem, lastLedger, latestLedger }: IndexerStatus, nodes: string): string | null {
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
      return null
  }
}
