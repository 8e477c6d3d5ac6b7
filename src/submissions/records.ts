// The rows of the tables in the schema tx.

import type { TransactionRow } from '../resources/transaction.ts'

/** A prepared transaction. */
export interface PreparedRecord {
  /** Lower-case hex. */
  readonly hash: string
  readonly owner: string
  readonly op: string
  readonly clientId: string | null
  /** Unix seconds. */
  readonly expiresAt: number
}

/** A change of a submission, with the row as GET /v1/tx/{hash} returned it then. */
export interface SubmissionChange {
  readonly owner: string
  readonly hash: string
  readonly row: TransactionRow
}
