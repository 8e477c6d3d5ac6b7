// JSON Schema formats for integers sent as text, for names, and for networks.

import { I128_MAX } from '../base/fixed-point.ts'
import { parseIpNetwork } from '../base/ip-network.ts'
import { isDisplayable } from '../base/text.ts'

const U32_MAX = 2n ** 32n - 1n
const U64_MAX = 2n ** 64n - 1n

/** Accepts digits up to `max`. */
function upTo(max: bigint): (text: string) => boolean {
  return (text) => /^\d{1,64}$/.test(text) && BigInt(text) <= max
}

export const FORMATS = {
  i128: upTo(I128_MAX), u64: upTo(U64_MAX), u32: upTo(U32_MAX), displayable: isDisplayable,
  network: (text: string) => parseIpNetwork(text) !== undefined,
}
