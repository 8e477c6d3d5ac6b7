// The archived events of a closed ledger, in the order of their ids (soroban-rpc, "getEvents": event object).

import type { EventRecord } from '../history.ts'
import type { ClosedTransaction } from './close.ts'
import { encodeEventVal, type HostEvent } from './host-events.ts'
import { toBase64 } from './xdr-writer.ts'

/** The transaction index of refunds, above that of every transaction. */
const REFUND_TRANSACTION_INDEX = 1_048_575

/** Ids sort by ledger, transaction, operation and event index. */
function eventId(ledger: number, transaction: number, operation: number, index: number): string {
  const toid = (BigInt(ledger) << 32n) | (BigInt(transaction) << 12n) | BigInt(operation)
  return `${toid.toString().padStart(19, '0')}-${String(index).padStart(10, '0')}`
}

/** The events of a ledger: all fees, then the events of each transaction, then all refunds. */
export function eventRecords(ledger: number, closeTimeSec: number, transactions: readonly ClosedTransaction[]): readonly EventRecord[] {
  const records: EventRecord[] = []
  function add(tx: ClosedTransaction, event: HostEvent, position: readonly [transaction: number, operation: number, index: number]): void {
    const [transactionIndex, operationIndex, index] = position
    records.push({
      id: eventId(ledger, transactionIndex, operationIndex, index),
      ledger,
      closeTimeSec,
      transactionIndex,
      operationIndex,
      type: event.type === 'system' ? 'system' : 'contract',
      contractId: event.contract ?? '',
      txHash: tx.envelope.hash,
      successful: tx.success,
      topics: event.topics.map((topic) => toBase64(encodeEventVal(topic))),
      value: toBase64(encodeEventVal(event.data)),
    })
  }
  transactions.forEach((tx, index) => add(tx, tx.feeEvents.charge, [0, 0, index]))
  transactions.forEach((tx, order) => {
    tx.operationEvents.forEach((events, operation) => {
      events.forEach((event, index) => add(tx, event, [order + 1, operation, index]))
    })
  })
  let refunds = 0
  for (const tx of transactions) {
    if (tx.feeEvents.refund !== null) add(tx, tx.feeEvents.refund, [REFUND_TRANSACTION_INDEX, 0, refunds++])
  }
  return records
}
