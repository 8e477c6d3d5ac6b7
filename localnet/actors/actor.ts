// What every actor has in common.

import type { LedgerView } from './client.ts'

/** Somebody who does something now and then. Actors act one after the other, once per ledger, so that a seed repeats their whole story. */
export interface Actor {
  readonly name: string
  /** One turn after this ledger closed: at most one transaction. */
  act(view: LedgerView): Promise<void>
  /** The network was restored or started anew: what was known of it no longer holds. */
  forget(): void
}
