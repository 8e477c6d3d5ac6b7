// Contract error codes as Markdown tables for the OpenAPI description.

import { REFERRAL_GUIDE, SHARED_GUIDE, TRADER_VAULT_GUIDE } from '../exchange/error-guide.ts'
import type { Guidance } from '../exchange/error-guide.ts'
import { REFERRAL_ERRORS, SHARED_ERRORS, TRADER_VAULT_ERRORS, UNKNOWN_CONTRACT_ERROR } from '../exchange/errors.ts'

/** Served as UnknownContractError because the specification does not name code 43. */
const DEPOSIT_CAP = [43, UNKNOWN_CONTRACT_ERROR, ['The account has reached its deposit cap.', 'Deposit less.']] as const

type Row = readonly [code: number, name: string, guidance: Guidance]

function rows(names: Readonly<Record<number, string>>, guide: Readonly<Record<string, Guidance>>): readonly Row[] {
  return Object.entries(names).map(([code, name]) => [Number(code), name, guide[name] ?? ['', '']])
}

function table(unsorted: readonly Row[]): string {
  const lines = unsorted.toSorted(([a], [b]) => a - b).map(([code, name, [meaning, resolution]]) => `| ${code} | ${name} | ${meaning} | ${resolution} |`)
  return ['| Code | Name | Meaning | Resolution |', '|---|---|---|---|', ...lines].join('\n')
}

export const CONTRACT_ERROR_TABLES: readonly (readonly [heading: string, markdown: string])[] = [
  ['Market, liquidity vault, price shim and router', table([...rows(SHARED_ERRORS, SHARED_GUIDE), DEPOSIT_CAP])],
  ['Trader vaults', table(rows(TRADER_VAULT_ERRORS, TRADER_VAULT_GUIDE))],
  ['Referral', table(rows(REFERRAL_ERRORS, REFERRAL_GUIDE))],
]
