// Converts between decimals and the exchange's 7-decimal integers. Works on digits, never on floats, so nothing is rounded.

import { UsageError } from './usage-error.ts'

const DECIMALS = 7

/** `92370.5` as `923705000000`. Throws UsageError for anything else; `what` names the value in the error. */
export function toUnits(text: string, what: string): string {
  const [, whole, fraction = ''] = /^(\d{1,30})(?:\.(\d{1,30}))?$/.exec(text) ?? []
  if (whole === undefined) throw new UsageError(`${what}: ${JSON.stringify(text)} is not an amount. Write a decimal like 100 or 0.25.`)
  const significant = fraction.replace(/0+$/, '')
  if (significant.length > DECIMALS) throw new UsageError(`${what}: ${text} has more than ${DECIMALS} decimals.`)
  return String(BigInt(whole + significant.padEnd(DECIMALS, '0')))
}

/** `923705000000` as `92370.50`: exact, with at least two decimals. Returns text that is not an integer unchanged. */
export function fromUnits(units: string): string {
  const [, sign = '', digits] = /^(-?)(\d+)$/.exec(units) ?? []
  if (digits === undefined) return units
  const padded = digits.padStart(DECIMALS + 1, '0')
  const fraction = padded.slice(-DECIMALS).replace(/0{1,5}$/, '')
  return `${sign}${padded.slice(0, -DECIMALS)}.${fraction}`
}

/** A 7-decimal share as a percentage: `2000` as `0.02 %`. */
export function toPercent(units: string): string {
  const [, sign = '', digits] = /^(-?)(\d+)$/.exec(units) ?? []
  if (digits === undefined) return units
  const padded = digits.padStart(6, '0')
  const fraction = padded.slice(-5).replace(/0+$/, '')
  return `${sign}${padded.slice(0, -5)}${fraction === '' ? '' : `.${fraction}`} %`
}

/** `1%`, `0.5%` or `50bps` as basis points. A number without a unit is ambiguous and is rejected. */
export function toBps(text: string, what: string): number {
  const [, number = '', unit] = /^(\d{1,5}(?:\.\d{1,4})?)\s*(%|bps)$/.exec(text) ?? []
  const bps = unit === undefined ? NaN : Number(BigInt(toUnits(number, what))) / (unit === '%' ? 100_000 : 10_000_000)
  if (!Number.isInteger(bps)) {
    throw new UsageError(`${what}: ${JSON.stringify(text)} is not a share. Write whole basis points, like 1%, 0.25% or 50bps.`)
  }
  return bps
}
