import type { TransactionRecord } from '../history.ts'

/**
 * The fields that getTransaction and getTransactions share. Empty lists are omitted, but not `events` (soroban-rpc, "getTransaction"). Each method adds
 * `createdAt`, whose type differs.
 */
export function transactionDetails(record: TransactionRecord): Record<string, unknown> {
  return {
    status: record.status,
    txHash: record.hash,
    applicationOrder: record.applicationOrder,
    feeBump: record.innerHash !== null,
    envelopeXdr: record.envelopeXdr,
    resultXdr: record.resultXdr,
    resultMetaXdr: record.resultMetaXdr,
    ...listUnlessEmpty('diagnosticEventsXdr', record.diagnosticEventsXdr),
    events: {
      ...listUnlessEmpty('transactionEventsXdr', record.transactionEventsXdr),
      ...listUnlessEmpty('contractEventsXdr', record.contractEventsXdr),
    },
    ledger: record.ledger,
  }
}

function listUnlessEmpty(name: string, list: readonly unknown[]): Record<string, unknown> {
  return list.length === 0 ? {} : { [name]: list }
}
