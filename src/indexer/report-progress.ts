// Prints the indexer's state for the person who started the process; progress.ts writes the structured log.

import type { Clock } from '../base/clock.ts'
import type { Indexer } from './indexer.ts'

const CHECK_INTERVAL_MS = 500
/** How often the progress of a catch-up is printed. */
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
    const { state, lastLedger, latestLedger } = indexer.status()
    const isDue = state === 'catching-up' && clock.nowMs() - reportedAtMs >= CATCH_UP_REPORT_MS
    if (state !== reported || isDue) {
      reported = state
      reportedAtMs = clock.nowMs()
      if (state === 'catching-up') print(`Indexer catching up: ledger ${lastLedger ?? 0} of ${latestLedger ?? 0}`)
      if (state === 'live') print(`Indexer in sync at ledger ${lastLedger ?? 0}`)
      if (state === 'standby') print('Indexer on standby: another process writes the index')
      if (state === 'waiting') print(`Indexer waiting: ${nodes} lags behind the index or serves another network`)
      if (state === 'unreachable') print(`Indexer cannot reach ${nodes}. The gateway serves the indexed history and keeps retrying.`)
    }
    await clock.sleep(CHECK_INTERVAL_MS, stop)
  }
}
