// What keys have reserved for transactions: which outcome keeps a reservation, and which one ends it. Who reserves is not known here.

import { ENTRY_OPERATIONS } from '../exchange/entries.ts'
import type { Writable } from '../store/store.ts'
import type { SubmissionRecord } from './submission-records.ts'

/** The outcome for the reservations of a transaction: they count, they are released, or the transaction was not taken and may be submitted again. */
type UseOutcome = 'counts' | 'released' | { readonly expiresAtMs: number }

/** The reservation that a key makes for a transaction before it is stored and sent. */
export interface Reservation {
  /** True: without it nothing is sent. */
  readonly isRequired: boolean
  reserve(): Promise<void>
}

export interface ReservedUses {
  /** Stores what became of a transaction's reservations, in the transaction that stores what became of it. */
  settle(tx: Writable, hash: string, outcome: UseOutcome): Promise<void>
  /** Ends reservations that have expired. */
  sweep(): Promise<void>
}

export const NO_RESERVATIONS: ReservedUses = { settle: () => Promise.resolve(), sweep: () => Promise.resolve() }

/** Stores what the state of a transaction means for its reservations. */
export async function settleUses(
  uses: ReservedUses, tx: Writable, { hash, op, status, expiresAt }: Pick<SubmissionRecord, 'hash' | 'op' | 'status' | 'expiresAt'>,
): Promise<void> {
  if (op === null || !ENTRY_OPERATIONS.has(op)) return
  // Nothing is known of an unknown outcome, so the reservation stays as it is.
  if (status === 'UNKNOWN') return
  if (status === 'SUCCESS' || status === 'PENDING') return await uses.settle(tx, hash, 'counts')
  const returns = status === 'PREPARED' && expiresAt !== null
  await uses.settle(tx, hash, returns ? { expiresAtMs: expiresAt * 1_000 } : status === 'PREPARED' ? 'counts' : 'released')
}
