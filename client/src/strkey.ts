// Addresses and secrets as people write them: a letter that says what it is, 32 bytes, a checksum, in base32 (SEP-23).

import { concat } from './bytes.ts'

/** The first byte, which becomes the first letter. */
const VERSIONS = { account: 6 << 3, contract: 2 << 3, secret: 18 << 3 } as const
export type StrKeyKind = keyof typeof VERSIONS

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const KEY_BYTES = 32
/** 35 bytes are 280 bits, a multiple of five: no padding, no spare bits. */
const TEXT_LENGTH = 56

/** `G…`, `C…` or `S…` of 32 bytes. */
export function encodeStrKey(kind: StrKeyKind, key: Uint8Array): string {
  if (key.length !== KEY_BYTES) throw new TypeError(`${key.length} bytes are no key`)
  const body = concat(Uint8Array.of(VERSIONS[kind]), key)
  const sum = checksum(body)
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of concat(body, Uint8Array.of(sum & 0xff, sum >> 8))) {
    held = ((held << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += ALPHABET.charAt((held >> (bits - 5)) & 31)
  }
  return text
}

/** The 32 bytes. Throws TypeError, which does not repeat the text, for whatever is not of that kind. */
export function decodeStrKey(kind: StrKeyKind, text: string): Uint8Array {
  const refuse = (): TypeError => new TypeError(`not ${{ account: 'an account (G…)', contract: 'a contract (C…)', secret: 'a secret key (S…)' }[kind]}`)
  if (text.length !== TEXT_LENGTH) throw refuse()
  const bytes = new Uint8Array(KEY_BYTES + 3)
  let bits = 0
  let held = 0
  let at = 0
  for (const char of text) {
    const five = ALPHABET.indexOf(char)
    if (five === -1) throw refuse()
    held = ((held << 5) | five) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = (held >> bits) & 0xff
  }
  const body = bytes.subarray(0, KEY_BYTES + 1)
  const sum = checksum(body)
  if (body[0] !== VERSIONS[kind] || bytes[KEY_BYTES + 1] !== (sum & 0xff) || bytes[KEY_BYTES + 2] !== sum >> 8) throw refuse()
  return body.slice(1)
}

/** CRC-16/XMODEM. */
function checksum(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << 8
    for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ (sum & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return sum
}
