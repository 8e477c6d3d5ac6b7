// Reading contract values, and the contracts' integer arithmetic: i128 with truncation toward zero, overflow told by an error code.

import { I128_MAX, I128_MIN } from '../../src/base/fixed-point.ts'
import type { EntryPoint, SpecType, Val } from './host.ts'
import { address, bool, ContractFailure, HostFailure, i128, struct, symbol, text, u32, u64, vec } from './host.ts'

/** Ends the call with `Error(Contract, #code)`. */
export function fail(code: number): never {
  throw new ContractFailure(code)
}

type ValOf<T extends Val['type']> = Extract<Val, { type: T }>

function expectType<T extends Val['type']>(val: Val | undefined, type: T): ValOf<T> {
  if (val?.type !== type) throw new HostFailure('Value', 'UnexpectedType', `expected ${type}, got ${val?.type ?? 'nothing'}`)
  return val as ValOf<T>
}

export const asAddress = (val: Val | undefined): string => expectType(val, 'address').value
export const asSymbol = (val: Val | undefined): string => expectType(val, 'symbol').value
export const asText = (val: Val | undefined): string => expectType(val, 'string').value
export const asBytes = (val: Val | undefined): Uint8Array => expectType(val, 'bytes').value
export const asI128 = (val: Val | undefined): bigint => expectType(val, 'i128').value
export const asU64 = (val: Val | undefined): bigint => expectType(val, 'u64').value
export const asU32 = (val: Val | undefined): number => expectType(val, 'u32').value
export const asBool = (val: Val | undefined): boolean => expectType(val, 'bool').value
export const asVec = (val: Val | undefined): readonly Val[] => expectType(val, 'vec').value

/** A struct's field; a map without it is not that struct. */
export function fieldOf(val: Val | undefined, name: string): Val {
  const entry = expectType(val, 'map').value.find(([key]) => key.type === 'symbol' && key.value === name)
  if (entry === undefined) throw new HostFailure('Object', 'MissingValue', `the map has no ${name}`)
  return entry[1]
}

/** A storage key: a vec of its name and, where it has one, its argument. */
export function storageKey(name: string, argument?: Val): Val {
  return argument === undefined ? vec(symbol(name)) : vec(symbol(name), argument)
}

const OVERFLOW = 6
const DIVISION_BY_ZERO = 7

/** The value, when an i128 holds it; otherwise the call ends with `overflowCode`. */
export function checked(value: bigint, overflowCode: number = OVERFLOW): bigint {
  if (value > I128_MAX || value < I128_MIN) fail(overflowCode)
  return value
}

/** `a x b / divisor` as the contracts compute it: truncated toward zero, 6 when the product is no i128, 7 when the divisor is zero. */
export function mulDiv(a: bigint, b: bigint, divisor: bigint, overflowCode: number = OVERFLOW): bigint {
  const product = checked(a * b, overflowCode)
  if (divisor === 0n) fail(DIVISION_BY_ZERO)
  return product / divisor
}

const BPS_DENOMINATOR = 10_000n

/** A share of an amount in basis points, truncated toward zero. */
export function bpsOf(amount: bigint, bps: number, overflowCode: number = OVERFLOW): bigint {
  return mulDiv(amount, BigInt(bps), BPS_DENOMINATOR, overflowCode)
}

export function minOf(first: bigint, ...others: readonly bigint[]): bigint {
  return others.reduce((least, value) => (value < least ? value : least), first)
}

/** The value, or zero in its place when it is negative. */
export function positivePart(value: bigint): bigint {
  return value < 0n ? 0n : value
}

export function abs(value: bigint): bigint {
  return value < 0n ? -value : value
}

/** How a struct's scalar field stands on the wire. */
export type Scalar = 'address' | 'symbol' | 'string' | 'i128' | 'u64' | 'u32' | 'bool'

type FieldTable = Readonly<Record<string, Scalar>>

type ValueOf<S extends Scalar> = S extends 'i128' | 'u64' ? bigint : S extends 'u32' ? number : S extends 'bool' ? boolean : string

/** A struct's record: named as on the wire, in plain values. */
export type RecordOf<F extends FieldTable> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** Both directions of one struct, and its published interface. */
export interface StructCodec<F extends FieldTable> {
  toVal(record: RecordOf<F>): Val
  fromVal(val: Val): RecordOf<F>
  readonly spec: readonly (readonly [name: string, type: SpecType])[]
}

/** The record that a codec reads and writes. */
export type CodecRecord<C> = C extends StructCodec<infer F> ? RecordOf<F> : never

const ENCODERS = {
  address, symbol, string: text, i128, u64, u32, bool,
} as const satisfies Record<Scalar, (value: never) => Val>

const DECODERS = {
  address: asAddress, symbol: asSymbol, string: asText, i128: asI128, u64: asU64, u32: asU32, bool: asBool,
} as const satisfies Record<Scalar, (val: Val) => unknown>

/** The codec of a struct whose fields are all scalars. */
export function structCodec<const F extends FieldTable>(fields: F): StructCodec<F> {
  const names = Object.keys(fields).sort()
  return {
    spec: names.map((name) => [name, fields[name] as Scalar] as const),
    toVal: (record) =>
      struct(Object.fromEntries(names.map((name) => [name, ENCODERS[fields[name] as Scalar](record[name] as never)]))),
    fromVal: (val) =>
      Object.fromEntries(names.map((name) => [name, DECODERS[fields[name] as Scalar](fieldOf(val, name))])) as RecordOf<F>,
  }
}

/** An entry point, written as it is published: inputs in order, then output, then what it does. */
export function entryPoint(inputs: Readonly<Record<string, SpecType>>, output: SpecType, run: EntryPoint['run']): EntryPoint {
  return { inputs: Object.entries(inputs), output, run }
}
