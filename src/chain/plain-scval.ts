// Reads the contract values that the exchange emits, straight from their XDR: five times as fast as the SDK, which matters while catching up. Anything else
// is left to the SDK, so that one parser decides what is malformed (docs/decisions/dependency-stellar-sdk.md).

/** The values that are read here, in the form of ScValue. */
export type PlainScValue =
  | { readonly type: 'void' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'u32'; readonly value: number }
  | { readonly type: 'u64' | 'i128'; readonly value: bigint }
  | { readonly type: 'symbol' | 'string' | 'address'; readonly value: string }
  | { readonly type: 'vec'; readonly value: readonly PlainScValue[] }

/** The discriminants of ScVal that are read here. */
const BOOL = 0
const VOID = 1
const U32 = 3
const U64 = 5
const I128 = 10
const STRING = 14
const SYMBOL = 15
const VEC = 16
const ADDRESS = 18

const SYMBOL_MAX_LENGTH = 32
/** Deeper values are left to the SDK. */
const PLAIN_DEPTH_MAX = 4

/** Raised and caught in this file: the value is none of those that are read here. */
const NOT_PLAIN = new Error('not a plain value')

interface Reader {
  readonly bytes: Buffer
  at: number
}

/** Undefined: the SDK decides what the value is, and whether it is one. */
export function readPlainScVal(base64: string): PlainScValue | undefined {
  const bytes = Buffer.from(base64, 'base64')
  // Buffer skips what is not base64.
  if (bytes.toString('base64') !== base64) return undefined
  const reader = { bytes, at: 0 }
  try {
    const value = readValue(reader, 0)
    return reader.at === bytes.length ? value : undefined
  } catch (error) {
    // A read past the end is a RangeError.
    if (error === NOT_PLAIN || error instanceof RangeError) return undefined
    throw error
  }
}

function readValue(reader: Reader, depth: number): PlainScValue {
  if (depth > PLAIN_DEPTH_MAX) throw NOT_PLAIN
  switch (readUint(reader)) {
    case BOOL:
      return { type: 'bool', value: readFlag(reader) }
    case VOID:
      return { type: 'void' }
    case U32:
      return { type: 'u32', value: readUint(reader) }
    case U64:
      return { type: 'u64', value: readUint64(reader) }
    case I128:
      return { type: 'i128', value: (readInt64(reader) << 64n) + readUint64(reader) }
    case STRING:
      return { type: 'string', value: readText(reader, Number.POSITIVE_INFINITY) }
    case SYMBOL:
      return { type: 'symbol', value: readText(reader, SYMBOL_MAX_LENGTH) }
    case VEC:
      return { type: 'vec', value: readItems(reader, depth + 1) }
    case ADDRESS:
      return { type: 'address', value: readAddress(reader) }
    default:
      throw NOT_PLAIN
  }
}

function readUint(reader: Reader): number {
  const value = reader.bytes.readUInt32BE(reader.at)
  reader.at += 4
  return value
}

function readFlag(reader: Reader): boolean {
  const value = readUint(reader)
  if (value > 1) throw NOT_PLAIN
  return value === 1
}

function readUint64(reader: Reader): bigint {
  const value = reader.bytes.readBigUInt64BE(reader.at)
  reader.at += 8
  return value
}

function readInt64(reader: Reader): bigint {
  const value = reader.bytes.readBigInt64BE(reader.at)
  reader.at += 8
  return value
}

/** A vector, which is optional in XDR. */
function readItems(reader: Reader, depth: number): PlainScValue[] {
  if (!readFlag(reader)) throw NOT_PLAIN
  const length = readUint(reader)
  if (length * 4 > reader.bytes.length) throw NOT_PLAIN
  const items: PlainScValue[] = []
  while (items.length < length) items.push(readValue(reader, depth))
  return items
}

/** Printable ASCII without a backslash, which is its own text. */
function readText(reader: Reader, maxLength: number): string {
  const length = readUint(reader)
  const { bytes, at } = reader
  const end = at + length
  const padded = at + Math.ceil(length / 4) * 4
  if (length > maxLength || padded > bytes.length) throw NOT_PLAIN
  for (let index = at; index < end; index++) {
    const byte = bytes[index] ?? 0
    if (byte < 0x20 || byte > 0x7e || byte === 0x5c) throw NOT_PLAIN
  }
  for (let index = end; index < padded; index++) if (bytes[index] !== 0) throw NOT_PLAIN
  reader.at = padded
  return bytes.toString('latin1', at, end)
}

const KEY_LENGTH = 32
/** First bytes of the text form of an address: G and C. */
const ACCOUNT_VERSION = 6 << 3
const CONTRACT_VERSION = 2 << 3

function readAddress(reader: Reader): string {
  const type = readUint(reader)
  // An account's key has a type of its own; 0 is ed25519.
  if (type > 1 || (type === 0 && readUint(reader) !== 0)) throw NOT_PLAIN
  const start = reader.at
  reader.at += KEY_LENGTH
  if (reader.at > reader.bytes.length) throw NOT_PLAIN
  return strKey(type === 0 ? ACCOUNT_VERSION : CONTRACT_VERSION, reader.bytes, start)
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The text form of a key: version, key and checksum in base32 (SEP-23). */
function strKey(version: number, bytes: Uint8Array, start: number): string {
  const packed = new Uint8Array(KEY_LENGTH + 3)
  packed[0] = version
  packed.set(bytes.subarray(start, start + KEY_LENGTH), 1)
  const checksum = crc16(packed.subarray(0, KEY_LENGTH + 1))
  packed[KEY_LENGTH + 1] = checksum & 0xff
  packed[KEY_LENGTH + 2] = checksum >>> 8
  let text = ''
  let pending = 0
  let bits = 0
  for (const byte of packed) {
    pending = ((pending << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32.charAt((pending >>> bits) & 31)
    }
  }
  return text
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    let code = (crc >>> 8) ^ byte
    code ^= code >>> 4
    crc = ((crc << 8) ^ (code << 12) ^ (code << 5) ^ code) & 0xffff
  }
  return crc
}
