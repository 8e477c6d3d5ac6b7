// Corrects final states that proved to be false. Each correction is one transaction, together with its entry for the log.

import { insertCreated } from './created-statements.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { endCheck } from '../projections/repair/submission-checks.ts'
import type { CheckResult } from '../projections/repair/submission-checks.ts'
import type { Store, Writable } from '../store/store.ts'
import { driveAgain, endConfirmation, postponeConfirmation, replaceOutcome } from './correction-statements.ts'
import { settleUses } from './reserved-uses.ts'
import type { ReservedUses } from './reserved-uses.ts'
import type { SubmissionRecord, SubmissionResult } from './submission-records.ts'
import { insertChange } from './statements.ts'
import { NOT_INDEXED, submissionRow } from './transaction-rows.ts'

export interface Corrections {
  /** Replaces a false final state by an outcome. */
  correct(record: SubmissionRecord, status: 'SUCCESS' | 'FAILED', result: SubmissionResult): Promise<void>
  /** Drives a submission again whose outcome no ledger contains. */
  reopen(record: SubmissionRecord): Promise<void>
  /** The state holds: stores how many nodes report it. */
  confirm(record: SubmissionRecord, evidence: Pick<SubmissionResult, 'confirmedBy' | 'nodes'>): Promise<void>
  /** Not enough nodes answer. `dueMs` null: nothing asks again. */
  postpone(record: SubmissionRecord, dueMs: number | null): Promise<void>
}

export function createCorrections({ store, clock, log, uses, onCorrected }: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly uses: ReservedUses
  readonly onCorrected: () => void
}): Corrections {
  async function change(
    record: SubmissionRecord, result: CheckResult, write: (tx: Writable) => Promise<SubmissionRecord | undefined>,
  ): Promise<void> {
    const changed = await store.write.transaction(async (tx) => {
      const written = await write(tx)
      await endCheck(tx, record.id, result)
      if (written !== undefined && result === 'corrected') await settleUses(uses, tx, written)
      if (written !== undefined) await insertChange(tx, written, submissionRow(written, NOT_INDEXED), clock.nowMs())
      return written
    })
    if (changed === undefined || result !== 'corrected') return
    onCorrected()
    log.warn({ hash: record.hash, stored: record.status, corrected: changed.status }, 'the stored outcome of a submission was false, and was corrected')
  }

  return {
    correct: (record, status, result) => change(record, 'corrected', async (tx) => {
      const nowMs = clock.nowMs()
      const written = await replaceOutcome(tx, record, status, result, nowMs)
      if (written !== undefined && status === 'SUCCESS' && result.created !== undefined) await insertCreated(tx, result.created, { ...result,
        hash: record.hash }, nowMs)
      return written
    }),
    reopen: (record) => change(record, 'corrected', (tx) => driveAgain(tx, record, clock.nowMs())),
    confirm: (record, evidence) => change(record, 'same', (tx) => endConfirmation(tx, record, evidence)),
    postpone: (record, dueMs) => change(record, 'unverifiable', async (tx) => {
      await postponeConfirmation(tx, record, dueMs)
      return undefined
    }),
  }
}
