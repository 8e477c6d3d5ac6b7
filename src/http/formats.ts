// Formats of schemas: integers that travel as text, and how large each may be.

import { I128_MAX } from '../base/fixed-point.ts'

const U32_MAX = 2n ** 32n - 1n
const U64_MAX = 2n ** 64n - 1n

/** Digits that a contract's type can hold. Anything but digits is another keyword's affair. */
function upTo(max: bigint): (text: string) => boolean {
  return (text) => /^\d{1,64}$/.test(text) && BigInt(text) <= max
}

export const FORMATS = { i128: upTo(I128_MAX), u64: upTo(U64_MAX), u32: upTo(U32_MAX) }
