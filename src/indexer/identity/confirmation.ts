// Drastic conclusions need the same evidence several times: one response, or a few seconds of them, may be wrong.

import type { Clock } from '../../base/clock.ts'
import { MIN_LEDGER_MS } from '../../chain/rpc/close-times.ts'

/** Limits that express how much a network is trusted. */
export interface ChainTrust {
  /** Time for which evidence of a reset or of lost ledgers must persist. */
  readonly confirmMs: number
  /** Distance by which close times may be ahead of the gateway's clock; null: any. */
  readonly closeAheadSec: number | null
  /** The shortest interval between ledgers, as an average over many. */
  readonly minLedgerMs: number
}

export const PUBLIC_NETWORK: ChainTrust = { confirmMs: 30_000, closeAheadSec: 600, minLedgerMs: MIN_LEDGER_MS }
/** A network in this process does not lie, and its clock may be set. */
export const LOCAL_NETWORK: ChainTrust = { confirmMs: 0, closeAheadSec: null, minLedgerMs: 1 }
/** A local network in another process, which something else could impersonate. */
const REMOTE_LOCAL_NETWORK: ChainTrust = { confirmMs: 10_000, closeAheadSec: null, minLedgerMs: 1 }

export function chainTrust(network: string, inThisProcess: boolean): ChainTrust {
  if (network !== 'local') return PUBLIC_NETWORK
  return inThisProcess ? LOCAL_NETWORK : REMOTE_LOCAL_NETWORK
}

/** Number of checks that must agree. */
export const CONFIRMING_CHECKS = 3

export interface Confirmation {
  /** Adds a check with the same evidence; true once there are enough, over enough time. */
  confirm(): boolean
  /** True after at least one check. */
  isPending(): boolean
  /** Discards all checks: the evidence was contradicted. */
  reset(): void
}

export function createConfirmation(clock: Clock, confirmMs: number, checksNeeded: number = CONFIRMING_CHECKS): Confirmation {
  let checks = 0
  let sinceMs = 0
  return {
    confirm() {
      if (checks++ === 0) sinceMs = clock.elapsedMs()
      return checks >= checksNeeded && clock.elapsedMs() - sinceMs >= confirmMs
    },
    isPending: () => checks > 0,
    reset: () => void (checks = 0),
  }
}
