// Contract values: base64 ScVal to plain values and back. The Stellar SDK reads and writes the XDR; its classes stay in this folder.

import { Address, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { bytesOfText, textOfBytes } from '../base/text.ts'
import { readPlainScVal } from './plain-scval.ts'

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
  | { readonly type: 'address'; readonly value: string }
  | { readonly type: 'vec'; readonly value: readonly ScValue[] }
  | { readonly type: 'map'; readonly value: readonly (readonly [ScValue, ScValue])[] }
  | { readonly type: 'other'; readonly xdrType: string }

/** Raised for XDR that does not decode. */
export class MalformedScVal extends Error {
  override readonly name = 'MalformedScVal'
}

/** Deeper values are rejected. The exchange's own values have two levels. */
const DEPTH_MAX = 16

/** The network allows 64 kB of XDR per ledger entry. Longer values are rejected, because decoding them would block the event loop. */
export const BASE64_MAX_LENGTH = 96 * 1024

/** Reads a base64 ScVal; throws MalformedScVal. */
export function decodeScVal(base64: string): ScValue {
  if (base64.length > BASE64_MAX_LENGTH) throw new MalformedScVal('the value is too long')
  try {
    return readPlainScVal(base64) ?? fromScVal(xdr.ScVal.fromXdr(base64, 'base64'))
  } catch (error) {
    if (error instanceof MalformedScVal) throw error
    throw new MalformedScVal('not the XDR of a contract value', { cause: error })
  }
}

/** Converts the SDK's value; throws MalformedScVal. */
export function fromScVal(value: xdr.ScVal): ScValue {
  return fromXdr(value, 0)
}

function fromXdr(value: xdr.ScVal, depth: number): ScValue {
  if (depth > DEPTH_MAX) throw new MalformedScVal('the value is nested too deeply')
  switch (value.type) {
    case 'scvVoid':
      return { type: 'void' }
    case 'scvBool':
      return { type: 'bool', value: value.b }
    case 'scvU32':
      return { type: 'u32', value: value.u32 }
    case 'scvU64':
      return { type: 'u64', value: value.u64 }
    case 'scvI128':
      return { type: 'i128', value: (value.i128.hi << 64n) + value.i128.lo }
    case 'scvSymbol':
      return { type: 'symbol', value: textOfBytes(value.sym.bytes) }
    case 'scvString':
      return { type: 'string', value: textOfBytes(value.str.bytes) }
    case 'scvAddress':
      return { type: 'address', value: Address.fromScVal(value).toString() }
    case 'scvVec':
      return { type: 'vec', value: (value.vec ?? []).map((item) => fromXdr(item, depth + 1)) }
    case 'scvMap':
      return { type: 'map', value: (value.map ?? []).map((entry) => [fromXdr(entry.key, depth + 1), fromXdr(entry.val, depth + 1)] as const) }
    default:
      return { type: 'other', xdrType: value.type }
  }
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
