// Reads XDR by the SDK's definitions of its types, without the SDK's decoder: values, addresses and ledger keys inside a type stay bytes, and forms that are
// newer than the SDK are either known here or named as newer (docs/decisions/newer-than-the-sdk.md).

import { xdr } from '@stellar/stellar-sdk'
import { NewerThanKnown } from './newer-than-known.ts'

/** Raised for bytes that are not the XDR of the type. */
export class MalformedXdr extends Error {
  override readonly name = 'MalformedXdr'
}

/** A part that stays XDR. */
export interface RawXdr {
  readonly raw: Buffer
}

/** An XDR type of the SDK, such as `xdr.LedgerEntry`. */
interface XdrClass<Wire> {
  readonly schema: xdr.XdrType<Wire>
}

type WireOf<Class> = Class extends XdrClass<infer Wire> ? Wire : never
type IsSame<A, B> = [A, B] extends [B, A] ? true : false
type IsRaw<Wire> = true extends
  IsSame<Wire, WireOf<typeof xdr.ScVal>> | IsSame<Wire, WireOf<typeof xdr.ScAddress>> | IsSame<Wire, WireOf<typeof xdr.LedgerKey>> ? true : false
type Part<Wire> = IsRaw<NonNullable<Wire>> extends true ? RawXdr | Extract<Wire, null> : Parts<Wire>
type Parts<Wire> =
  Wire extends xdr.XdrString ? Buffer
  : Wire extends Uint8Array ? Buffer
  : Wire extends readonly (infer Item)[] ? readonly Part<Item>[]
  : Wire extends object ? { readonly [Key in keyof Wire]: Part<Wire[Key]> }
  : Wire

/** A decoded type: structs are objects, unions have their discriminant and the field of their arm. Texts and opaque data are bytes. */
export type Decoded<Class> = Parts<WireOf<Class>>

/** Reads base64 or bytes to their end. Throws MalformedXdr and NewerThanKnown. */
export function readXdr<Class extends XdrClass<unknown>>(type: Class, input: string | Uint8Array): Decoded<Class> {
  const source = { bytes: typeof input === 'string' ? bytesOfBase64(input) : asBuffer(input), at: 0, depth: 0 }
  const value = readBody(type.schema as unknown as Schema, source, true)
  if (source.at !== source.bytes.length) throw new MalformedXdr('bytes follow the end')
  return value as Decoded<Class>
}

/** The reason why the SDK cannot decode this base64, if it is a later protocol. */
export function findNewer(type: XdrClass<unknown>, base64: string): NewerThanKnown | undefined {
  try {
    readXdr(type, base64)
  } catch (error) {
    if (error instanceof NewerThanKnown) return error
  }
  return undefined
}

/** The end of the value that starts at `at`. Throws MalformedXdr and NewerThanKnown. */
export function endOfXdr(type: XdrClass<unknown>, bytes: Buffer, at: number): number {
  const source = { bytes, at, depth: 0 }
  readBody(type.schema as unknown as Schema, source, false)
  return source.at
}

/** The bytes of base64 without spaces and with its padding. Throws MalformedXdr. */
function bytesOfBase64(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64')
  // Buffer skips what is not base64.
  if (bytes.toString('base64') !== base64) throw new MalformedXdr('not base64')
  return bytes
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The SDK's definitions of types. */
type Schema =
  | { readonly kind: 'bool' | 'uint32' | 'int32' | 'uint64' | 'int64' }
  | { readonly kind: 'opaque'; readonly length: number }
  | { readonly kind: 'string' | 'varOpaque'; readonly maxLength: number }
  | { readonly kind: 'array'; readonly element: Schema; readonly maxLength: number }
  | { readonly kind: 'fixedArray'; readonly element: Schema; readonly length: number }
  | { readonly kind: 'option'; readonly element: Schema }
  | { readonly kind: 'struct'; readonly entries: readonly (readonly [string, Schema])[] }
  | { readonly kind: 'enum'; readonly name: string; readonly nameByValue: ReadonlyMap<number, string> }
  | { readonly kind: 'lazy'; readonly getSchema: () => Schema }
  | UnionSchema

interface UnionSchema {
  readonly kind: 'union'
  readonly name: string
  readonly switchOn: Schema
  readonly switchKey: string
  readonly cases: readonly { readonly discriminant: number; readonly arm: Arm }[]
}

type Arm = { readonly kind: 'field'; readonly name: string; readonly schema: Schema } | { readonly kind: 'void' }

interface Source {
  readonly bytes: Buffer
  at: number
  depth: number
}

/** As deep as the SDK reads. The network's limit is lower. */
const DEPTH_MAX = 1_500

const RAW: ReadonlySet<unknown> = new Set([xdr.ScVal.schema, xdr.ScAddress.schema, xdr.LedgerKey.schema])

/** Moves to the end of a part. Without `builds` its value is undefined. */
function read(schema: Schema, source: Source, builds: boolean): unknown {
  if (schema.kind === 'lazy') return read(schema.getSchema(), source, builds)
  if (!builds || !RAW.has(schema)) return readBody(schema, source, builds)
  const start = source.at
  readBody(schema, source, false)
  return { raw: source.bytes.subarray(start, source.at) } satisfies RawXdr
}

function readBody(schema: Schema, source: Source, builds: boolean): unknown {
  if (source.depth >= DEPTH_MAX) throw new MalformedXdr('nested too deeply')
  source.depth += 1
  const value = readKind(schema, source, builds)
  source.depth -= 1
  return value
}

function readKind(schema: Schema, source: Source, builds: boolean): unknown {
  switch (schema.kind) {
    case 'bool':
      return readFlag(source)
    case 'uint32':
      return readUint(source)
    case 'int32':
      return readUint(source) | 0
    case 'uint64':
      return source.bytes.readBigUInt64BE(take(source, 8))
    case 'int64':
      return source.bytes.readBigInt64BE(take(source, 8))
    case 'opaque':
      return readBytes(source, schema.length)
    case 'string':
    case 'varOpaque':
      return readBytes(source, readLength(source, schema.maxLength))
    case 'array':
      return readItems(schema.element, readLength(source, schema.maxLength), source, builds)
    case 'fixedArray':
      return readItems(schema.element, schema.length, source, builds)
    case 'option':
      return readFlag(source) ? read(schema.element, source, builds) : null
    case 'struct':
      return readFields(schema.entries, source, builds)
    case 'enum':
      return readEnum(schema, source)
    case 'lazy':
      return readBody(schema.getSchema(), source, builds)
    case 'union':
      return readUnion(schema, source, builds)
  }
}

/** The start of the next bytes, which are then behind the source. */
function take(source: Source, length: number): number {
  const start = source.at
  if (length > source.bytes.length - start) throw new MalformedXdr('the bytes end too early')
  source.at = start + length
  return start
}

function readUint(source: Source): number {
  return source.bytes.readUInt32BE(take(source, 4))
}

function readFlag(source: Source): boolean {
  const flag = readUint(source)
  if (flag > 1) throw new MalformedXdr('a flag is neither 0 nor 1')
  return flag === 1
}

function readLength(source: Source, max: number): number {
  const length = readUint(source)
  if (length > max) throw new MalformedXdr(`a length of ${length} exceeds its maximum of ${max}`)
  return length
}

function readBytes(source: Source, length: number): Buffer {
  const start = take(source, length)
  const padding = (4 - (length % 4)) % 4
  const end = take(source, padding)
  for (let index = end; index < end + padding; index++) if (source.bytes[index] !== 0) throw new MalformedXdr('padding is not zero')
  return source.bytes.subarray(start, end)
}

function readItems(element: Schema, length: number, source: Source, builds: boolean): unknown[] | undefined {
  // Every element of the network's types has at least four bytes.
  if (length * 4 > source.bytes.length - source.at) throw new MalformedXdr('a list is longer than the rest')
  const items: unknown[] = []
  for (let index = 0; index < length; index++) {
    const item = read(element, source, builds)
    if (builds) items.push(item)
  }
  return items
}

function readFields(entries: readonly (readonly [string, Schema])[], source: Source, builds: boolean): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = {}
  for (const [name, schema] of entries) {
    const field = read(schema, source, builds)
    if (builds) fields[name] = field
  }
  return builds ? fields : undefined
}

function readEnum({ name, nameByValue }: Extract<Schema, { kind: 'enum' }>, source: Source): number {
  const value = readUint(source) | 0
  if (!nameByValue.has(value)) throw unknownNumber(name, value, [...nameByValue.keys()])
  return value
}

/** SC_ADDRESS_TYPE_MUXED_CONTRACT: the id of a user in 8 bytes, then the contract's. */
const MUXED_CONTRACT = 5
const MUXED_CONTRACT_BYTES = 40

function readUnion({ name, switchOn, switchKey, cases }: UnionSchema, source: Source, builds: boolean): Record<string, unknown> | undefined {
  const discriminant = readUint(source) | 0
  const known = cases[discriminant]?.discriminant === discriminant ? cases[discriminant] : cases.find((each) => each.discriminant === discriminant)
  if (known === undefined && name === 'ScAddress' && discriminant === MUXED_CONTRACT) {
    take(source, MUXED_CONTRACT_BYTES)
    return builds ? { [switchKey]: discriminant } : undefined
  }
  if (known === undefined) {
    if (switchOn.kind === 'enum' && switchOn.nameByValue.has(discriminant)) throw new MalformedXdr(`${name} cannot be of type ${discriminant}`)
    const isEnum = switchOn.kind === 'enum'
    throw unknownNumber(isEnum ? switchOn.name : name, discriminant, isEnum ? [...switchOn.nameByValue.keys()] : cases.map((each) => each.discriminant))
  }
  const { arm } = known
  const payload = arm.kind === 'field' ? read(arm.schema, source, builds) : undefined
  if (!builds) return undefined
  return arm.kind === 'field' ? { [switchKey]: discriminant, [arm.name]: payload } : { [switchKey]: discriminant }
}

/** Protocols number new forms consecutively. A number further above the known ones is damage. */
export const NEWER_STEPS_MAX = 16

const NAMES: Readonly<Record<string, string>> = {
  ScAddressType: 'address type', ScValType: 'value type', SorobanCredentialsType: 'credentials type', ContractExecutableType: 'executable type',
  TransactionMeta: 'transaction meta version', OperationType: 'operation type', HostFunctionType: 'host function type', LedgerEntryType: 'ledger entry type',
}

function unknownNumber(name: string, value: number, known: readonly number[]): MalformedXdr | NewerThanKnown {
  const largest = Math.max(...known)
  const what = `${Object.hasOwn(NAMES, name) ? NAMES[name] : name} ${value}`
  return value > largest && value <= largest + NEWER_STEPS_MAX ? new NewerThanKnown(what) : new MalformedXdr(`unknown ${what}`)
}
