// The common part of all actors.

import type { LedgerView } from './client.ts'

/** A simulated user of the exchange. Actors act one after the other, once per ledger, so that the same seed reproduces the same run. */
export interface Actor {
  readonly name: string
  /** Acts after this ledger closed: sends at most one transaction. */
  act(view: LedgerView): Promise<void>
  /** Drops all cached state, after the network was restored or reset. */
  forget(): void
}

/** The time that an actor waits after a refusal doubles from the minimum to the maximum. */
export const REFUSAL_PAUSE_SEC = { min: 5, max: 300 } as const

/** An actor that can be switched off. */
export interface SwitchableActor extends Actor {
  setEnabled(enabled: boolean): void
}
