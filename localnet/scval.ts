// Converts the host's contract values to ScVal and back.

import { xdr } from '@stellar/stellar-sdk'
import { bytesOfText, textOfBytes } from '../src/base/text.ts'
import type { Val } from './contracts/shared/host.ts'
import { accountAddress, contractAddress, putScAddress } from './ledger/addresses.ts'
import {
  encode, putBool, putI64, putOpaque, putText, putU32, putU64, toBase64, type XdrWriter,
} from './ledger/xdr-writer.ts'

/** ScValType. */
export const SCV = {
  bool: 0, void: 1, error: 2, u32: 3, u64: 5, i128: 10, bytes: 13, string: 14, symbol: 15, vec: 16, map: 17, address: 18, instance: 19,
  instanceKey: 20, nonceKey: 21,
} as const

const LOW_64 = 2n ** 64n - 1n

/** Writes a value as ScVal. */
export function putVal(writer: XdrWriter, val: Val): void {
  putU32(writer, SCV[val.type])
  switch (val.type) {
    case 'void':
      return
    case 'bool':
      return putBool(writer, val.value)
    case 'u32':
      return putU32(writer, val.value)
    case 'u64':
      return putU64(writer, val.value)
    case 'i128':
      putI64(writer, val.value >> 64n)
      return putU64(writer, val.value & LOW_64)
    case 'symbol':
      return putText(writer, val.value)
    case 'string':
      return putOpaque(writer, bytesOfText(val.value))
    case 'bytes':
      return putOpaque(writer, val.value)
    case 'address':
      return putScAddress(writer, val.value)
    case 'vec':
      putU32(writer, 1)
      return putArrayOf(writer, val.value, putVal)
    case 'map':
      putU32(writer, 1)
      return putArrayOf(writer, val.value, putMapEntry)
  }
}

function putArrayOf<T>(writer: XdrWriter, items: readonly T[], put: (writer: XdrWriter, item: T) => void): void {
  putU32(writer, items.length)
  for (const item of items) put(writer, item)
}

function putMapEntry(writer: XdrWriter, [key, value]: readonly [Val, Val]): void {
  putVal(writer, key)
  putVal(writer, value)
}

/** A value as ScVal bytes. */
export function encodeVal(val: Val): Uint8Array {
  return encode((writer) => putVal(writer, val))
}

/** A value as base64 ScVal. */
export function valToBase64(val: Val): string {
  return toBase64(encodeVal(val))
}

/** A value as the SDK's ScVal. */
export function toScVal(val: Val): xdr.ScVal {
  return xdr.ScVal.fromXdr(encodeVal(val))
}

/** The SDK's ScVal as a value; undefined for a type that the exchange's contracts do not use. */
export function fromScVal(scVal: xdr.ScVal): Val | undefined {
  switch (scVal.type) {
    case 'scvVoid':
      return { type: 'void' }
    case 'scvBool':
      return { type: 'bool', value: scVal.b }
    case 'scvU32':
      return { type: 'u32', value: scVal.u32 }
    case 'scvU64':
      return { type: 'u64', value: scVal.u64 }
    case 'scvI128':
      return { type: 'i128', value: (scVal.i128.hi << 64n) | scVal.i128.lo }
    case 'scvSymbol':
      return symbolVal(scVal.sym)
    case 'scvString':
      return { type: 'string', value: textOfBytes(scVal.str.bytes) }
    case 'scvBytes':
      return { type: 'bytes', value: scVal.bytes.value }
    case 'scvAddress':
      return addressVal(scVal.address)
    case 'scvVec':
      return vecVal(scVal.vec)
    case 'scvMap':
      return mapVal(scVal.map)
    default:
      return undefined
  }
}

function symbolVal(symbol: xdr.XdrString): Val | undefined {
  const value = symbol.asStringOrBytes()
  return typeof value === 'string' ? { type: 'symbol', value } : undefined
}

/** The address of an account or a contract; undefined for the other kinds. */
export function addressOf(address: xdr.ScAddress): string | undefined {
  if (address.type === 'scAddressTypeAccount') return accountAddress(keyBytes(address.accountId))
  if (address.type === 'scAddressTypeContract') return contractAddress(address.contractId.value)
  return undefined
}

/** The 32 bytes of an account's id. */
export function keyBytes(accountId: { readonly value: { readonly value: Uint8Array } }): Uint8Array {
  return accountId.value.value
}

function addressVal(address: xdr.ScAddress): Val | undefined {
  const value = addressOf(address)
  return value === undefined ? undefined : { type: 'address', value }
}

function vecVal(items: readonly xdr.ScVal[] | null): Val | undefined {
  if (items === null) return undefined
  const value: Val[] = []
  for (const item of items) {
    const val = fromScVal(item)
    if (val === undefined) return undefined
    value.push(val)
  }
  return { type: 'vec', value }
}

function mapVal(items: readonly xdr.ScMapEntry[] | null): Val | undefined {
  if (items === null) return undefined
  const value: (readonly [Val, Val])[] = []
  for (const item of items) {
    const key = fromScVal(item.key)
    const val = fromScVal(item.val)
    if (key === undefined || val === undefined) return undefined
    value.push([key, val])
  }
  return { type: 'map', value }
}

/** Base64 ScVal as a value. Throws when it does not decode, or for a type that the exchange's contracts do not use. */
export function valFromBase64(text: string): Val {
  const val = fromScVal(xdr.ScVal.fromXdr(text, 'base64'))
  if (val === undefined) throw new RangeError('unsupported ScVal type')
  return val
}
