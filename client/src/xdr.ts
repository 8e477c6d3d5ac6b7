// The part of XDR that a contract call needs. Everything else is rejected.

import { encodeStrKey, encodeValueAddress } from './strkey.ts'
import { concat, isEqual } from './bytes.ts'

/** The bytes are not a valid transaction of the expected form. */
export class MalformedXdr extends Error {
  override readonly name = 'MalformedXdr'
}

/** A contract value. `value` is null for types that the client does not compare, such as maps. */
export interface ContractValue {
  readonly type: string
  readonly value: string | number | bigint | boolean | null
}

/** A call of a contract function. */
export interface ContractCall {
  readonly contract: string
  readonly functionName: string
  readonly args: readonly ContractValue[]
}

/** An authorized call, and the sub-calls that it may make on the account's behalf. */
export interface Authorization extends ContractCall {
  readonly subCalls: readonly Authorization[]
}

/** The network's limit for nested values and calls. */
const DEPTH_MAX = 100

export interface Reader {
  readonly offset: () => number
  readonly remaining: () => number
  /** The bytes from an offset up to the current one. */
  since(offset: number): Uint8Array
  skip(bytes: number): void
  u32(): number
  u64(): bigint
  bytes(length: number): Uint8Array
  /** Variable-length bytes, padded to a multiple of four. */
  opaque(): Uint8Array
  list<T>(read: () => T): T[]
  optional<T>(read: () => T): T | null
}

export function createReader(data: Uint8Array): Reader {
  let offset = 0
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)

  function take(length: number): number {
    if (length > data.length - offset) throw new MalformedXdr('unexpected end of data')
    const start = offset
    offset += length
    return start
  }

  const reader: Reader = {
    offset: () => offset,
    remaining: () => data.length - offset,
    since: (start) => data.slice(start, offset),
    skip: (length) => void take(length),
    u32: () => view.getUint32(take(4)),
    u64: () => view.getBigUint64(take(8)),
    bytes: (length) => data.slice(take(length), offset),
    opaque() {
      const length = reader.u32()
      const bytes = reader.bytes(length)
      const padding = reader.bytes((4 - (length % 4)) % 4)
      if (!isEqual(padding, new Uint8Array(padding.length))) throw new MalformedXdr('padding is not zero')
      return bytes
    },
    list(read) {
      const length = reader.u32()
      // Every element takes at least four bytes.
      if (length * 4 > reader.remaining()) throw new MalformedXdr('list is longer than the remaining data')
      return Array.from({ length }, read)
    },
    optional(read) {
      const flag = reader.u32()
      if (flag > 1) throw new MalformedXdr('invalid optional flag')
      return flag === 1 ? read() : null
    },
  }
  return reader
}

/** The numbers of address, value, error and executable types end here. */
const NEWEST = { address: 5, value: 22, error: 9, executable: 2 } as const
/** Protocols number new types consecutively. A number further above the known ones is damage. */
const NEWER_STEPS_MAX = 16

/** The error for a type that this client does not read. `newest` is the largest number that it knows. */
export function unsupported(what: string, kind: number, newest: number): MalformedXdr {
  const isNewer = kind > newest && kind <= newest + NEWER_STEPS_MAX
  return new MalformedXdr(isNewer ? `${what} ${kind} is newer than this client` : `unsupported ${what} ${kind}`)
}

/** Reads any kind of address. Only accounts and contracts can own something; the others occur in values. */
export function readAddress(reader: Reader): string {
  const kind = reader.u32()
  switch (kind) {
    case 0:
      return readAccount(reader)
    case 1:
      return encodeStrKey('contract', reader.bytes(32))
    case 2:
    case 5: {
      // XDR has the id first, the text has it last.
      const id = reader.bytes(8)
      return encodeValueAddress(kind === 2 ? 'muxedAccount' : 'muxedContract', concat(reader.bytes(32), id))
    }
    case 3: {
      const type = reader.u32()
      if (type !== 0) throw new MalformedXdr(`unsupported type of a claimable balance ${type}`)
      return encodeValueAddress('claimableBalance', concat(Uint8Array.of(0), reader.bytes(32)))
    }
    case 4:
      return encodeValueAddress('liquidityPool', reader.bytes(32))
    default:
      throw unsupported('address type', kind, NEWEST.address)
  }
}

/** A public key or an account that is not multiplexed; both are encoded the same way. */
export function readAccount(reader: Reader): string {
  const kind = reader.u32()
  if (kind !== 0) throw new MalformedXdr(`unsupported account type ${kind}`)
  return encodeStrKey('account', reader.bytes(32))
}

export function readCall(reader: Reader): ContractCall {
  return { contract: readAddress(reader), functionName: readText(reader), args: reader.list(() => readValue(reader)) }
}

export function readAuthorization(reader: Reader, depth = 0): Authorization {
  if (depth > DEPTH_MAX) throw new MalformedXdr('nested too deeply')
  const kind = reader.u32()
  if (kind !== 0) throw new MalformedXdr('authorizes something other than a contract call')
  return { ...readCall(reader), subCalls: reader.list(() => readAuthorization(reader, depth + 1)) }
}

function readText(reader: Reader): string {
  const bytes = reader.opaque()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return decoder.decode(bytes)
  } catch {
    throw new MalformedXdr('string is not UTF-8')
  }
}

const U64 = (reader: Reader): bigint => reader.u64()
const I64 = (reader: Reader): bigint => BigInt.asIntN(64, reader.u64())
const words = (count: number) => (reader: Reader): bigint => {
  let value = 0n
  for (let word = 0; word < count; word++) value = (value << 64n) | reader.u64()
  return value
}
const signed = (count: number) => (reader: Reader): bigint => BigInt.asIntN(count * 64, words(count)(reader))

/** The value types by their number in XDR. */
const VALUES: Readonly<Record<number, readonly [type: string, read: (reader: Reader, depth: number) => ContractValue['value']]>> = {
  0: ['bool', (reader) => {
    const value = reader.u32()
    if (value > 1) throw new MalformedXdr('invalid boolean')
    return value === 1
  }],
  1: ['void', () => null],
  2: ['error', (reader) => {
    const kind = reader.u32()
    if (kind > NEWEST.error) throw unsupported('error type', kind, NEWEST.error)
    reader.skip(4)
    return null
  }],
  3: ['u32', (reader) => reader.u32()],
  4: ['i32', (reader) => reader.u32() | 0],
  5: ['u64', U64],
  6: ['i64', I64],
  7: ['timepoint', U64],
  8: ['duration', U64],
  9: ['u128', words(2)],
  10: ['i128', signed(2)],
  11: ['u256', words(4)],
  12: ['i256', signed(4)],
  13: ['bytes', (reader) => {
    reader.opaque()
    return null
  }],
  14: ['string', readText],
  15: ['symbol', readText],
  16: ['vec', (reader, depth) => {
    reader.optional(() => reader.list(() => readValue(reader, depth)))
    return null
  }],
  17: ['map', (reader, depth) => {
    readEntries(reader, depth)
    return null
  }],
  18: ['address', readAddress],
  19: ['contract_instance', (reader, depth) => {
    readExecutable(reader)
    readEntries(reader, depth)
    return null
  }],
  20: ['ledger_key_contract_instance', () => null],
  21: ['ledger_key_nonce', I64],
  22: ['executable_tag', (reader) => {
    reader.opaque()
    return null
  }],
}

function readEntries(reader: Reader, depth: number): void {
  reader.optional(() => reader.list(() => [readValue(reader, depth), readValue(reader, depth)]))
}

/** The code of an instance: its hash, the built-in contract of an asset, or the owner and the tag of a reference. */
function readExecutable(reader: Reader): void {
  const kind = reader.u32()
  if (kind > NEWEST.executable) throw unsupported('executable type', kind, NEWEST.executable)
  if (kind === 0) reader.skip(32)
  if (kind === 2) {
    readAddress(reader)
    reader.opaque()
  }
}

/** Reads a value. `value` is null for types that the client does not compare. */
export function readValue(reader: Reader, depth = 0): ContractValue {
  if (depth > DEPTH_MAX) throw new MalformedXdr('nested too deeply')
  const kind = reader.u32()
  const entry = VALUES[kind]
  if (entry === undefined) throw unsupported('value type', kind, NEWEST.value)
  return { type: entry[0], value: entry[1](reader, depth + 1) }
}
