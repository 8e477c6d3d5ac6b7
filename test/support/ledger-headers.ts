// Ledger headers in every form, written by hand from the network's definitions: neither the gateway's reader nor the local network's writer is used.

import { createHash } from 'node:crypto'

/** A header to encode. What is absent has a fixed value. */
export interface HeaderFields {
  readonly sequence: number
  readonly protocol?: number
  /** Lower-case hex. */
  readonly previousHash?: string
  readonly closeSec?: number
  readonly upgrades?: readonly Buffer[]
  /** The form of the consensus value. Beyond 4, `value` are its bytes. */
  readonly form?: number
  readonly closeMs?: number
  readonly value?: Buffer
  /** Each byte of the hash of the state. */
  readonly state?: number
  /** The header's extension with flags. */
  readonly hasFlags?: boolean
  /** Replaces the fixed fields after the value. */
  readonly tail?: Buffer
}

/** The form that an ordinary ledger has after one with this protocol. */
export function usualForm(previousProtocol: number): number {
  return previousProtocol >= MILLIS_SINCE ? 3 : 1
}

const MILLIS_SINCE = 30

/** A LedgerHeaderHistoryEntry and its hash, lower-case hex. */
export interface EncodedHeader {
  readonly xdr: string
  readonly hash: string
}

export function encodedHeader(fields: HeaderFields): EncodedHeader {
  const header = headerBytes(fields)
  const hash = createHash('sha256').update(header).digest()
  return { xdr: Buffer.concat([hash, header, u32(0)]).toString('base64'), hash: hash.toString('hex') }
}

function headerBytes(fields: HeaderFields): Buffer {
  const { sequence, protocol = 30, previousHash = '11'.repeat(32), closeSec = 1_800_000_000, upgrades = [], form = 1, hasFlags = false, state = 0x44 } = fields
  return Buffer.concat([
    u32(protocol), Buffer.from(previousHash, 'hex'), filled(32, 0x22), u64(closeSec), u32(upgrades.length), ...upgrades.map(opaque),
    u32(form), fields.value ?? valueBytes(form, fields.closeMs ?? closeSec * 1_000),
    fields.tail ?? Buffer.concat([
      filled(32, 0x33), filled(32, state), u32(sequence), filled(8, 1), filled(8, 2), u32(0), filled(8, 3), u32(100), u32(5_000_000), u32(1_000),
      filled(4 * 32, 0x55), ...(hasFlags ? [u32(1), u32(7)] : []), u32(0),
    ]),
  ])
}

function valueBytes(form: number, closeMs: number): Buffer {
  const signature = Buffer.concat([u32(0), filled(32, 0x66), opaque(filled(64, 0x77))])
  const droppedSet = Buffer.concat([filled(32, 0x88), filled(32, 0x99), u32(29)])
  switch (form) {
    case 0:
      return Buffer.alloc(0)
    case 1:
      return signature
    case 2:
      return Buffer.concat([droppedSet, signature])
    case 3:
      return Buffer.concat([u64(closeMs), signature])
    case 4:
      return Buffer.concat([u64(closeMs), droppedSet, signature])
    default:
      throw new RangeError(`there are no bytes for the form ${form}`)
  }
}

function filled(bytes: number, value: number): Buffer {
  return Buffer.alloc(bytes, value)
}

function opaque(bytes: Buffer): Buffer {
  return Buffer.concat([u32(bytes.length), bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
