// The cash ledger as a file of comma-separated values (RFC 4180), with exact amounts.

import type { CashMovement } from '../../client/src/generated/resources.ts'

const DECIMALS = 7
const COLUMNS = ['seq', 'time', 'kind', 'balance', 'amount', 'fee', 'funding', 'pnl', 'position', 'order', 'vault', 'ledger', 'transaction'] as const
/** In place of an amount that the gateway does not know yet. Other empty cells do not apply, or are not known. */
const UNKNOWN_AMOUNT = 'unknown'

/** Lines of the file, each with its end. */
export const CSV_HEADER = lineOf(COLUMNS)

export function csvLine(row: CashMovement): string {
  const optional = (value: string | null): string => (value === null ? '' : exact(value))
  return lineOf([
    row.seq, new Date(row.ts * 1000).toISOString(), row.kind, row.balanceOf, row.amount === null ? UNKNOWN_AMOUNT : exact(row.amount), optional(row.fee),
    optional(row.funding), optional(row.pnl), row.positionId ?? '', row.orderId ?? '', row.vaultId ?? '', row.ledger, row.txHash,
  ])
}

/** An integer with seven implied decimals as a decimal number, without rounding: `-12345` is `-0.0012345`. */
export function exact(value: string): string {
  const isNegative = value.startsWith('-')
  const digits = (isNegative ? value.slice(1) : value).padStart(DECIMALS + 1, '0')
  return `${isNegative ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`
}

/** Names the account and the day (UTC); of an export in several files, also the part. */
export function fileName({ account, nowSec, part }: { readonly account: string; readonly nowSec: number; readonly part: number }): string {
  return `cash-${account}-${new Date(nowSec * 1000).toISOString().slice(0, 10)}${part === 1 ? '' : `-part-${part}`}.csv`
}

function lineOf(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => quoted(String(cell))).join(',')}\r\n`
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
