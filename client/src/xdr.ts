// XDR as far as a contract call needs it: reading what the gateway has prepared to the last byte, and refusing whatever such a call has no use for.

import { encodeStrKey } from './strkey.ts'
import { isEqual } from './bytes.ts'

/** Raised for bytes that are not what they should be. */
export class MalformedXdr extends Error {
  override readonly name = 'MalformedXdr'
}

/** A value of a contract: its type's name, and the value where it is one that this client compares. */
export interface ContractValue {
  readonly type: string
  readonly value: string | number | bigint | boolean | null
}

/** A call of a contract's function. */
export interface ContractCall {
  readonly contract: string
  readonly functionName: string
  readonly args: readonly ContractValue[]
}

/** What an account allows by signing: a call, and the calls that it may make in turn on the account's behalf. */
export interface Authorization extends ContractCall {
  readonly subCalls: readonly Authorization[]
}

/** Values in values, and calls in calls: deeper than the network lets them be is not read. */
const DEPTH_MAX = 100

export interface Reader {
  readonly offset: () => number
  readonly remaining: () => number
  skip(bytes: number): void
  u32(): number
  u64(): bigint
  bytes(length: number): Uint8Array
  /** Of variable length, padded to four. */
  opaque(): Uint8Array
  list<T>(read: () => T): T[]
  optional<T>(read: () => T): T | null
}

export function createReader(data: Uint8Array): Reader {
  let at = 0
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)

  function take(length: number): number {
    if (length > data.length - at) throw new MalformedXdr('it ends too early')
    const from = at
    at += length
    return from
  }

  const reader: Reader = {
    offset: () => at,
    remaining: () => data.length - at,
    skip: (length) => void take(length),
    u32: () => view.getUint32(take(4)),
    u64: () => view.getBigUint64(take(8)),
    bytes: (length) => data.slice(take(length), at),
    opaque() {
      const length = reader.u32()
      const found = reader.bytes(length)
      const padding = reader.bytes((4 - (length % 4)) % 4)
      if (!isEqual(padding, new Uint8Array(padding.length))) throw new MalformedXdr('padding is not zero')
      return found
    },
    list(read) {
      const length = reader.u32()
      // Nothing that stands in a list takes less than four bytes.
      if (length * 4 > reader.remaining()) throw new MalformedXdr('a list is longer than what is left')
      return Array.from({ length }, read)
    },
    optional(read) {
      const there = reader.u32()
      if (there > 1) throw new MalformedXdr('neither there nor not')
      return there === 1 ? read() : null
    },
  }
  return reader
}

/** An account or a contract. */
export function readAddress(reader: Reader): string {
  const kind = reader.u32()
  if (kind === 0) return readAccount(reader)
  if (kind !== 1) throw new MalformedXdr(`an address of kind ${kind}`)
  return encodeStrKey('contract', reader.bytes(32))
}

/** A public key, or an account that is not multiplexed: both are written the same way. */
export function readAccount(reader: Reader): string {
  const kind = reader.u32()
  if (kind !== 0) throw new MalformedXdr(`an account of kind ${kind}`)
  return encodeStrKey('account', reader.bytes(32))
}

export function readCall(reader: Reader): ContractCall {
  return { contract: readAddress(reader), functionName: readText(reader), args: reader.list(() => readValue(reader)) }
}

export function readAuthorization(reader: Reader, depth = 0): Authorization {
  if (depth > DEPTH_MAX) throw new MalformedXdr('nested too deep')
  const kind = reader.u32()
  if (kind !== 0) throw new MalformedXdr('it allows a contract to be created')
  return { ...readCall(reader), subCalls: reader.list(() => readAuthorization(reader, depth + 1)) }
}

function readText(reader: Reader): string {
  const bytes = reader.opaque()
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return text.decode(bytes)
  } catch {
    throw new MalformedXdr('a text is not UTF-8')
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

/** Each type of value by its number: its name, and how it is read. */
const VALUES: Readonly<Record<number, readonly [type: string, read: (reader: Reader, depth: number) => ContractValue['value']]>> = {
  0: ['bool', (reader) => {
    const value = reader.u32()
    if (value > 1) throw new MalformedXdr('neither true nor false')
    return value === 1
  }],
  1: ['void', () => null],
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
    reader.optional(() => reader.list(() => [readValue(reader, depth), readValue(reader, depth)]))
    return null
  }],
  18: ['address', readAddress],
  20: ['ledger_key_contract_instance', () => null],
  21: ['ledger_key_nonce', I64],
}

/** A value. What this client never compares is read over: its `value` is null. */
export function readValue(reader: Reader, depth = 0): ContractValue {
  if (depth > DEPTH_MAX) throw new MalformedXdr('nested too deep')
  const kind = reader.u32()
  const row = VALUES[kind]
  if (row === undefined) throw new MalformedXdr(`a value of type ${kind}`)
  return { type: row[0], value: row[1](reader, depth + 1) }
}
