// Formats and parses numbers. Amounts and prices are integers with seven implied decimals; formatting never converts them to floats.

const DECIMALS = 7
const ONE = 10n ** BigInt(DECIMALS)
const MINUS = '−'
/** Shown instead of a value that is not known. */
export const UNKNOWN = 'unknown'

/** `12345678900000` as `1,234,567.89`, rounded half away from zero. */
export function amount(text: string | null, decimals = 2): string {
  if (text === null) return UNKNOWN
  const value = BigInt(text)
  const unit = 10n ** BigInt(DECIMALS - decimals)
  const rounded = ((value < 0n ? -value : value) + unit / 2n) / unit
  const digits = rounded.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',')
  const sign = value < 0n && rounded > 0n ? MINUS : ''
  return decimals === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-decimals)}`
}

/** As `amount`, with a plus sign for positive values. */
export function signed(text: string | null, decimals = 2): string {
  const formatted = amount(text, decimals)
  // A value that is rounded to zero has no sign.
  return text !== null && BigInt(text) > 0n && /[1-9]/.test(formatted) ? `+${formatted}` : formatted
}

/** Number of decimals to show for a price of this size: at least five significant digits, as far as prices have them. */
export function priceDecimals(value: number): number {
  return value >= 1_000 ? 2 : value >= 10 ? 3 : value >= 1 ? 4 : value >= 0.1 ? 6 : DECIMALS
}

/** A price with `priceDecimals` decimals. */
export function price(text: string | null): string {
  return text === null ? UNKNOWN : amount(text, priceDecimals(Number(BigInt(text)) / Number(ONE)))
}

/** A float price, as of a candle, with this many decimals. */
export function floatPrice(value: number, decimals: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

/** Parses user input, with or without thousands separators, into an integer with seven implied decimals; null if it is not a valid amount. */
export function parseAmount(text: string): string | null {
  const [, whole = '', decimals = ''] = /^(\d{1,13})(?:\.(\d{1,7}))?$/.exec(text.trim().replaceAll(/(?<=\d),(?=\d{3})/g, '')) ?? []
  return whole === '' ? null : (BigInt(whole) * ONE + BigInt(decimals.padEnd(DECIMALS, '0'))).toString()
}

/** The inverse of `parseAmount`, for input fields: no thousands separators, no trailing zeros. */
export function plain(text: string): string {
  const value = BigInt(text)
  const decimals = (value % ONE).toString().padStart(DECIMALS, '0').replace(/0+$/, '')
  return `${value / ONE}${decimals === '' ? '' : `.${decimals}`}`
}

/** A number with a fixed number of decimals: `-1234.5` as `−1,234.50`. */
export function decimal(value: number, decimals: number): string {
  const text = value.toLocaleString('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
  return text.replace('-', Number(value.toFixed(decimals)) === 0 ? '' : MINUS)
}

/** Basis points as a percentage. */
export function percent(bps: number): string {
  return `${(bps / 100).toFixed(2)}%`
}

/** The first and last characters of an address or hash. */
export function short(text: string, length = 4): string {
  return text.length <= 2 * length + 1 ? text : `${text.slice(0, length)}…${text.slice(-length)}`
}

/** A duration in its natural unit. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 120) return `${whole} s`
  if (whole < 7_200) return `${Math.round(whole / 60)} min`
  return whole < 172_800 ? `${Math.round(whole / 3_600)} h` : `${Math.round(whole / 86_400)} days`
}

/** Unix seconds as local time. */
export function timeOfDay(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB')
}

/** Unix seconds as local date and time. */
export function dateTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
}

const SHORT_SEC = 600
const DAY_SEC = 86_400
const YEAR_SEC = 31_536_000

/** Unix seconds as a label of an axis: local time, with what distinguishes it within a span of this many seconds. */
export function shortTime(seconds: number, spanSec: number): string {
  const date = new Date(seconds * 1000)
  if (spanSec < SHORT_SEC) return timeOfDay(seconds)
  if (spanSec > YEAR_SEC) return date.toLocaleDateString('en-GB', { month: 'short', year: 'numeric' })
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  return spanSec < DAY_SEC ? time : `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })}, ${time}`
}

export const sideOf = (direction: number | null): string => direction === null ? UNKNOWN : direction === 0 ? 'Long' : 'Short'

/** Profit of a position from the price change alone, without funding and fees; null if the price is not known. */
export function profitByPrice(
  position: { readonly size: string; readonly entryPrice: string; readonly direction: number }, currentPrice: string | undefined,
): string | null {
  const entry = BigInt(position.entryPrice)
  if (currentPrice === undefined || entry === 0n) return null
  const change = (BigInt(currentPrice) - entry) * (position.direction === 0 ? 1n : -1n)
  return (BigInt(position.size) * change / entry).toString()
}

const RATE_PERCENT = 100_000

/** A rate with seven implied decimals, in percent; null is unknown. */
export function rate(value: string | null): string {
  return value === null ? UNKNOWN : `${decimal(Number(value) / RATE_PERCENT, 4)}%`
}
