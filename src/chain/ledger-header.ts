// Ledger headers (LedgerHeaderHistoryEntry in base64). A ledger's hash covers its header, and with it sequence, close time and the previous ledger's hash.

import { createHash } from 'node:crypto'

/** What a header says about its ledger. Hashes are lower-case hex. */
export interface LedgerHeader {
  readonly sequence: number
  readonly hash: string
  readonly previousHash: string
  /** Unix seconds. */
  readonly closeSec: number
}

/** Raised when a header is not valid XDR, or its hash is not that of its content. */
export class InvalidHeader extends Error {
  override readonly name = 'InvalidHeader'
}

const HASH_BYTES = 32
/** The entry ends with an empty extension. */
const EXTENSION_BYTES = 4
/** A validator's key and its type, before its signature. */
const NODE_ID_BYTES = 36

/** Decodes a header and verifies that `hash` is the hash of its content. Throws InvalidHeader. */
export function decodeHeader(headerXdr: string): LedgerHeader {
  const entry = Buffer.from(headerXdr, 'base64')
  const header = entry.subarray(HASH_BYTES, entry.length - EXTENSION_BYTES)
  const hash = entry.subarray(0, HASH_BYTES)
  if (!createHash('sha256').update(header).digest().equals(hash)) throw new InvalidHeader('the hash of a ledger is not that of its header')
  try {
    return { hash: hash.toString('hex'), ...readHeader(header) }
  } catch (error) {
    throw new InvalidHeader('a ledger header is too short', { cause: error })
  }
}

function readHeader(header: Buffer): Omit<LedgerHeader, 'hash'> {
  // The protocol version, then the previous hash, then the consensus value: transaction set, close time, upgrades and an optional signature.
  const previousHash = header.toString('hex', 4, 4 + HASH_BYTES)
  const closeTimeAt = 4 + HASH_BYTES + HASH_BYTES
  const closeSec = Number(header.readBigUInt64BE(closeTimeAt))
  let at = closeTimeAt + 8
  const upgrades = header.readUInt32BE(at)
  at += 4
  for (let upgrade = 0; upgrade < upgrades; upgrade++) at = afterOpaque(header, at)
  const isSigned = header.readUInt32BE(at) === 1
  at += 4
  if (isSigned) at = afterOpaque(header, at + NODE_ID_BYTES)
  return { previousHash, closeSec, sequence: header.readUInt32BE(at + HASH_BYTES + HASH_BYTES) }
}

/** The position after a variable-length field, which is padded to four bytes. */
function afterOpaque(bytes: Buffer, at: number): number {
  return at + 4 + Math.ceil(bytes.readUInt32BE(at) / 4) * 4
}
