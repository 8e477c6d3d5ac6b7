// The contracts' error codes as tables of the document.

import { REFERRAL_GUIDE, SHARED_GUIDE, TRADER_VAULT_GUIDE } from '../exchange/error-guide.ts'
import type { Guidance } from '../exchange/error-guide.ts'
import { REFERRAL_ERRORS, SHARED_ERRORS, TRADER_VAULT_ERRORS, UNKNOWN_CONTRACT_ERROR } from '../exchange/errors.ts'

/** Served under this name: the specification leaves the code out of the names. */
const DEPOSIT_CAP = [43, UNKNOWN_CONTRACT_ERROR, ['The deposit cap of the account is reached', 'Deposit less']] as const

type Row = readonly [code: number, name: string, guidance: Guidance]

function rows(names: Readonly<Record<number, string>>, guide: Readonly<Record<string, Guidance>>): readonly Row[] {
  return Object.entries(names).map(([code, name]) => [Number(code), name, guide[name] ?? ['', '']])
}

function table(of: readonly Row[]): string {
  const lines = of.toSorted(([a], [b]) => a - b).map(([code, name, [meaning, whatToDo]]) => `| ${code} | ${name} | ${meaning} | ${whatToDo} |`)
  return ['| Code | Name | What it means | What to do |', '|---|---|---|---|', ...lines].join('\n')
}

/** Each table under the contracts that it is of. */
export const CONTRACT_ERROR_TABLES: readonly (readonly [of: string, markdown: string])[] = [
  ['Market, liquidity vault, price shim and router', table([...rows(SHARED_ERRORS, SHARED_GUIDE), DEPOSIT_CAP])],
  ['Trader vaults', table(rows(TRADER_VAULT_ERRORS, TRADER_VAULT_GUIDE))],
  ['Referral', table(rows(REFERRAL_ERRORS, REFERRAL_GUIDE))],
]
