// The response of getTransactions.

import { count, fields, list, parseRecord, text } from './responses.ts'
import type { TransactionRecord } from './responses.ts'

/** getTransactions: the transactions of successive ledgers, in their order. */
export interface TransactionsPage {
  readonly transactions: readonly ListedTransaction[]
  /** Position at which the next page begins. */
  readonly cursor: string
  readonly latestLedger: number
}

export interface ListedTransaction extends TransactionRecord {
  readonly txHash: string
  readonly ledger: number
  readonly isSuccess: boolean
}

export function parseTransactions(result: unknown): TransactionsPage {
  const response = fields(result, 'transactions')
  return {
    transactions: list(response['transactions'], 'transactions').map((item) => {
      const entry = fields(item, 'transaction')
      const isSuccess = text(entry['status'], 'status') === 'SUCCESS'
      return { ...parseRecord(entry), txHash: text(entry['txHash'], 'txHash'), ledger: count(entry['ledger'], 'ledger'), isSuccess }
    }),
    cursor: text(response['cursor'], 'cursor'),
    latestLedger: count(response['latestLedger'], 'latestLedger'),
  }
}
