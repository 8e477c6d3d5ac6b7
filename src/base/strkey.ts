// Stellar addresses as text (SEP-23): base32 of a version byte, a payload and their CRC16, low byte first.

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The version byte decides the first letter. */
const VERSIONS = {
  account: 6 << 3, contract: 2 << 3, muxedAccount: 12 << 3, muxedContract: 22 << 3, claimableBalance: 1 << 3, liquidityPool: 11 << 3,
} as const
const KEY_BYTES = 32
const ID_BYTES = 8
const CHECKSUM_BYTES = 2
const KEY_TEXT_LENGTH = 56
const MUXED_TEXT_LENGTH = 69

/** `G…`, from the 32 bytes of a public key. */
export function encodeAccount(key: Uint8Array): string {
  return encode(VERSIONS.account, key)
}

/** `C…`, from the 32 bytes of a contract's id. */
export function encodeContract(id: Uint8Array): string {
  return encode(VERSIONS.contract, id)
}

/** `M…`: an account with the id of a user behind it. The id has 8 bytes. */
export function encodeMuxedAccount(key: Uint8Array, id: Uint8Array): string {
  return encode(VERSIONS.muxedAccount, key, id)
}

/** `W…`: a contract with the id of a user behind it. The id has 8 bytes. */
export function encodeMuxedContract(contractId: Uint8Array, id: Uint8Array): string {
  return encode(VERSIONS.muxedContract, contractId, id)
}

/** `B…`. The first byte of the payload is the type of the id, 0. */
export function encodeClaimableBalance(id: Uint8Array): string {
  return encode(VERSIONS.claimableBalance, Uint8Array.of(0), id)
}

/** `L…`, from the 32 bytes of a pool's id. */
export function encodeLiquidityPool(id: Uint8Array): string {
  return encode(VERSIONS.liquidityPool, id)
}

/** True for a contract address: C and 55 more characters, with a valid checksum. */
export function isContractAddress(text: string): boolean {
  return decodeKey(text, VERSIONS.contract) !== undefined
}

/** True for an account address: G and 55 more characters, with a valid checksum. */
export function isAccountAddress(text: string): boolean {
  return decodeKey(text, VERSIONS.account) !== undefined
}

/** True for an address of either kind. Muxed addresses are neither: nobody owns a position or a balance under one. */
export function isAddress(text: string): boolean {
  return isAccountAddress(text) || isContractAddress(text)
}

/** The 32 bytes of an account's public key. Undefined when the text is not an account address. */
export function accountPublicKey(text: string): Uint8Array | undefined {
  return decodeKey(text, VERSIONS.account)
}

/** The 32 bytes of a contract's id. Undefined when the text is not a contract address. */
export function contractIdOf(text: string): Uint8Array | undefined {
  return decodeKey(text, VERSIONS.contract)
}

/** A muxed address: the account (`G…`) or contract (`C…`) that holds the balance, and the id of the user behind it. */
export interface MuxedAddress {
  readonly kind: 'account' | 'contract'
  readonly address: string
  readonly id: bigint
}

/** Reads `M…` and `W…`. Undefined for anything else. */
export function decodeMuxed(text: string): MuxedAddress | undefined {
  const kind = text.startsWith('W') ? 'contract' : 'account'
  const payload = text.length === MUXED_TEXT_LENGTH ? decode(text, kind === 'contract' ? VERSIONS.muxedContract : VERSIONS.muxedAccount) : undefined
  if (payload === undefined) return undefined
  const key = payload.subarray(0, KEY_BYTES)
  return { kind, address: kind === 'contract' ? encodeContract(key) : encodeAccount(key), id: payload.readBigUInt64BE(KEY_BYTES) }
}

function encode(version: number, ...parts: readonly Uint8Array[]): string {
  const packed = new Uint8Array(1 + KEY_BYTES + ID_BYTES + CHECKSUM_BYTES)
  packed[0] = version
  let length = 1
  for (const part of parts) {
    packed.set(part, length)
    length += part.length
  }
  const checksum = crc16(packed.subarray(0, length))
  packed[length] = checksum & 0xff
  packed[length + 1] = checksum >>> 8
  return toBase32(packed.subarray(0, length + CHECKSUM_BYTES))
}

function toBase32(bytes: Uint8Array): string {
  let text = ''
  let pending = 0
  let bits = 0
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32.charAt((pending >>> bits) & 31)
    }
  }
  return bits === 0 ? text : text + BASE32.charAt((pending << (5 - bits)) & 31)
}

function decodeKey(text: string, version: number): Uint8Array | undefined {
  const payload = text.length === KEY_TEXT_LENGTH ? decode(text, version) : undefined
  return payload === undefined ? undefined : new Uint8Array(payload)
}

/** The payload of a text with this version and a valid checksum. Bits that the last character does not need must be zero. */
function decode(text: string, version: number): Buffer | undefined {
  const bytes = Buffer.alloc(Math.floor((text.length * 5) / 8))
  let pending = 0
  let bits = 0
  let length = 0
  for (const character of text) {
    const five = BASE32.indexOf(character)
    if (five === -1) return undefined
    pending = ((pending << 5) | five) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[length++] = (pending >>> bits) & 0xff
  }
  const end = bytes.length - CHECKSUM_BYTES
  const hasSpareBits = (pending & ((1 << bits) - 1)) !== 0
  if (hasSpareBits || bytes[0] !== version || bytes.readUInt16LE(end) !== crc16(bytes.subarray(0, end))) return undefined
  return bytes.subarray(1, end)
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
