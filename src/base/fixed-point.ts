// Amounts, prices and sizes are integers with seven decimals: 10_000_000n is 1.0.

/** One unit in 7-decimal fixed point. */
export const ONE_E7 = 10_000_000n

/** The largest and smallest amount a contract can hold (i128). */
export const I128_MAX = 2n ** 127n - 1n
export const I128_MIN = -(2n ** 127n)

/** The larger of two amounts. */
export function maxAmount(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** The smaller of two amounts. */
export function minAmount(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** The JSON form of an amount. Null when the amount is unknown. */
export function amountText(amount: bigint | null | undefined): string | null {
  return amount === null || amount === undefined ? null : String(amount)
}

/** True for the decimal text of an integer that fits i128, the JSON form of amounts. */
export function isI128Text(text: string): boolean {
  if (!/^-?\d{1,39}$/.test(text)) return false
  const value = BigInt(text)
  return value >= I128_MIN && value <= I128_MAX
}

/** Converts a fixed-point amount to a float, for the few fields that the specification defines as numbers. */
export function toFloat(amountE7: bigint): number {
  return Number(amountE7) / Number(ONE_E7)
}

/** Parses a decimal such as `12.5` to fixed point. Throws RangeError for more than seven decimals. */
export function parseDecimal(text: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,7}))?$/.exec(text)
  if (match === null) throw new RangeError(`not a decimal number with at most 7 decimals: ${text}`)
  const [, sign, whole, fraction] = match
  const magnitude = BigInt(whole ?? '0') * ONE_E7 + BigInt((fraction ?? '').padEnd(7, '0'))
  return sign === '-' ? -magnitude : magnitude
}

/** Formats a fixed-point amount as a decimal without trailing zeros: 125000000n is `12.5`. */
export function formatDecimal(amountE7: bigint): string {
  const magnitude = amountE7 < 0n ? -amountE7 : amountE7
  const fraction = (magnitude % ONE_E7).toString().padStart(7, '0').replace(/0+$/, '')
  const text = fraction === '' ? `${magnitude / ONE_E7}` : `${magnitude / ONE_E7}.${fraction}`
  return amountE7 < 0n ? `-${text}` : text
}
