import type { RpcFailure } from '../../chain/rpc/failure.ts'
import type { UnknownForm } from '../../chain/codec/newer-than-known.ts'
import type { EpochReason } from '../../projections/state/epochs.ts'
import type { BadPage } from './events-page.ts'

/** The outcome of one step of the indexer. */
export type StepResult =
  | {
    readonly kind: 'indexed'
    /** Number of events archived. */
    readonly events: number
    /** True when the page moved the cursor and was written. */
    readonly advanced: boolean
    readonly lastLedger: number | null
    readonly latestLedger: number
    /** True when the index has reached the node's latest ledger. */
    readonly caughtUp: boolean
  }
  /** Another process holds the writer lock. */
  | { readonly kind: 'standby' }
  | { readonly kind: 'waiting'; readonly reason: 'node-lagging' | 'wrong-network' }
  /** The network has a form that this gateway does not know, and without it the next ledgers cannot be verified. The gateway must be upgraded. */
  | { readonly kind: 'outdated'; readonly newer: UnknownForm }
  /** The RPC failed or returned an invalid page. */
  | { readonly kind: 'unreachable'; readonly error: RpcFailure | BadPage }
  /** An epoch began, or an earlier one continues because its chain returned. */
  | { readonly kind: 'epoch'; readonly epoch: string; readonly reason: EpochReason | 'returned'; readonly startLedger: number }
  | { readonly kind: 'gap'; readonly fromLedger: number; readonly toLedger: number }
  /** Another writer committed first; this step wrote nothing. */
  | { readonly kind: 'conflict' }
