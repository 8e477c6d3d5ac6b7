// The formats of the log of pages: records, and the bytes of events.

import { concat, fromBase64, fromHex, isEqual, toBase64, toHex } from '../bytes.ts'
import { sha256 } from '../platform.ts'
import { decodeStrKey, encodeStrKey } from '../strkey.ts'
import { eventsRoot, ZERO_HASH } from './tree.ts'
import type { Hash } from './tree.ts'

export const RECORD_BYTES = 169
const KINDS = ['page', 'correction', 'epoch', 'gap'] as const

/** One record of the log: what the index says of a range of ledgers. */
export interface LogRecord {
  readonly kind: (typeof KINDS)[number]
  /** True if the page ends inside `toLedger`. */
  readonly endsInside: boolean
  /** The name of the epoch: eight hexadecimal digits. */
  readonly epoch: string
  readonly fromLedger: number
  /** Inclusive. */
  readonly toLedger: number
  /** The hash of the header of `toLedger`; zeros when the index has not verified one. */
  readonly toLedgerHash: Hash
  /** The place of the first event among all events of the log when the record was written. */
  readonly seqFirst: number
  readonly events: number
  /** The root of the tree of the events' bytes; zeros when there are none. */
  readonly eventsRoot: Hash
  readonly filterHash: Hash
  /** Of a correction: the number of events that the log said of these ledgers before. */
  readonly replaces: number
}

/** Reads the 169 bytes of a record; null for anything that version 1 does not define. */
export function readRecord(bytes: Uint8Array): LogRecord | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length !== RECORD_BYTES || toHex(bytes.subarray(0, 4)) !== '70786731') return null
  const [kind, flags = 0] = [KINDS[bytes[4] ?? KINDS.length], bytes[5]]
  const seqFirst = Number(view.getBigUint64(50))
  if (kind === undefined || flags > 1 || bytes.subarray(130).some((byte) => byte !== 0) || !Number.isSafeInteger(seqFirst)) return null
  const hashAt = (offset: number): Hash => bytes.slice(offset, offset + 32)
  const record = {
    kind, endsInside: flags === 1, epoch: toHex(bytes.subarray(6, 10)), fromLedger: view.getUint32(10), toLedger: view.getUint32(14),
    toLedgerHash: hashAt(18), seqFirst, events: view.getUint32(58), eventsRoot: hashAt(62), filterHash: hashAt(94), replaces: view.getUint32(126),
  }
  return (record.events === 0) === isEqual(record.eventsRoot, ZERO_HASH) ? record : null
}

/** An event as `getEvents` of a node returns it. */
export interface NodeEvent {
  readonly id: string
  /** Hexadecimal. */
  readonly txHash: string
  readonly contractId: string
  /** Base64 of XDR; absent: none. */
  readonly topic?: readonly string[]
  readonly value: string
}

/** The bytes of an event: id, transaction, contract, topics and value, each variable part after its length. */
export function eventBytes({ id, txHash, contractId, topic = [], value }: NodeEvent): Uint8Array {
  return concat(
    Uint8Array.of(id.length), asciiBytes(id), fromHex(txHash, 32), decodeStrKey('contract', contractId), Uint8Array.of(topic.length),
    ...[...topic, value].flatMap((xdr) => {
      const bytes = fromBase64(xdr)
      return [u32(bytes.length), bytes]
    }),
  )
}

/** Reads the bytes of an event. Throws for anything else. */
export function readEventBytes(bytes: Uint8Array): Required<NodeEvent> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let offset = 0
  const take = (length: number): Uint8Array => {
    if (offset + length > bytes.length) throw new RangeError('an event is too short')
    offset += length
    return bytes.slice(offset - length, offset)
  }
  const takeXdr = (): string => {
    take(4)
    return toBase64(take(view.getUint32(offset - 4)))
  }
  const id = String.fromCharCode(...take(take(1)[0] ?? 0))
  const [txHash, contractId] = [toHex(take(32)), encodeStrKey('contract', take(32))]
  const topic = Array.from({ length: take(1)[0] ?? 0 }, takeXdr)
  const value = takeXdr()
  if (offset !== bytes.length) throw new RangeError('an event is too long')
  return { id, txHash, contractId, topic, value }
}

/** True if these are all the events of a record, in its order. */
export async function hasEvents(record: LogRecord, events: readonly Uint8Array[]): Promise<boolean> {
  return events.length === record.events && isEqual(await eventsRoot(events), record.eventsRoot)
}

/** The hash of a filter: SHA-256 of its JSON with sorted keys and no spaces. `token`: the one whose transfers are read. */
export function filterHash(contracts: Readonly<Record<string, string>>, passphrase: string): Promise<Hash> {
  const sorted = Object.fromEntries(Object.entries(contracts).sort(([a], [b]) => (a < b ? -1 : 1)))
  return sha256(new TextEncoder().encode(JSON.stringify({ contracts: sorted, passphrase, token: contracts['usdcToken'] })))
}

function u32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value)
}

export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}
