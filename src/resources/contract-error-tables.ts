// Contract error codes as Markdown tables for the OpenAPI description.

import { REFERRAL_CHANGES, SHARED_CHANGES, TRADER_VAULT_CHANGES } from '../exchange/errors/error-guide-2.ts'
import { REFERRAL_GUIDE, SHARED_GUIDE, TRADER_VAULT_GUIDE } from '../exchange/errors/error-guide.ts'
import {
  REFERRAL_ADDED, REFERRAL_ERRORS, SHARED_ADDED, SHARED_ERRORS, TRADER_VAULT_ADDED, TRADER_VAULT_ERRORS, UNKNOWN_CONTRACT_ERROR,
} from '../exchange/errors/errors.ts'
import type { Guidance } from '../exchange/errors/guidance.ts'

/** Served as UnknownContractError because the specification does not name code 43. */
const DEPOSIT_CAP = [43, UNKNOWN_CONTRACT_ERROR, ['The account has reached its deposit cap.', 'Deposit less.']] as const

type Row = readonly [code: number, name: string, guidance: Guidance]

/** The errors that the guide explains. */
function rows(names: Readonly<Record<number, string>>, guide: Readonly<Record<string, Guidance>>): readonly Row[] {
  return Object.entries(names).flatMap(([code, name]): readonly Row[] => {
    const guidance = guide[name]
    return guidance === undefined ? [] : [[Number(code), name, guidance]]
  })
}

function table(unsorted: readonly Row[]): string {
  const lines = unsorted.toSorted(([a], [b]) => a - b).map(([code, name, [meaning, resolution]]) => `| ${code} | ${name} | ${meaning} | ${resolution} |`)
  return ['| Code | Name | Meaning | Resolution |', '|---|---|---|---|', ...lines].join('\n')
}

/** Only what differs from the first generation. */
function changes(first: Readonly<Record<number, string>>, added: Readonly<Record<number, string>>, guide: Readonly<Record<string, Guidance>>): string {
  return table(rows({ ...first, ...added }, guide))
}

const SECOND = 'generation 2: new or changed'

export const CONTRACT_ERROR_TABLES: readonly (readonly [heading: string, markdown: string])[] = [
  ['Market, liquidity vault, price shim and router', table([...rows(SHARED_ERRORS, SHARED_GUIDE), DEPOSIT_CAP])],
  [`Market, liquidity vault, price shim and router, ${SECOND}`, changes(SHARED_ERRORS, SHARED_ADDED, SHARED_CHANGES)],
  ['Trader vaults', table(rows(TRADER_VAULT_ERRORS, TRADER_VAULT_GUIDE))],
  [`Trader vaults, ${SECOND}`, changes(TRADER_VAULT_ERRORS, TRADER_VAULT_ADDED, TRADER_VAULT_CHANGES)],
  ['Referral', table(rows(REFERRAL_ERRORS, REFERRAL_GUIDE))],
  [`Referral, ${SECOND}`, changes(REFERRAL_ERRORS, REFERRAL_ADDED, REFERRAL_CHANGES)],
]
