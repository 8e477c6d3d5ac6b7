// Ledger headers (LedgerHeaderHistoryEntry in base64). A ledger's hash covers its header, and with it sequence, close time and the previous ledger's hash.
// They are read by hand: the SDK does not know the forms of the newest protocols. docs/decisions/newer-protocols.md

import { createHash } from 'node:crypto'
import { KNOWN_PROTOCOL } from '../../base/protocol.ts'
import { NewerThanKnown } from './newer-than-known.ts'

/** The fields of a ledger's header. Hashes are lower-case hex. */
export interface LedgerHeader {
  readonly sequence: number
  readonly hash: string
  readonly previousHash: string
  /** Unix seconds. */
  readonly closeSec: number
  /** Unix milliseconds, from protocol 30 on; null where the header has none. */
  readonly closeMs: number | null
  /** The protocol that is in force after the ledger. */
  readonly protocol: number
  /** The parts that are newer than this gateway; null: none. */
  readonly newer: NewerHeader | null
}

/** A header of a protocol that this gateway does not know. The rest of it was read, and its hash is verified. */
interface NewerHeader {
  /** Names it: "ledger value type 5". */
  readonly what: string
  /** The header, base64. */
  readonly xdr: string
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
const MILLIS_BYTES = 8
/** The set of transactions that was proposed and dropped: its hash, the hash of the ledger before it, and the protocol of that ledger. */
const DROPPED_SET_BYTES = HASH_BYTES + HASH_BYTES + 4

/** The fields after the consensus value have a fixed size: 240 bytes, or 248 with the extension that has flags. */
const TAIL_BYTES = 240
const TAIL_WITH_FLAGS_BYTES = 248
/** Position in the tail, after the hashes of the results and of the state. */
const SEQUENCE_IN_TAIL = HASH_BYTES + HASH_BYTES
const NO_EXTENSION = 0
const FLAGS_EXTENSION = 1

/** The forms of the consensus value, by their number. Bytes between the number and the validator's signature; null: there is no signature. */
const VALUE_FORMS: ReadonlyMap<number, { readonly hasMillis: boolean; readonly unsignedBytes: number | null }> = new Map([
  [0, { hasMillis: false, unsignedBytes: null }],
  [1, { hasMillis: false, unsignedBytes: 0 }],
  // A dropped set of transactions.
  [2, { hasMillis: false, unsignedBytes: DROPPED_SET_BYTES }],
  // Close times in milliseconds, from protocol 30 on.
  [3, { hasMillis: true, unsignedBytes: MILLIS_BYTES }],
  [4, { hasMillis: true, unsignedBytes: MILLIS_BYTES + DROPPED_SET_BYTES }],
])

/** The numbers of the known forms of the consensus value. */
export const KNOWN_VALUE_FORMS: readonly number[] = [...VALUE_FORMS.keys()]

/**
 * Decodes a header and verifies that `hash` is the hash of its content. Throws InvalidHeader, or NewerThanKnown for a form whose sequence cannot be found.
 */
export function decodeHeader(headerXdr: string): LedgerHeader {
  const entry = Buffer.from(headerXdr, 'base64')
  const header = entry.subarray(HASH_BYTES, Math.max(HASH_BYTES, entry.length - EXTENSION_BYTES))
  const hash = entry.subarray(0, HASH_BYTES)
  if (!createHash('sha256').update(header).digest().equals(hash)) throw new InvalidHeader('the hash of a ledger is not that of its header')
  try {
    return readHeader(header, hash.toString('hex'), headerXdr)
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidHeader('a ledger header is too short', { cause: error })
    throw error
  }
}

function readHeader(header: Buffer, hash: string, headerXdr: string): LedgerHeader {
  // The protocol, the previous hash, and the consensus value: set of transactions, close time, upgrades, and a form with more of it.
  const protocol = readProtocol(header)
  const previousHash = header.toString('hex', 4, 4 + HASH_BYTES)
  const closeTimeAt = 4 + HASH_BYTES + HASH_BYTES
  const closeSec = readTime(header, closeTimeAt)
  let formAt = closeTimeAt + 8
  const upgrades = header.readUInt32BE(formAt)
  formAt += 4
  for (let upgrade = 0; upgrade < upgrades; upgrade++) formAt = afterOpaque(header, formAt)
  const number = header.readUInt32BE(formAt)
  const form = VALUE_FORMS.get(number)
  const end = form === undefined ? null : endOfValue(header, formAt + 4, form.unsignedBytes)
  const sequence = readSequence(header, end)
  const unknown = describeUnknown({ protocol, number, isForm: form !== undefined, hasSequence: sequence !== undefined })
  if (sequence === undefined) {
    if (unknown === null) throw new InvalidHeader('a ledger header has another length than its fields')
    throw new NewerThanKnown(unknown, headerXdr)
  }
  const closeMs = form?.hasMillis === true ? readTime(header, formAt + 4) : null
  if (closeMs !== null && Math.floor(closeMs / 1_000) !== closeSec) throw new InvalidHeader('the two close times of a ledger differ')
  return { sequence, hash, previousHash, closeSec, closeMs, protocol, newer: unknown === null ? null : { what: unknown, xdr: headerXdr } }
}

/** Names the part of a header that this gateway does not know; null: it knows everything. */
function describeUnknown(
  { protocol, number, isForm, hasSequence }: { readonly protocol: number; readonly number: number; readonly isForm: boolean; readonly hasSequence: boolean },
): string | null {
  if (!isForm) return `ledger value type ${number}`
  if (protocol <= KNOWN_PROTOCOL) return null
  return hasSequence ? `protocol ${protocol}` : `ledger header of protocol ${protocol}`
}

/** The position after the consensus value. */
function endOfValue(header: Buffer, at: number, unsignedBytes: number | null): number {
  return unsignedBytes === null ? at : afterOpaque(header, at + unsignedBytes + NODE_ID_BYTES)
}

/** The sequence. `end` is the position after the consensus value; null: unknown, so it is counted from the end. Undefined when the rest has no known size. */
function readSequence(header: Buffer, end: number | null): number | undefined {
  const sizes = [TAIL_BYTES, TAIL_WITH_FLAGS_BYTES].filter((bytes) => header.length >= bytes && hasFlags(header, bytes) === (bytes === TAIL_WITH_FLAGS_BYTES))
  const at = sizes.map((bytes) => header.length - bytes).findLast((start) => end === null || start === end)
  return at === undefined ? undefined : header.readUInt32BE(at + SEQUENCE_IN_TAIL)
}

/** True if a tail of this size ends with flags, false if with no extension, undefined if with something else. */
function hasFlags(header: Buffer, tailBytes: number): boolean | undefined {
  if (header.readUInt32BE(header.length - 4) !== NO_EXTENSION) return undefined
  if (tailBytes === TAIL_BYTES) return false
  return header.readUInt32BE(header.length - (TAIL_WITH_FLAGS_BYTES - TAIL_BYTES) - 4) === FLAGS_EXTENSION
}

/** Protocols are numbered from one, so a larger number is damage. A column of the database takes no larger one. */
const PROTOCOL_MAX = 2 ** 31 - 1

function readProtocol(header: Buffer): number {
  const protocol = header.readUInt32BE(0)
  if (protocol > PROTOCOL_MAX) throw new InvalidHeader('the protocol of a ledger is out of range')
  return protocol
}

function readTime(bytes: Buffer, at: number): number {
  const time = bytes.readBigUInt64BE(at)
  if (time > BigInt(Number.MAX_SAFE_INTEGER)) throw new InvalidHeader('the close time of a ledger is out of range')
  return Number(time)
}

/** The position after a variable-length field, which is padded to four bytes. */
function afterOpaque(bytes: Buffer, at: number): number {
  return at + 4 + Math.ceil(bytes.readUInt32BE(at) / 4) * 4
}
