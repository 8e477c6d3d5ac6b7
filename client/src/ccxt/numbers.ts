// Converts between the exchange's 7-decimal integers and CCXT's numbers.

import { InvalidOrder } from './errors.ts'

const DECIMALS = 7
export const ONE = 10n ** BigInt(DECIMALS)

/** The nearest float. */
export function toNumber(units: string): number {
  const [, sign = '', digits = '0'] = /^(-?)(\d+)$/.exec(units) ?? []
  const padded = digits.padStart(DECIMALS + 1, '0')
  return Number(`${sign}${padded.slice(0, -DECIMALS)}.${padded.slice(-DECIMALS)}`)
}

export function toOptionalNumber(units: string | null | undefined): number | undefined {
  return units === null || units === undefined ? undefined : toNumber(units)
}

/** A number, or the text of one, in units. Truncates after 7 decimals, as CCXT does with amounts. Throws InvalidOrder. */
export function toUnits(value: number | string | undefined, what: string): bigint {
  const text = typeof value === 'number' ? plain(value) : (value ?? '')
  const [, whole, fraction = ''] = /^(\d{1,30})(?:\.(\d*))?$/.exec(text) ?? []
  if (whole === undefined) throw new InvalidOrder(`${what} must be a number of at least 0, not ${String(value)}`)
  return BigInt(whole + fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0'))
}

/** A number's digits without an exponent. */
function plain(value: number): string {
  const text = String(value)
  return text.includes('e') && Math.abs(value) < 1 ? value.toFixed(20) : text
}

/** A notional size as an amount of the base currency: `size / price`. */
export function amountOf(size: string | null | undefined, price: string | null | undefined): number | undefined {
  if (size === null || size === undefined || price === null || price === undefined || BigInt(price) === 0n) return undefined
  return toNumber(String((BigInt(size) * ONE) / BigInt(price)))
}

/** Unix milliseconds as ISO 8601. */
export function iso8601(ms: number): string
export function iso8601(ms: number | undefined): string | undefined
export function iso8601(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}
