// What is stored of submissions, and when. Each change of a state is one transaction, together with its entry for the log. The log has what a node accepted, or
// may have accepted.

import type { Clock } from '../base/clock.ts'
import type { SignedTransaction } from '../chain/codec/transaction.ts'
import type { Relay } from './relay/relay.ts'
import type { Queryable, Store, Writable } from '../store/store.ts'
import { insertCreated } from './created-statements.ts'
import { CLIENT_ID_HELD_MS, ClientIdInUse } from './preparations.ts'
import { NO_RESERVATIONS, settleUses } from './reserved-uses.ts'
import type { ReservedUses } from './reserved-uses.ts'
import { isRefused, NO_RESULT } from './submission-records.ts'
import type { FinalStatus, SubmissionRecord, SubmissionResult } from './submission-records.ts'
import {
  endSubmission, findPrepared, freeClientId, insertChange, insertSubmission, lockSubmission, lockUnlogged, reopenSubmission, takeClientId, trimRefused,
} from './statements.ts'
import type { Lease } from './statements.ts'
import { NOT_INDEXED, submissionRow } from './transaction-rows.ts'

/** Time for which an instance drives a submission without renewing its lease. */
export const LEASE_MS = 30_000
/** Envelopes of one transaction with different signatures, of which none has been accepted yet. */
const ENVELOPES_MAX = 4
/** Refused submissions that are kept per owner, for look-ups by hash. */
export const REFUSED_KEPT_MAX = 100

export interface Submitter {
  readonly owner: string
  /** Null: the one that was given when the transaction was prepared, if any. */
  readonly clientId: string | null
}

/** The stored state of a submission before its envelope is sent. */
export interface Begun {
  readonly record: SubmissionRecord
  /** True when nothing of it can be on its way: the network had refused all earlier copies, or there are none. */
  readonly isFirst: boolean
}

export interface Journal {
  /** Stores a submission before its envelope is sent. Rejects with ClientIdInUse. */
  begin(signed: SignedTransaction, submitter: Submitter): Promise<Begun>
  /** Adds a pending submission to the log, unless it has it. `unknown`: a node may have accepted the transaction. */
  announce(key: SubmissionKey, how: 'accepted' | 'unknown'): Promise<void>
  /**
   * Ends a submission. Without effect when its state is final already. PREPARED: the network did not take the envelope, and the client decides whether to
   * submit it again. The client id of a transaction that no node accepted is free from then on.
   */
  end(key: SubmissionKey, status: FinalStatus | 'PREPARED', result: SubmissionResult): Promise<void>
}

export interface SubmissionKey {
  readonly owner: string
  readonly hash: string
}

/** `driver` is the name of this instance. */
export function createJournal({ store, clock, driver, operationOf, onEnded, uses = NO_RESERVATIONS }: {
  readonly store: Store
  readonly clock: Clock
  readonly driver: string
  readonly operationOf: Relay['operationOf']
  /** A submission has reached this state. */
  readonly onEnded?: (status: FinalStatus) => void
  readonly uses?: ReservedUses
}): Journal {
  const lease = (): Lease => ({ driver, untilMs: clock.nowMs() + LEASE_MS })

  async function log(tx: Writable, record: SubmissionRecord): Promise<void> {
    await insertChange(tx, record, submissionRow(record, NOT_INDEXED), clock.nowMs())
  }

  async function begin(tx: Queryable, signed: SignedTransaction, { owner, clientId: named }: Submitter): Promise<Begun> {
    const { hash, source, sequence, expiresAt, envelopeXdr } = signed
    const prepared = await findPrepared(tx, owner, hash)
    let existing = await lockSubmission(tx, owner, hash)
    const op = prepared?.op ?? operationOf(signed)
    const clientId = named ?? existing?.clientId ?? prepared?.clientId ?? null
    if (clientId !== null && !isOver(existing)) await holdClientId(tx, owner, clientId, hash)
    if (existing === undefined) {
      const entry = { owner, hash, op, trader: source, clientId, sequence: sequence.toString(), expiresAt, envelope: envelopeXdr }
      const inserted = await insertSubmission(tx, entry, lease(), clock.nowMs())
      if (inserted !== undefined) return { record: inserted, isFirst: true }
      // Another request inserted it after the row was looked for.
      existing = await lockSubmission(tx, owner, hash)
      if (existing === undefined) throw new Error('a submission disappeared while it was stored')
    }
    if (isOver(existing)) return { record: existing, isFirst: false }
    const wasOnItsWay = existing.status === 'PENDING' || existing.status === 'UNKNOWN'
    const envelopes = wasOnItsWay ? withEnvelope(existing, envelopeXdr) : [envelopeXdr]
    if (existing.status === 'PENDING' && envelopes === existing.envelopes && clientId === existing.clientId) return { record: existing, isFirst: false }
    const accepted = wasOnItsWay && existing.accepted
    const reopened = await reopenSubmission(tx, { id: existing.id, op, clientId, accepted }, envelopes, lease(), clock.nowMs())
    if (reopened === undefined) throw new Error('a locked submission disappeared')
    return { record: reopened, isFirst: !wasOnItsWay }
  }

  async function holdClientId(tx: Queryable, owner: string, clientId: string, hash: string): Promise<void> {
    const nowMs = clock.nowMs()
    const holder = await takeClientId(tx, { owner, clientId, hash, nowMs, heldUntilMs: nowMs + CLIENT_ID_HELD_MS })
    if (holder !== hash) throw new ClientIdInUse(holder)
  }

  return {
    begin: (signed, submitter) => store.write.transaction((tx) => begin(tx, signed, submitter)),
    announce: (key, how) => store.write.transaction(async (tx) => {
      // UNKNOWN is final: submitting again what no node accepts must not add to the log.
      const record = await lockUnlogged(tx, key, how === 'accepted' ? ['PENDING'] : ['PENDING', 'UNKNOWN'])
      if (record !== undefined) await log(tx, record)
    }),
    end: (key, status, result) => store.write.transaction(async (tx) => {
      const ended = await endSubmission(tx, key, status, result, clock.nowMs())
      if (ended === undefined) return
      const { clientId, loggedStatus } = ended
      await settleUses(uses, tx, ended)
      if (status === 'SUCCESS' && result.created !== undefined) await insertCreated(tx, result.created, { ...result, hash: key.hash }, clock.nowMs())
      const isUnlogged = loggedStatus === null && isRefused(status)
      if (clientId !== null && (isUnlogged || status === 'PREPARED')) await freeClientId(tx, key, clientId)
      if (isUnlogged) await trimRefused(tx, key.owner, REFUSED_KEPT_MAX)
      else if (loggedStatus !== status) {
        // The log has each submission before it has its end.
        if (loggedStatus === null) await log(tx, { ...ended, ...NO_RESULT, status: 'PENDING' })
        await log(tx, result.created === undefined ? ended : { ...ended, created: result.created })
      }
      if (status !== 'PREPARED') onEnded?.(status)
    }),
  }
}

/** True when the transaction is in a ledger. */
function hasLedger(record: SubmissionRecord | undefined): boolean {
  return record?.status === 'SUCCESS' || record?.status === 'FAILED'
}

/** True when no send can change its state: it is in a ledger, or none can contain it any more. */
export function isOver(record: SubmissionRecord | undefined): boolean {
  return hasLedger(record) || record?.status === 'EXPIRED'
}

/** An accepted envelope stays. Otherwise the newest ones are kept: the hash does not cover the signatures, and any of them may be the valid one. */
function withEnvelope({ accepted, envelopes }: SubmissionRecord, envelopeXdr: string): readonly string[] {
  if (accepted || envelopes.includes(envelopeXdr)) return envelopes
  return [envelopeXdr, ...envelopes].slice(0, ENVELOPES_MAX)
}
