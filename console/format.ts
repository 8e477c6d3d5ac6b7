// Figures as people read and write them. Amounts and prices are whole numbers with seven decimals, and never pass through a float on their way.

const DECIMALS = 7
const ONE = 10n ** BigInt(DECIMALS)
const MINUS = '−'
/** What stands where a figure is not known. */
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

/** The same with a sign in any case. */
export function signed(text: string | null, decimals = 2): string {
  const written = amount(text, decimals)
  return text !== null && BigInt(text) > 0n ? `+${written}` : written
}

/** How many decimals a price of this size is shown with. */
export function priceDecimals(value: number): number {
  return value >= 1_000 ? 2 : value >= 10 ? 3 : value >= 1 ? 4 : 6
}

/** A price with as many decimals as its size asks for. */
export function price(text: string | null): string {
  return text === null ? UNKNOWN : amount(text, priceDecimals(Number(BigInt(text)) / Number(ONE)))
}

/** What somebody typed, as seven decimals; null when it is no such number. Commas between thousands are taken. */
export function parseAmount(text: string): string | null {
  const [, whole = '', decimals = ''] = /^(\d{1,13})(?:\.(\d{1,7}))?$/.exec(text.trim().replaceAll(/(?<=\d),(?=\d{3})/g, '')) ?? []
  return whole === '' ? null : (BigInt(whole) * ONE + BigInt(decimals.padEnd(DECIMALS, '0'))).toString()
}

/** The same the other way round, to stand in a field: no thousands, no zeros behind. */
export function plain(text: string): string {
  const value = BigInt(text)
  const decimals = (value % ONE).toString().padStart(DECIMALS, '0').replace(/0+$/, '')
  return `${value / ONE}${decimals === '' ? '' : `.${decimals}`}`
}

/** Basis points as per cent. */
export function percent(bps: number): string {
  return `${(bps / 100).toFixed(2)} %`
}

/** The first and the last letters of an address or a hash. */
export function short(text: string, length = 4): string {
  return text.length <= 2 * length + 1 ? text : `${text.slice(0, length)}…${text.slice(-length)}`
}

/** Seconds as people say them. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 120) return `${whole} s`
  if (whole < 7_200) return `${Math.round(whole / 60)} min`
  return whole < 172_800 ? `${Math.round(whole / 3_600)} h` : `${Math.round(whole / 86_400)} days`
}

/** A moment of the browser's day. */
export function timeOfDay(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB')
}

/** A moment with its day. */
export function moment(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
}

export const sideOf = (direction: number | null): string => direction === null ? UNKNOWN : direction === 0 ? 'Long' : 'Short'

/** What a position has won by price alone, as its close would state it; null where the price is not known. */
export function profitByPrice(
  position: { readonly size: string; readonly entryPrice: string; readonly direction: number }, now: string | undefined,
): string | null {
  const entry = BigInt(position.entryPrice)
  if (now === undefined || entry === 0n) return null
  const moved = (BigInt(now) - entry) * (position.direction === 0 ? 1n : -1n)
  return (BigInt(position.size) * moved / entry).toString()
}
