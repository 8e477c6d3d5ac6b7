// Stellar addresses (strkey): base32 of a version byte, 32 bytes and their CRC16, low byte first.

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const ACCOUNT_VERSION_BYTE = 6 << 3
const CONTRACT_VERSION_BYTE = 2 << 3
const PAYLOAD_BYTES = 33

/** True for a contract address: C and 55 more characters, with a valid checksum. */
export function isContractAddress(text: string): boolean {
  return decode(text, CONTRACT_VERSION_BYTE) !== undefined
}

/** True for an account address: G and 55 more characters, with a valid checksum. */
export function isAccountAddress(text: string): boolean {
  return decode(text, ACCOUNT_VERSION_BYTE) !== undefined
}

/** True for an address of either kind. */
export function isAddress(text: string): boolean {
  return isAccountAddress(text) || isContractAddress(text)
}

/** The 32 bytes of an account's public key. Undefined when the text is not an account address. */
export function accountPublicKey(text: string): Uint8Array | undefined {
  return decode(text, ACCOUNT_VERSION_BYTE)
}

function decode(text: string, versionByte: number): Uint8Array | undefined {
  if (!/^[A-Z2-7]{56}$/.test(text)) return undefined
  let bits = 0n
  for (const character of text) bits = (bits << 5n) | BigInt(BASE32.indexOf(character))
  const bytes = Buffer.from(bits.toString(16).padStart(70, '0'), 'hex')
  const payload = bytes.subarray(0, PAYLOAD_BYTES)
  if (bytes[0] !== versionByte || bytes.readUInt16LE(PAYLOAD_BYTES) !== crc16(payload)) return undefined
  return new Uint8Array(payload.subarray(1))
}

function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021) & 0xffff
  }
  return crc
}
