import assert from 'node:assert/strict'

/** Converts a number with seven decimals to 7-decimal units: `-1.2345678` to `-12345678`. */
export function unitsOf(text: string): string {
  assert.match(text, /^-?(?:0|[1-9]\d*)\.\d{7}$/)
  return String(BigInt(text.replace('.', '')))
}
