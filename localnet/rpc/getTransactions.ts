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
/** Cursors of this method point to operation 1, not 0. */
const CURSOR_OPERATION = 1

/** The position of a transaction. A page starts after it. */
interface Position {
  readonly ledger: number
  readonly applicationOrder: number
}

/**
 * getTransactions (soroban-rpc, "getTransactions"): all fields are numbers, and the close times are called …CloseTimestamp. The cursor of an empty page is
 * the caller's position, as on current nodes. The cursor `0` of older nodes is a fault (get_transactions_cursor_zero).
 */
export function getTransactions({ history }: MethodContext, params: Params): unknown {
  requireBase64(params)
  const page = pageRequest(params, history, TRANSACTIONS_PAGE)
  const start = page.cursor === null ? { ledger: page.startLedger, applicationOrder: 0 } : parseCursor(page.cursor, history)
  const found = history.transactionsAfter(start.ledger, start.applicationOrder, page.limit)
  const latest = history.latest()
  const oldest = history.oldest()
  const scannedToLatest = found.length < page.limit ? [{ ledger: latest.sequence, applicationOrder: 0 }] : []
  return {
    transactions: found.map(transactionItem),
    latestLedger: latest.sequence,
    latestLedgerCloseTimestamp: latest.closeTimeSec,
    oldestLedger: oldest.sequence,
    oldestLedgerCloseTimestamp: oldest.closeTimeSec,
    cursor: cursorAfter([start, ...found, ...scannedToLatest]),
  }
}

function parseCursor(cursor: string, history: History): Position {
  if (!TOID_TEXT.test(cursor)) throw invalidParams(`cursor ('${cursor}') must be a transaction's position`)
  const { ledger, transaction } = parseToid(BigInt(cursor))
  if (ledger < history.oldest().sequence) throw invalidParams(`database does not contain metadata for ledger: ${ledger}`)
  return { ledger, applicationOrder: transaction }
}

/** The last of these positions. A page that is not full has scanned the latest ledger. */
function cursorAfter(positions: readonly Position[]): string {
  const toids = positions.map(({ ledger, applicationOrder }) => toid(ledger, applicationOrder, CURSOR_OPERATION))
  return toids.reduce((last, each) => (each > last ? each : last)).toString()
}

function transactionItem(record: TransactionRecord): unknown {
  return { ...transactionDetails(record), createdAt: record.closeTimeSec }
}
