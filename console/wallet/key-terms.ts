// The terms of a new key: checks the inputs and builds the restrictions that the gateway enforces. Pure.

import type { ApiKey, KeyRestrictions } from '../../client/src/index.ts'
import { parseAmount } from '../format.ts'

type Scope = ApiKey['scopes'][number]

/** The scopes with what each allows, as the user reads it. */
export const SCOPES: readonly (readonly [scope: Scope, text: string])[] = [
  ['read', 'Read the account'], ['trade', 'Trade: open, close and move collateral'], ['close', 'Only reduce: close, cancel, stop-loss and take-profit'],
  ['vaults', 'Pool, vaults and sending USDC'], ['referral', 'Referral codes and rewards'], ['keys', 'List, rotate and revoke all keys of the account'],
  ['lend', 'Lend keys that can do less'],
]

export const LIFETIMES = [['', 'No end'], ['1', '1 day'], ['7', '7 days'], ['30', '30 days'], ['90', '90 days'], ['365', '1 year']] as const

/** The inputs as the user typed them. */
export interface KeyTerms {
  readonly label: string
  readonly scopes: readonly Scope[]
  /** Days; empty without an end. */
  readonly lifetime: string
  readonly networks: string
  readonly assets: string
  readonly maxLeverage: string
  readonly maxNotional: string
  readonly maxOrders: string
}

export interface KeyTermsCheck {
  /** Sentences, by the input that each is about. */
  readonly problems: ReadonlyMap<keyof KeyTerms, string>
  /** What is absent does not restrict the key, or is inherited by a key that is lent. */
  readonly restrictions: KeyRestrictions
}

const DAY_MS = 86_400_000
const NETWORK = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:.]*:[0-9a-f:.]*)(?:\/\d{1,3})?$/i
const NETWORKS_MAX = 16
const LEVERAGE_MAX = 1_000
const ORDERS_MAX = 999_999_999

/** Terms that restrict nothing: of a new key, or of one that is lent by a key with these scopes. */
export function emptyTerms(scopes: readonly Scope[]): KeyTerms {
  return { label: '', scopes, lifetime: '', networks: '', assets: '', maxLeverage: '', maxNotional: '', maxOrders: '' }
}

/** `markets`: the symbols that exist. */
export function checkTerms(terms: KeyTerms, { nowMs, markets }: { readonly nowMs: number; readonly markets: readonly string[] }): KeyTermsCheck {
  const problems = new Map<keyof KeyTerms, string>()
  if (terms.scopes.length === 0) problems.set('scopes', 'Choose what the key may do.')
  const networks = listOf(terms.networks)
  const wrong = networks.find((network) => !NETWORK.test(network))
  if (wrong !== undefined) problems.set('networks', `${wrong} is not a network. Write 203.0.113.0/24, or 2001:db8::/32.`)
  else if (networks.length > NETWORKS_MAX) problems.set('networks', `Enter at most ${NETWORKS_MAX} networks.`)
  const assets = listOf(terms.assets.toUpperCase())
  const unknown = assets.find((asset) => !markets.includes(asset))
  if (unknown !== undefined) problems.set('assets', `${unknown} is not a market. The markets are ${markets.join(', ')}.`)
  const notional = terms.maxNotional.trim() === '' ? undefined : parseAmount(terms.maxNotional)
  if (notional === null) problems.set('maxNotional', 'Enter an amount, for example 10000.')
  const caps: NonNullable<KeyRestrictions['caps']> = {
    ...(assets.length === 0 ? {} : { assets }),
    ...member('maxLeverage', wholeNumber('maxLeverage', terms, { min: 1, max: LEVERAGE_MAX }, problems)),
    ...(typeof notional === 'string' ? { maxNotionalPerDay: notional } : {}),
    ...member('maxOrdersPerDay', wholeNumber('maxOrders', terms, { min: 0, max: ORDERS_MAX }, problems)),
  }
  return {
    problems,
    restrictions: {
      scopes: SCOPES.map(([scope]) => scope).filter((scope) => terms.scopes.includes(scope)),
      ...(terms.lifetime === '' ? {} : { expiresAt: nowMs + Number(terms.lifetime) * DAY_MS }),
      ...(networks.length === 0 ? {} : { cidrs: networks }),
      ...(Object.keys(caps).length === 0 ? {} : { caps }),
    },
  }
}

/** True if a key with these terms can do what the account's own page needs: it is not a key for a program. */
export function isUnlimited({ scopes, expiresAt, cidrs, caps }: KeyRestrictions): boolean {
  return expiresAt === undefined && cidrs === undefined && caps === undefined && SCOPES.every(([scope]) => scope === 'lend' || scopes?.includes(scope) === true)
}

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((item) => item !== '')

function member<Name extends string>(name: Name, value: number | null): { readonly [Key in Name]?: number } {
  return value === null ? {} : { [name]: value } as { readonly [Key in Name]: number }
}

/** Null without an input, and for one that is not accepted. */
function wholeNumber(
  name: 'maxLeverage' | 'maxOrders', terms: KeyTerms, { min, max }: { readonly min: number; readonly max: number }, problems: Map<keyof KeyTerms, string>,
): number | null {
  const text = terms[name].trim()
  if (text === '') return null
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1
  if (value >= min && value <= max) return value
  problems.set(name, `Enter a whole number from ${min}.`)
  return null
}
