import type { History, TransactionRecord } from '../history.ts'
import { TRANSACTIONS_PAGE } from './limits.ts'
import type { MethodContext } from './method.ts'
import { pageRequest } from './pagination.ts'
import type { Params } from './params.ts'
import { requireBase64 } from './params.ts'
import { invalidParams } from './rpc-error.ts'
import { parseToid, toid } from './toid.ts'
import { transactionDetails } from './transaction-details.ts'

const TOID_TEXT = /^\d{1,19}$/
/** Cursors of this method point at the operation with this number, not at 0. */
const CURSOR_OPERATION = 1

/** A transaction's place: behind it a page begins. */
interface Position {
  readonly ledger: number
  readonly applicationOrder: number
}

/**
 * getTransactions (soroban-rpc, "getTransactions"): everything is a number here, and the close times of the answer have a name of their own.
 * A page that found nothing keeps the caller's place, as the corrected node does; the older node's cursor `0` is a fault to be armed.
 */
export function getTransactions({ history }: MethodContext, params: Params): unknown {
  requireBase64(params)
  const page = pageRequest(params, history, TRANSACTIONS_PAGE)
  const start = page.cursor === null ? { ledger: page.startLedger, applicationOrder: 0 } : parseCursor(page.cursor, history)
  const found = history.transactionsAfter(start.ledger, start.applicationOrder, page.limit)
  const latest = history.latest()
  const oldest = history.oldest()
  const seenToTheTip = found.length < page.limit ? [{ ledger: latest.sequence, applicationOrder: 0 }] : []
  return {
    transactions: found.map(transactionItem),
    latestLedger: latest.sequence,
    latestLedgerCloseTimestamp: latest.closeTimeSec,
    oldestLedger: oldest.sequence,
    oldestLedgerCloseTimestamp: oldest.closeTimeSec,
    cursor: cursorAfter([start, ...found, ...seenToTheTip]),
  }
}

function parseCursor(cursor: string, history: History): Position {
  if (!TOID_TEXT.test(cursor)) throw invalidParams(`cursor ('${cursor}') must be a transaction's position`)
  const { ledger, transaction } = parseToid(BigInt(cursor))
  if (ledger < history.oldest().sequence) throw invalidParams(`database does not contain metadata for ledger: ${ledger}`)
  return { ledger, applicationOrder: transaction }
}

/** The furthest of the places that a page has seen: an unfilled page has seen the latest ledger, even when nothing was in it. */
function cursorAfter(places: readonly Position[]): string {
  const toids = places.map(({ ledger, applicationOrder }) => toid(ledger, applicationOrder, CURSOR_OPERATION))
  return toids.reduce((furthest, each) => (each > furthest ? each : furthest)).toString()
}

function transactionItem(record: TransactionRecord): unknown {
  return { ...transactionDetails(record), createdAt: record.closeTimeSec }
}
