// Contract values: ScVal to plain values and back. The values that the exchange emits are read by hand: five times as fast as the SDK, which matters while
// catching up (docs/decisions/dependency-stellar-sdk.md).

import { Address, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import {
  encodeAccount, encodeClaimableBalance, encodeContract, encodeLiquidityPool, encodeMuxedAccount, encodeMuxedContract,
} from '../../base/strkey.ts'
import { bytesOfText, textOfBytes } from '../../base/text.ts'
import { NewerThanKnown } from './newer-than-known.ts'
import { endOfXdr } from './xdr-reader.ts'
import type { RawXdr } from './xdr-reader.ts'

/** A contract value. Types that the exchange does not use become `other` with their XDR name. */
export type ScValue =
  | { readonly type: 'void' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'u32'; readonly value: number }
  | { readonly type: 'u64'; readonly value: bigint }
  | { readonly type: 'i128'; readonly value: bigint }
  | { readonly type: 'symbol'; readonly value: string }
  /** The bytes as textOfBytes returns them. */
  | { readonly type: 'string'; readonly value: string }
  /** `G…` or `C…`, or the less common `M…`, `W…`, `B…` and `L…`. */
  | { readonly type: 'address'; readonly value: string }
  | { readonly type: 'vec'; readonly value: readonly ScValue[] }
  | { readonly type: 'map'; readonly value: readonly (readonly [ScValue, ScValue])[] }
  | { readonly type: 'other'; readonly xdrType: string }

/** Raised for XDR that does not decode. */
export class MalformedScVal extends Error {
  override readonly name = 'MalformedScVal'
}

/** Deeper values become `other`. The exchange's own values have two levels, but a contract may emit any value that the network accepts. */
const DEPTH_MAX = 16

/** The network allows 64 kB of XDR per ledger entry. Longer values are rejected, because decoding them would block the event loop. */
export const BASE64_MAX_LENGTH = 96 * 1024

/** Reads a base64 ScVal; throws MalformedScVal, and NewerThanKnown for values of a later protocol. */
export function decodeScVal(base64: string): ScValue {
  if (base64.length > BASE64_MAX_LENGTH) throw new MalformedScVal('the value is too long')
  return toEnd(Buffer.from(base64, 'base64'), base64, readValue)
}

/** Reads a value inside a larger type; throws as decodeScVal does. */
export function readScVal({ raw }: RawXdr): ScValue {
  return toEnd(raw, undefined, readValue)
}

/** Reads an ScAddress inside a larger type; throws as decodeScVal does. */
export function readScAddress({ raw }: RawXdr): string {
  return toEnd(raw, undefined, readAddress)
}

/** The type of a value inside a larger type: its first four bytes. */
export function typeOfScVal({ raw }: RawXdr): number {
  return raw.readUInt32BE(0)
}

/** Discriminants of ScVal. */
export const SCV = {
  bool: 0, void: 1, error: 2, u32: 3, u64: 5, i128: 10, bytes: 13, string: 14, symbol: 15, vec: 16, map: 17, address: 18, instance: 19,
  executableTag: 22,
} as const

interface Reader {
  readonly bytes: Buffer
  at: number
}

function toEnd<Value>(bytes: Buffer, base64: string | undefined, read: (reader: Reader, depth: number) => Value): Value {
  // Buffer skips what is not base64.
  if (base64 !== undefined && bytes.toString('base64') !== base64) throw new MalformedScVal(NOT_XDR)
  const reader = { bytes, at: 0 }
  try {
    const value = read(reader, 0)
    if (reader.at !== bytes.length) throw new MalformedScVal(NOT_XDR)
    return value
  } catch (error) {
    if (error instanceof MalformedScVal || error instanceof NewerThanKnown) throw error
    // A read past the end is a RangeError.
    throw new MalformedScVal(NOT_XDR, { cause: error })
  }
}

const NOT_XDR = 'not the XDR of a contract value'

function readValue(reader: Reader, depth: number): ScValue {
  const start = reader.at
  if (depth > DEPTH_MAX) {
    reader.at = endOfXdr(xdr.ScVal, reader.bytes, start)
    return { type: 'other', xdrType: 'nested too deeply' }
  }
  const type = readUint(reader)
  switch (type) {
    case SCV.bool:
      return { type: 'bool', value: readFlag(reader) }
    case SCV.void:
      return { type: 'void' }
    case SCV.u32:
      return { type: 'u32', value: readUint(reader) }
    case SCV.u64:
      return { type: 'u64', value: readUint64(reader) }
    case SCV.i128:
      return { type: 'i128', value: (readInt64(reader) << 64n) + readUint64(reader) }
    case SCV.string:
      return { type: 'string', value: readText(reader, Number.POSITIVE_INFINITY) }
    case SCV.symbol:
      return { type: 'symbol', value: readText(reader, SYMBOL_MAX_LENGTH) }
    case SCV.vec:
      return { type: 'vec', value: readItems(reader, depth + 1) }
    case SCV.map:
      return { type: 'map', value: readEntries(reader, depth + 1) }
    case SCV.address:
      return { type: 'address', value: readAddress(reader) }
    default:
      reader.at = endOfXdr(xdr.ScVal, reader.bytes, start)
      return { type: 'other', xdrType: xdr.ScValType.fromValue(type).name }
  }
}

function readUint(reader: Reader): number {
  const value = reader.bytes.readUInt32BE(reader.at)
  reader.at += 4
  return value
}

function readFlag(reader: Reader): boolean {
  const value = readUint(reader)
  if (value > 1) throw new MalformedScVal('a flag is neither 0 nor 1')
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

/** The length of a vector or map, which are optional in XDR. */
function readLength(reader: Reader): number {
  if (!readFlag(reader)) return 0
  const length = readUint(reader)
  if (length * 4 > reader.bytes.length - reader.at) throw new MalformedScVal('a list is longer than the rest')
  return length
}

function readItems(reader: Reader, depth: number): ScValue[] {
  const length = readLength(reader)
  const items: ScValue[] = []
  while (items.length < length) items.push(readValue(reader, depth))
  return items
}

function readEntries(reader: Reader, depth: number): (readonly [ScValue, ScValue])[] {
  const length = readLength(reader)
  const entries: (readonly [ScValue, ScValue])[] = []
  while (entries.length < length) entries.push([readValue(reader, depth), readValue(reader, depth)])
  return entries
}

const SYMBOL_MAX_LENGTH = 32

function readText(reader: Reader, maxLength: number): string {
  const length = readUint(reader)
  const { bytes, at } = reader
  const end = at + length
  const padded = at + Math.ceil(length / 4) * 4
  if (length > maxLength || padded > bytes.length) throw new MalformedScVal('a text is too long')
  for (let index = end; index < padded; index++) if (bytes[index] !== 0) throw new MalformedScVal('padding is not zero')
  reader.at = padded
  // Printable ASCII without a backslash is its own text.
  for (let index = at; index < end; index++) {
    const byte = bytes[index] ?? 0
    if (byte < 0x20 || byte > 0x7e || byte === 0x5c) return textOfBytes(bytes.subarray(at, end))
  }
  return bytes.toString('latin1', at, end)
}

function readBytes(reader: Reader, length: number): Buffer {
  const start = reader.at
  reader.at += length
  if (reader.at > reader.bytes.length) throw new MalformedScVal('the bytes end too early')
  return reader.bytes.subarray(start, reader.at)
}

const KEY_BYTES = 32
const ID_BYTES = 8

function readAddress(reader: Reader): string {
  const start = reader.at
  switch (readUint(reader)) {
    case 0:
      return encodeAccount(readTypedKey(reader, start))
    case 1:
      return encodeContract(readBytes(reader, KEY_BYTES))
    case 2: {
      // XDR has the id first, the text has it last.
      const id = readBytes(reader, ID_BYTES)
      return encodeMuxedAccount(readBytes(reader, KEY_BYTES), id)
    }
    case 3:
      return encodeClaimableBalance(readTypedKey(reader, start))
    case 4:
      return encodeLiquidityPool(readBytes(reader, KEY_BYTES))
    case 5: {
      const id = readBytes(reader, ID_BYTES)
      return encodeMuxedContract(readBytes(reader, KEY_BYTES), id)
    }
    default:
      return unknownAddress(reader, start)
  }
}

/** The keys of accounts and the ids of balances have a type of their own, of which only one is known. */
function readTypedKey(reader: Reader, start: number): Buffer {
  return readUint(reader) === 0 ? readBytes(reader, KEY_BYTES) : unknownAddress(reader, start)
}

/** Throws: the address is newer than known, or malformed. */
function unknownAddress({ bytes }: Reader, start: number): never {
  endOfXdr(xdr.ScAddress, bytes, start)
  throw new MalformedScVal('an unknown type of address')
}

/** The field of a struct, which is encoded as a map with symbol keys; undefined when there is no such field. */
export function structField(value: ScValue, name: string): ScValue | undefined {
  if (value.type !== 'map') return undefined
  return value.value.find(([key]) => key.type === 'symbol' && key.value === name)?.[1]
}

/** Values of storage keys and arguments. */
export type ScArgument =
  | Extract<ScValue, { readonly type: 'bool' | 'u32' | 'u64' | 'i128' | 'symbol' | 'string' | 'address' }>
  | { readonly type: 'vec'; readonly value: readonly ScArgument[] }

/** Converts an argument to the SDK's value. */
export function toXdr(argument: ScArgument): xdr.ScVal {
  if (argument.type === 'bool') return xdr.ScVal.scvBool(argument.value)
  if (argument.type === 'address') return new Address(argument.value).toScVal()
  if (argument.type === 'vec') return xdr.ScVal.scvVec(argument.value.map(toXdr))
  if (argument.type === 'string') return xdr.ScVal.scvString(bytesOfText(argument.value))
  return nativeToScVal(argument.value, { type: argument.type })
}

/** Encodes an argument as base64 ScVal. */
export function encodeScVal(argument: ScArgument): string {
  return toXdr(argument).toXdr('base64')
}
