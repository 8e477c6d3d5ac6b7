// Says in the log what of the network is newer than this gateway.

import type { Log } from '../../base/log.ts'
import { KNOWN_PROTOCOL } from '../../base/protocol.ts'

/** Kinds that are logged. Health and the database have them too. */
const REPORTED_MAX = 100

/** Logs each kind once. */
export function createNewerReporter(log: Log): (met: readonly { readonly what: string; readonly ledger: number }[]) => void {
  const reported = new Set<string>()
  return (met) => {
    for (const { what, ledger } of met) {
      if (reported.has(what) || reported.size >= REPORTED_MAX) continue
      reported.add(what)
      log.error({ unknown: what, known: KNOWN_PROTOCOL, ledger }, 'the network is newer than this gateway; the index continues without what is unknown')
    }
  }
}
