// Pagination of getLedgers and getTransactions, which share parameters and errors (soroban-rpc, "getLedgers").

import type { History } from '../history.ts'
import type { Params } from './params.ts'
import { optionalObject, optionalString, optionalU32 } from './params.ts'
import { invalidParams, outsideRange } from './rpc-error.ts'

/** The start and the limit of a page. */
export interface PageRequest {
  /** Valid only without a cursor; then it is a retained ledger. */
  readonly startLedger: number
  readonly cursor: string | null
  readonly limit: number
}

/** Reads startLedger or pagination.cursor, and pagination.limit. Throws RpcError. */
export function pageRequest(params: Params, history: History, page: { readonly default: number; readonly max: number }): PageRequest {
  const startLedger = optionalU32(params, 'startLedger')
  const pagination = optionalObject(params, 'pagination') ?? {}
  const limit = optionalU32(pagination, 'limit')
  const cursor = optionalString(pagination, 'cursor') ?? ''
  if (cursor === '') {
    requireWithinRange(startLedger, history)
  } else if (startLedger !== 0) {
    throw invalidParams(`startLedger (${startLedger}) and cursor (${cursor}) cannot both be set`)
  }
  if (limit > page.max) throw invalidParams(`limit must not exceed ${page.max}`)
  return { startLedger, cursor: cursor === '' ? null : cursor, limit: limit === 0 ? page.default : limit }
}

/** The second half of the error message for a start or cursor outside the range. The first half and the error code differ. */
export function rangeText(history: History): string {
  const [oldest, latest] = [history.oldest().sequence, history.latest().sequence]
  return `must be between the oldest ledger: ${oldest} and the latest ledger: ${latest} for this rpc instance`
}

/** True for a retained ledger. */
export function isWithinRange(sequence: number, history: History): boolean {
  return sequence >= history.oldest().sequence && sequence <= history.latest().sequence
}

function requireWithinRange(startLedger: number, history: History): void {
  if (!isWithinRange(startLedger, history)) throw outsideRange(`start ledger (${startLedger}) ${rangeText(history)}`)
}
