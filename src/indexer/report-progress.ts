// How the index gets on, in sentences for whoever started the process; the structured log is told by progress.ts.

import type { Clock } from '../base/clock.ts'
import type { Indexer } from './indexer.ts'

/** How often its progress is looked at. */
const CHECK_INTERVAL_MS = 500
/** How often a catch-up that goes on is told. */
const CATCH_UP_REPORT_MS = 2_000

/**
 * Tells when it catches up, follows the chain, stands by or cannot go on, each once, until `stop` aborts. `hosts` name the nodes, without what is secret in
 * their addresses.
 */
export async function reportProgress(
  indexer: Pick<Indexer, 'status'>,
  options: { readonly hosts: readonly string[]; readonly clock: Clock; readonly say: (text: string) => void; readonly stop: AbortSignal },
): Promise<void> {
  const { clock, say, stop } = options
  const where = options.hosts.join(', ')
  let told: string = 'starting'
  let toldAtMs = 0
  while (!stop.aborted) {
    const { state, lastLedger, latestLedger } = indexer.status()
    const again = state === 'catching-up' && clock.nowMs() - toldAtMs >= CATCH_UP_REPORT_MS
    if (state !== told || again) {
      told = state
      toldAtMs = clock.nowMs()
      if (state === 'catching-up') say(`Index: catching up, at ledger ${lastLedger ?? 0} of ${latestLedger ?? 0}`)
      if (state === 'live') say(`Index: follows the chain, at ledger ${lastLedger ?? 0}`)
      if (state === 'standby') say('Index: another process writes it; this one stands by')
      if (state === 'waiting') say(`Index: waits, because ${where} is behind it or serves another network`)
      if (state === 'unreachable') say(`Index: ${where} cannot be reached. What is known is served, and the index goes on by itself as soon as it can.`)
    }
    await clock.sleep(CHECK_INTERVAL_MS, stop)
  }
}
