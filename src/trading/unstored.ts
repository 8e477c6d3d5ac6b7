// Submissions that could not be stored when they happened, in memory, until the database is back.

import type { Log } from '../base/log.ts'
import type { SignedTransaction } from '../chain/codec/transaction.ts'
import type { SubmitOutcome } from './relay/outcomes.ts'
import type { Journal, Submitter } from './journal.ts'
import { isUnavailable } from './store-access.ts'

/** The oldest are dropped beyond this number. */
export const UNSTORED_MAX = 1_000

export interface Unstored {
  readonly signed: SignedTransaction
  readonly submitter: Submitter
  readonly outcome: SubmitOutcome
}

export interface UnstoredSubmissions {
  keep(entry: Unstored): void
  /** Stores what could not be stored when it happened, as far as the database is available. */
  storeLate(): Promise<void>
}

export function createUnstoredSubmissions({ journal, log, storeOutcome }: {
  readonly journal: Pick<Journal, 'begin'>
  readonly log: Log
  /** `isFirst`: no earlier copy can be on its way. */
  readonly storeOutcome: (entry: Unstored, isFirst: boolean) => Promise<void>
}): UnstoredSubmissions {
  const unstored = new Map<string, Unstored>()
  return {
    keep(entry) {
      const key = `${entry.submitter.owner} ${entry.signed.hash}`
      unstored.delete(key)
      const [oldest] = unstored.keys()
      if (unstored.size >= UNSTORED_MAX && oldest !== undefined) unstored.delete(oldest)
      unstored.set(key, entry)
    },
    async storeLate() {
      for (const [key, entry] of unstored) {
        try {
          const { isFirst } = await journal.begin(entry.signed, entry.submitter)
          await storeOutcome(entry, isFirst)
        } catch (error) {
          if (isUnavailable(error)) return
          log.warn({ err: error, hash: entry.signed.hash }, 'a submission could not be stored later')
        }
        // A later submission of the same transaction may have replaced it.
        if (unstored.get(key) === entry) unstored.delete(key)
      }
    },
  }
}
