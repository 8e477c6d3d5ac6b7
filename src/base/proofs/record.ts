// The records of the log of pages: 169 bytes each (version 1). Numbers are big-endian.

import { HASH_BYTES } from './tree.ts'
import type { Hash } from './tree.ts'

export const RECORD_BYTES = 169

/** The kinds of records, in the order of their numbers. */
export const RECORD_KINDS = ['page', 'correction', 'epoch', 'gap'] as const

type RecordKind = (typeof RECORD_KINDS)[number]

/** One record of the log: what the index says of a range of ledgers. */
export interface LogRecord {
  readonly kind: RecordKind
  /** True when the page ends inside `toLedger`. */
  readonly endsInside: boolean
  /** The name of the epoch: eight hexadecimal digits. */
  readonly epoch: string
  readonly fromLedger: number
  /** Inclusive. */
  readonly toLedger: number
  /** The hash of the header of `toLedger`; zeros when the index has not verified one. */
  readonly toLedgerHash: Hash
  /** The place of the first event among all events of the log, when the record was written; of the next event when there are none. Counted from one. */
  readonly seqFirst: number
  readonly events: number
  /** The root of the tree of the events' bytes; zeros when there are none. */
  readonly eventsRoot: Hash
  readonly filterHash: Hash
  /** Of a correction: the number of events that the log said of these ledgers before. */
  readonly replaces: number
}

export const ZERO_HASH: Hash = new Uint8Array(HASH_BYTES)

const MAGIC = 'pxg1'
const ENDS_INSIDE = 1
const OFFSETS = {
  kind: 4, flags: 5, epoch: 6, fromLedger: 10, toLedger: 14, toLedgerHash: 18, seqFirst: 50, events: 58, eventsRoot: 62, filterHash: 94, replaces: 126,
  reserved: 130,
} as const
const EPOCH_BYTES = 4

/** The bytes of a record. Throws a RangeError when a number does not fit. */
export function encodeRecord(record: LogRecord): Buffer {
  const bytes = Buffer.alloc(RECORD_BYTES)
  bytes.write(MAGIC, 'latin1')
  bytes[OFFSETS.kind] = RECORD_KINDS.indexOf(record.kind)
  bytes[OFFSETS.flags] = record.endsInside ? ENDS_INSIDE : 0
  if (bytes.write(record.epoch, OFFSETS.epoch, EPOCH_BYTES, 'hex') !== EPOCH_BYTES) throw new RangeError(`an epoch is not named ${record.epoch}`)
  bytes.writeUInt32BE(record.fromLedger, OFFSETS.fromLedger)
  bytes.writeUInt32BE(record.toLedger, OFFSETS.toLedger)
  bytes.set(record.toLedgerHash, OFFSETS.toLedgerHash)
  bytes.writeBigUInt64BE(BigInt(record.seqFirst), OFFSETS.seqFirst)
  bytes.writeUInt32BE(record.events, OFFSETS.events)
  bytes.set(record.eventsRoot, OFFSETS.eventsRoot)
  bytes.set(record.filterHash, OFFSETS.filterHash)
  bytes.writeUInt32BE(record.replaces, OFFSETS.replaces)
  return bytes
}

/** Reads a record. Undefined for anything that version 1 does not define. */
export function decodeRecord(record: Uint8Array): LogRecord | undefined {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  if (bytes.length !== RECORD_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined
  const kind = RECORD_KINDS[bytes.readUInt8(OFFSETS.kind)]
  const flags = bytes.readUInt8(OFFSETS.flags)
  if (kind === undefined || (flags & ~ENDS_INSIDE) !== 0 || bytes.subarray(OFFSETS.reserved).some((byte) => byte !== 0)) return undefined
  const hashAt = (offset: number): Hash => new Uint8Array(bytes.subarray(offset, offset + HASH_BYTES))
  return {
    kind,
    endsInside: flags === ENDS_INSIDE,
    epoch: bytes.toString('hex', OFFSETS.epoch, OFFSETS.epoch + EPOCH_BYTES),
    fromLedger: bytes.readUInt32BE(OFFSETS.fromLedger),
    toLedger: bytes.readUInt32BE(OFFSETS.toLedger),
    toLedgerHash: hashAt(OFFSETS.toLedgerHash),
    seqFirst: Number(bytes.readBigUInt64BE(OFFSETS.seqFirst)),
    events: bytes.readUInt32BE(OFFSETS.events),
    eventsRoot: hashAt(OFFSETS.eventsRoot),
    filterHash: hashAt(OFFSETS.filterHash),
    replaces: bytes.readUInt32BE(OFFSETS.replaces),
  }
}
