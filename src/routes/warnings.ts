// What the operator should look at, for /readyz and health.

import { KNOWN_PROTOCOL } from '../base/protocol.ts'
import { isSkewed } from '../base/ledger-clock.ts'
import type { LedgerTime } from '../base/ledger-clock.ts'
import type { IndexSnapshot } from '../projections/index-snapshot.ts'
import type { Warning } from '../resources/probe.ts'

/** In the order of their weight. */
export function warningsOf({ state, database }: IndexSnapshot, ledgerTime: LedgerTime): Warning[] {
  const isNewer = state !== null && (state.newerForms.length > 0 || (state.protocol ?? 0) > KNOWN_PROTOCOL)
  return [
    ...(database === null ? [] : [`database_${database}` as const]),
    ...(isSkewed(ledgerTime) ? ['clock_wrong' as const] : []),
    ...(isNewer ? ['protocol_newer' as const] : []),
  ]
}
