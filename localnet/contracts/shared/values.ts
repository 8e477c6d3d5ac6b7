// Decoding contract values, and the contracts' integer arithmetic: i128, truncating toward zero, trapping on overflow.

import { I128_MAX, I128_MIN } from '../../../src/base/fixed-point.ts'
import type { EntryPoint, SpecType, Val } from './host.ts'
import { address, bool, ContractFailure, HostFailure, i128, struct, symbol, text, u32, u64, vec } from './host.ts'

/** Fails the call with `Error(Contract, #code)`. */
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

/** A field of a struct; throws HostFailure Object/MissingValue if the map does not have it. */
export function fieldOf(val: Val | undefined, name: string): Val {
  const entry = expectType(val, 'map').value.find(([key]) => key.type === 'symbol' && key.value === name)
  if (entry === undefined) throw new HostFailure('Object', 'MissingValue', `the map has no ${name}`)
  return entry[1]
}

/** A storage key: a vec of its name and, optionally, an argument. */
export function storageKey(name: string, argument?: Val): Val {
  return argument === undefined ? vec(symbol(name)) : vec(symbol(name), argument)
}

/** Fails as the code of a contract that panics: an error of the host, without a code. */
export function trap(detail: string): never {
  throw new HostFailure('WasmVm', 'InvalidAction', detail)
}

/** Checks that the value fits into an i128. Traps otherwise, or fails with `overflowCode` where the contract names the overflow. */
export function checked(value: bigint, overflowCode?: number): bigint {
  if (value <= I128_MAX && value >= I128_MIN) return value
  return overflowCode === undefined ? trap('attempt to compute with overflow') : fail(overflowCode)
}

/** `a x b / divisor` truncated toward zero. The product must fit into an i128, as in `checked`; a divisor of zero traps. */
export function mulDiv(a: bigint, b: bigint, divisor: bigint, overflowCode?: number): bigint {
  const product = checked(a * b, overflowCode)
  return divisor === 0n ? trap('attempt to divide by zero') : product / divisor
}

export const BPS_DENOMINATOR = 10_000n

/** `bps` basis points of an amount, truncated toward zero. */
export function bpsOf(amount: bigint, bps: number, overflowCode?: number): bigint {
  return mulDiv(amount, BigInt(bps), BPS_DENOMINATOR, overflowCode)
}

export function minOf(first: bigint, ...others: readonly bigint[]): bigint {
  return others.reduce((smallest, value) => (value < smallest ? value : smallest), first)
}

/** The value, or zero if it is negative. */
export function positivePart(value: bigint): bigint {
  return value < 0n ? 0n : value
}

export function abs(value: bigint): bigint {
  return value < 0n ? -value : value
}

/** The wire type of a scalar struct field. */
type Scalar = 'address' | 'symbol' | 'string' | 'i128' | 'u64' | 'u32' | 'bool'

type FieldTable = Readonly<Record<string, Scalar>>

type ValueOf<S extends Scalar> = S extends 'i128' | 'u64' ? bigint : S extends 'u32' ? number : S extends 'bool' ? boolean : string

/** A struct as native values, with field names as on the wire. */
type RecordOf<F extends FieldTable> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** Encodes and decodes a struct and gives its published spec. */
export interface StructCodec<F extends FieldTable> {
  toVal(record: RecordOf<F>): Val
  fromVal(val: Val): RecordOf<F>
  readonly spec: readonly (readonly [name: string, type: SpecType])[]
}

/** The record type of a codec. */
export type CodecRecord<C> = C extends StructCodec<infer F> ? RecordOf<F> : never

const ENCODERS = {
  address, symbol, string: text, i128, u64, u32, bool,
} as const satisfies Record<Scalar, (value: never) => Val>

const DECODERS = {
  address: asAddress, symbol: asSymbol, string: asText, i128: asI128, u64: asU64, u32: asU32, bool: asBool,
} as const satisfies Record<Scalar, (val: Val) => unknown>

/** The codec of a struct with scalar fields only. */
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

/** Defines an entry point: named inputs in order, output, implementation. */
export function entryPoint(inputs: Readonly<Record<string, SpecType>>, output: SpecType, run: EntryPoint['run']): EntryPoint {
  return { inputs: Object.entries(inputs), output, run }
}
