// What is decided of an envelope before anything is stored for it.

import { createBatchedLookup, LookupFailed } from '../base/batched-lookup.ts'
import type { Clock } from '../base/clock.ts'
import type { Requester } from '../base/fair-share.ts'
import type { SignedTransaction } from '../chain/codec/transaction.ts'
import { provedOutcome } from './relay/outcomes.ts'
import type { SubmitOutcome } from './relay/outcomes.ts'
import type { Relay } from './relay/relay.ts'
import type { Store } from '../store/store.ts'
import type { SubmissionKey } from './journal.ts'
import { findStates } from './submission-reads.ts'
import type { SubmissionState } from './submission-reads.ts'
import { isRefused } from './submission-records.ts'

export interface EnvelopeChecks {
  /** The outcome of a transaction whose time bound has passed and that no ledger has; undefined when it must be stored and sent. */
  findExpired(signed: SignedTransaction, submitter: { readonly owner: string; readonly requester: Requester }): Promise<SubmitOutcome | undefined>
  /** The outcome to report when the gateway has no room for a transaction: an earlier copy of it may be on its way. */
  withEarlierCopy(key: SubmissionKey, refusal: SubmitOutcome): Promise<{ readonly outcome: SubmitOutcome; readonly stored: boolean }>
}

const NEVER = new AbortController().signal

export function createEnvelopeChecks(
  { store, relay, clock }: { readonly store: Store; readonly relay: Pick<Relay, 'outcomes'>; readonly clock: Clock },
): EnvelopeChecks {
  // A refusal costs no more than a part of one statement.
  const lookUp = createBatchedLookup({
    clock,
    async find(ids) {
      const states = await findStates(store.lookups, ids.map(keyOf))
      return new Map(states.map((state) => [idOf(state), state]))
    },
  })

  /** `unknown` when the database is not available. */
  async function findSubmission(key: SubmissionKey): Promise<SubmissionState | undefined | 'unknown'> {
    try {
      return await lookUp(idOf(key))
    } catch (error) {
      if (!(error instanceof LookupFailed)) throw error
      return 'unknown'
    }
  }

  return {
    async findExpired(signed, { owner, requester }) {
      const { expiresAt, hash } = signed
      if (expiresAt === null || clock.nowMs() <= expiresAt * 1_000) return undefined
      const stored = await findSubmission({ owner, hash })
      if (stored === 'unknown' || (stored !== undefined && !isRefused(stored.status))) return undefined
      const found = await relay.outcomes.lookUp(signed, requester, { signal: NEVER })
      if (found === null || found.outcome !== undefined) return undefined
      // The clock of this machine proves nothing.
      return (found.latestLedgerCloseSec ?? 0) > expiresAt ? provedOutcome('expired') : undefined
    },
    async withEarlierCopy(key, refusal) {
      const stored = await findSubmission(key)
      if (stored === undefined) return { outcome: refusal, stored: false }
      if (stored === 'unknown') return { outcome: { kind: 'unknown' }, stored: false }
      if (stored.status === 'PENDING') return { outcome: { kind: stored.accepted ? 'pending' : 'unknown' }, stored: true }
      return { outcome: stored.status === 'UNKNOWN' ? { kind: 'unknown' } : refusal, stored: true }
    },
  }
}

function idOf({ owner, hash }: SubmissionKey): string {
  return `${owner} ${hash}`
}

function keyOf(id: string): SubmissionKey {
  const [owner = '', hash = ''] = id.split(' ')
  return { owner, hash }
}
