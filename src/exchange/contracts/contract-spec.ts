// A contract's own description of its interface, as it is published in its code. Values are JSON, so the database can cache them.

/**
 * Types are canonical text: `u32`, `i128`, `symbol`, `address`, `vec<u64>`, `option<Position>`, `bytesN<32>`, `map<symbol,i128>`, `tuple<u32,u64>`,
 * or the name of a declared struct, union or enum.
 */
export type SpecTypeText = string

export interface SpecParameter {
  readonly name: string
  readonly type: SpecTypeText
}

export interface SpecFunction {
  readonly name: string
  readonly inputs: readonly SpecParameter[]
  /** `void` when the function returns nothing. */
  readonly output: SpecTypeText
}

export interface SpecStruct {
  readonly name: string
  readonly fields: readonly SpecParameter[]
}

export interface SpecUnion {
  readonly name: string
  readonly cases: readonly { readonly name: string; readonly types: readonly SpecTypeText[] }[]
}

export interface SpecEnum {
  readonly name: string
  readonly cases: readonly SpecEnumCase[]
}

export interface SpecEnumCase {
  readonly name: string
  readonly value: number
}

export interface SpecEvent {
  readonly name: string
  /** The fixed topics before the parameters. */
  readonly prefixTopics: readonly string[]
  readonly params: readonly (SpecParameter & { readonly location: 'topic' | 'data' })[]
  readonly dataFormat: 'single' | 'vec' | 'map'
}

/** Lists keep the order of the code. Names are not necessarily unique: the first counts. */
export interface ContractSpec {
  readonly functions: readonly SpecFunction[]
  readonly structs: readonly SpecStruct[]
  readonly unions: readonly SpecUnion[]
  readonly enums: readonly SpecEnum[]
  /** The cases of all error enums. */
  readonly errors: readonly SpecEnumCase[]
  readonly events: readonly SpecEvent[]
}

/** The declarations of events, and of the structs in them. */
export type EventSpec = Pick<ContractSpec, 'events' | 'structs'>

/** The arguments of a parametrised type: `key` and `value` of `map<key,value>`. Undefined for a type of another kind. */
export function typeArguments(kind: 'option' | 'vec' | 'map' | 'tuple', type: SpecTypeText): readonly SpecTypeText[] | undefined {
  if (!type.startsWith(`${kind}<`) || !type.endsWith('>')) return undefined
  const found: SpecTypeText[] = []
  let [depth, start] = [0, kind.length + 1]
  for (let index = start; index < type.length; index++) {
    const char = type.charAt(index)
    if (char === '<') depth += 1
    if ((char === ',' && depth === 0) || index === type.length - 1) {
      found.push(type.slice(start, index))
      start = index + 1
    }
    if (char === '>') depth -= 1
  }
  return found
}

export function findFunction(spec: ContractSpec, name: string): SpecFunction | undefined {
  return spec.functions.find((candidate) => candidate.name === name)
}

/** The contract's own name for an error code; undefined when it declares none. */
export function declaredErrorName(spec: ContractSpec, code: number): string | undefined {
  return spec.errors.find(({ value }) => value === code)?.name
}

/** True when a function takes arguments of these types, in this order. */
export function acceptsArguments(spec: ContractSpec, declared: SpecFunction, types: readonly SpecTypeText[]): boolean {
  return declared.inputs.length === types.length && declared.inputs.every((input, index) => acceptsType(spec, input.type, types[index] ?? ''))
}

/** True when a value of type `sent` is valid where the contract declares `declared`. Integer enums are encoded as u32. */
function acceptsType(spec: ContractSpec, declared: SpecTypeText, sent: SpecTypeText): boolean {
  const [optional] = typeArguments('option', declared) ?? []
  if (optional !== undefined) return acceptsType(spec, optional, sent)
  if (declared === sent || declared === 'val') return true
  if (declared === 'muxedAddress') return sent === 'address'
  return sent === 'u32' && spec.enums.some(({ name }) => name === declared)
}

const SIGNATURE_MAX_LENGTH = 300

/** A function as a signature: `close_position(trader: address, position_id: u64)`. Shortened, because the name of a type may have a thousand characters. */
export function signatureOf({ name, inputs }: SpecFunction): string {
  const signature = `${name}(${inputs.map((input) => `${input.name}: ${input.type}`).join(', ')})`
  return signature.length > SIGNATURE_MAX_LENGTH ? `${signature.slice(0, SIGNATURE_MAX_LENGTH)}…` : signature
}
