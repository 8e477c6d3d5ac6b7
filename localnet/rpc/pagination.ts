// Start and page of getLedgers and getTransactions, which share their parameters and their refusals (soroban-rpc, "getLedgers").

import type { History } from '../history.ts'
import type { Params } from './params.ts'
import { optionalObject, optionalString, optionalU32 } from './params.ts'
import { invalidParams, outsideRange } from './rpc-error.ts'

/** Where a page begins and how long it may be. */
export interface PageRequest {
  /** Meaningful without a cursor only; then within the ledgers that are kept. */
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

/** The texts of a range that was missed differ between start and cursor, and so do their codes. */
export function rangeText(history: History): string {
  const [oldest, latest] = [history.oldest().sequence, history.latest().sequence]
  return `must be between the oldest ledger: ${oldest} and the latest ledger: ${latest} for this rpc instance`
}

/** True for a ledger that is kept. */
export function isWithinRange(sequence: number, history: History): boolean {
  return sequence >= history.oldest().sequence && sequence <= history.latest().sequence
}

function requireWithinRange(startLedger: number, history: History): void {
  if (!isWithinRange(startLedger, history)) throw outsideRange(`start ledger (${startLedger}) ${rangeText(history)}`)
}
