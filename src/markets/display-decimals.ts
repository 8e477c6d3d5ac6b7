/** Digits of a price that people read, within the bounds of DECIMALS. */
const SIGNIFICANT_DIGITS = 6
const DECIMALS = { min: 2, max: 7 } as const

/** The decimals with which a price of this size is shown: six significant digits, at least 2 decimals. All 7 if the price is unknown. */
export function displayDecimals(price: number | undefined): number {
  if (price === undefined) return DECIMALS.max
  const wholeDigits = price <= 0 ? 0 : Math.floor(Math.log10(price)) + 1
  return Math.min(DECIMALS.max, Math.max(DECIMALS.min, SIGNIFICANT_DIGITS - wholeDigits))
}
