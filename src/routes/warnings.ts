// Warnings for the operator, in /readyz and health.

import { KNOWN_PROTOCOL } from '../base/protocol.ts'
import { isSkewed } from '../base/ledger-clock.ts'
import type { LedgerTime } from '../base/ledger-clock.ts'
import type { Prices } from '../markets/prices.ts'
import type { IndexSnapshot } from '../projections/state/index-snapshot.ts'
import type { Warning } from '../resources/probe.ts'

export interface WarningSources {
  readonly ledgerTime: LedgerTime
  readonly prices: Pick<Prices, 'unpublished'>
}

/** In the order of their weight. */
export function warningsOf({ state, database }: IndexSnapshot, { ledgerTime, prices }: WarningSources): Warning[] {
  const isNewer = state !== null && (state.newerForms.length > 0 || (state.protocol ?? 0) > KNOWN_PROTOCOL)
  return [
    ...(database === null ? [] : [`database_${database}` as const]),
    ...(isSkewed(ledgerTime) ? ['clock_wrong' as const] : []),
    ...(isNewer ? ['protocol_newer' as const] : []),
    ...(prices.unpublished().length > 0 ? ['prices_unpublished' as const] : []),
  ]
}
