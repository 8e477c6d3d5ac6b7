import assert from 'node:assert/strict'

/** A decimal number with all of its seven decimals, as the integer that it stands for: `-1.2345678` is `-12345678`. */
export function unitsOf(text: string): string {
  assert.match(text, /^-?(?:0|[1-9]\d*)\.\d{7}$/)
  return String(BigInt(text.replace('.', '')))
}
