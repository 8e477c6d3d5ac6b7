// Stellar addresses and secrets as text (SEP-23): a version byte, a payload and a checksum, in base32.

import { concat } from './bytes.ts'

/** The version byte, which determines the first letter. */
const VERSIONS = { account: 6 << 3, contract: 2 << 3, secret: 18 << 3 } as const
export type StrKeyKind = keyof typeof VERSIONS

/** Addresses that only values on the chain have. A muxed address is a key and the id of a user behind it; requests take neither. */
const VALUE_VERSIONS = { muxedAccount: 12 << 3, claimableBalance: 1 << 3, liquidityPool: 11 << 3, muxedContract: 22 << 3 } as const

const KIND_NAMES: Readonly<Record<StrKeyKind, string>> = { account: 'account address (G…)', contract: 'contract address (C…)', secret: 'secret key (S…)' }
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const KEY_BYTES = 32
/** 35 bytes are 280 bits, a multiple of five: no padding, no spare bits. */
const TEXT_LENGTH = 56

/** 32 bytes as `G…`, `C…` or `S…`. */
export function encodeStrKey(kind: StrKeyKind, key: Uint8Array): string {
  if (key.length !== KEY_BYTES) throw new TypeError(`A key has ${KEY_BYTES} bytes, not ${key.length}.`)
  return encode(VERSIONS[kind], key)
}

/** An address that only values have, as `M…`, `B…`, `L…` or `W…`. The payload is not checked. */
export function encodeValueAddress(kind: keyof typeof VALUE_VERSIONS, payload: Uint8Array): string {
  return encode(VALUE_VERSIONS[kind], payload)
}

function encode(version: number, payload: Uint8Array): string {
  const body = concat(Uint8Array.of(version), payload)
  const sum = checksum(body)
  let text = ''
  let bits = 0
  let buffer = 0
  for (const byte of concat(body, Uint8Array.of(sum & 0xff, sum >> 8))) {
    buffer = ((buffer << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += ALPHABET.charAt((buffer >> (bits - 5)) & 31)
  }
  return bits === 0 ? text : text + ALPHABET.charAt((buffer << (5 - bits)) & 31)
}

/** The 32 bytes of `text`. Throws TypeError for anything else; the error does not repeat the text, which may be a secret. */
export function decodeStrKey(kind: StrKeyKind, text: string): Uint8Array {
  const invalid = (): TypeError => new TypeError(`Not a valid ${KIND_NAMES[kind]}.`)
  if (text.length !== TEXT_LENGTH) throw invalid()
  const bytes = new Uint8Array(KEY_BYTES + 3)
  let bits = 0
  let buffer = 0
  let length = 0
  for (const char of text) {
    const five = ALPHABET.indexOf(char)
    if (five === -1) throw invalid()
    buffer = ((buffer << 5) | five) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[length++] = (buffer >> bits) & 0xff
  }
  const body = bytes.subarray(0, KEY_BYTES + 1)
  const sum = checksum(body)
  if (body[0] !== VERSIONS[kind] || bytes[KEY_BYTES + 1] !== (sum & 0xff) || bytes[KEY_BYTES + 2] !== sum >> 8) throw invalid()
  return body.slice(1)
}

/**
 * True if `text` is the address of an account (`G…`) or, with `contract`, of a contract (`C…`), checksum included. Muxed addresses (`M…`, `W…`) are neither:
 * use the `G…` or `C…` address behind them.
 */
export function isAddress(text: string, kind: 'account' | 'contract' = 'account'): boolean {
  try {
    decodeStrKey(kind, text)
    return true
  } catch {
    return false
  }
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
