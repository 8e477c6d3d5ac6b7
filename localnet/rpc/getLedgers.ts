import type { History, LedgerRecord } from '../history.ts'
import { LEDGERS_PAGE } from './limits.ts'
import type { MethodContext } from './method.ts'
import { isWithinRange, pageRequest, rangeText } from './pagination.ts'
import type { Params } from './params.ts'
import { requireBase64 } from './params.ts'
import { invalidParams } from './rpc-error.ts'

const SEQUENCE_TEXT = /^\d{1,10}$/

/** getLedgers (soroban-rpc, "getLedgers"): the close times of the response are numbers, those of the ledgers are strings. */
export function getLedgers({ history }: MethodContext, params: Params): unknown {
  requireBase64(params)
  const page = pageRequest(params, history, LEDGERS_PAGE)
  const first = page.cursor === null ? page.startLedger : ledgerAfter(page.cursor, history)
  const ledgers = history.ledgers(first, page.limit)
  const latest = history.latest()
  const oldest = history.oldest()
  return {
    ledgers: ledgers.map(ledgerItem),
    latestLedger: latest.sequence,
    latestLedgerCloseTime: latest.closeTimeSec,
    oldestLedger: oldest.sequence,
    oldestLedgerCloseTime: oldest.closeTimeSec,
    cursor: String(ledgers.at(-1)?.sequence ?? first - 1),
  }
}

/** The ledger after a cursor. A cursor at the latest ledger is an error, as on the real node. */
function ledgerAfter(cursor: string, history: History): number {
  if (!SEQUENCE_TEXT.test(cursor)) throw invalidParams(`cursor ('${cursor}') must be a ledger sequence`)
  const next = Number(cursor) + 1
  if (!isWithinRange(next, history)) throw invalidParams(`cursor ('${cursor}') ${rangeText(history)}`)
  return next
}

function ledgerItem(ledger: LedgerRecord): unknown {
  return {
    hash: ledger.hash,
    sequence: ledger.sequence,
    ledgerCloseTime: String(ledger.closeTimeSec),
    headerXdr: ledger.headerEntryXdr,
    metadataXdr: ledger.metadataXdr,
  }
}
