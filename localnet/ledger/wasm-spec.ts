// The WASM of a contract as the network serves it. The module contains only the contract's spec, from which clients generate bindings.

import { xdr } from '@stellar/stellar-sdk'
import type { ContractCode, SpecType } from '../contracts/shared/host.ts'
import { sha256 } from './addresses.ts'
import { toHex } from './xdr-writer.ts'

export interface WasmModule {
  readonly wasm: Uint8Array
  /** Hex. */
  readonly hash: string
}

const WASM_HEADER = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00)
const CUSTOM_SECTION = 0
const SPEC_SECTION_NAME = 'contractspecv0'
const META_SECTION_NAME = 'contractmetav0'
const ERROR_ENUM_NAME = 'Error'

const modules = new WeakMap<ContractCode, WasmModule>()

/** The spec-only module of a contract. Its metadata names contract and build, so that two builds with the same spec have different hashes. */
export function wasmModuleOf(code: ContractCode): WasmModule {
  const cached = modules.get(code)
  if (cached !== undefined) return cached
  const entries = specEntries(code)
  const wasm = Buffer.concat([
    WASM_HEADER,
    customSection(META_SECTION_NAME, Buffer.concat(metaEntries(code).map((entry) => entry.toXdr()))),
    customSection(SPEC_SECTION_NAME, Buffer.concat(entries.map((entry) => entry.toXdr()))),
  ])
  const module = { wasm: new Uint8Array(wasm), hash: toHex(sha256(wasm)) }
  modules.set(code, module)
  return module
}

function customSection(name: string, content: Uint8Array): Uint8Array {
  const nameBytes = Buffer.from(name, 'ascii')
  const body = Buffer.concat([leb128(nameBytes.length), nameBytes, content])
  return Buffer.concat([Uint8Array.of(CUSTOM_SECTION), leb128(body.length), body])
}

/** Unsigned LEB128. */
function leb128(value: number): Uint8Array {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Uint8Array.from([...bytes, rest])
    bytes.push((rest & 0x7f) | 0x80)
  }
}

function metaEntries({ name, build }: ContractCode): readonly xdr.ScMetaEntry[] {
  const fields = build === undefined ? { name } : { name, build }
  return Object.entries(fields).map(([key, val]) => xdr.ScMetaEntry.scMetaV0(new xdr.ScMetaV0({ key, val })))
}

function specEntries(code: ContractCode): readonly xdr.ScSpecEntry[] {
  const entries: xdr.ScSpecEntry[] = []
  for (const [name, entryPoint] of Object.entries(code.entryPoints)) {
    const inputs = entryPoint.inputs.map(([input, type]) => new xdr.ScSpecFunctionInputV0({ doc: '', name: input, type: typeDef(type) }))
    // As compiled contracts: a function without a return value has no outputs.
    const outputs = entryPoint.output === 'void' ? [] : [typeDef(entryPoint.output)]
    entries.push(xdr.ScSpecEntry.scSpecEntryFunctionV0(new xdr.ScSpecFunctionV0({ doc: '', name, inputs, outputs })))
  }
  for (const [name, fields] of Object.entries(code.structs ?? {})) {
    const specFields = fields.map(([field, type]) => new xdr.ScSpecUdtStructFieldV0({ doc: '', name: field, type: typeDef(type) }))
    entries.push(xdr.ScSpecEntry.scSpecEntryUdtStructV0(new xdr.ScSpecUdtStructV0({ doc: '', lib: '', name, fields: specFields })))
  }
  const cases = Object.entries(code.errors ?? {}).map(
    ([value, name]) => new xdr.ScSpecUdtErrorEnumCaseV0({ doc: '', name, value: Number(value) }),
  )
  if (cases.length > 0) {
    const errors = new xdr.ScSpecUdtErrorEnumV0({ doc: '', lib: '', name: ERROR_ENUM_NAME, cases })
    entries.push(xdr.ScSpecEntry.scSpecEntryUdtErrorEnumV0(errors))
  }
  return entries
}

const SCALARS: Readonly<Record<Extract<SpecType, string>, () => xdr.ScSpecTypeDef>> = {
  bool: () => xdr.ScSpecTypeDef.scSpecTypeBool(),
  u32: () => xdr.ScSpecTypeDef.scSpecTypeU32(),
  u64: () => xdr.ScSpecTypeDef.scSpecTypeU64(),
  i128: () => xdr.ScSpecTypeDef.scSpecTypeI128(),
  symbol: () => xdr.ScSpecTypeDef.scSpecTypeSymbol(),
  string: () => xdr.ScSpecTypeDef.scSpecTypeString(),
  bytes: () => xdr.ScSpecTypeDef.scSpecTypeBytes(),
  address: () => xdr.ScSpecTypeDef.scSpecTypeAddress(),
  void: () => xdr.ScSpecTypeDef.scSpecTypeVoid(),
  val: () => xdr.ScSpecTypeDef.scSpecTypeVal(),
}

function typeDef(type: SpecType): xdr.ScSpecTypeDef {
  if (typeof type === 'string') return SCALARS[type]()
  if ('vec' in type) return xdr.ScSpecTypeDef.scSpecTypeVec(new xdr.ScSpecTypeVec({ elementType: typeDef(type.vec) }))
  if ('option' in type) return xdr.ScSpecTypeDef.scSpecTypeOption(new xdr.ScSpecTypeOption({ valueType: typeDef(type.option) }))
  if ('bytesN' in type) return xdr.ScSpecTypeDef.scSpecTypeBytesN(new xdr.ScSpecTypeBytesN({ n: type.bytesN }))
  if ('tuple' in type) return xdr.ScSpecTypeDef.scSpecTypeTuple(new xdr.ScSpecTypeTuple({ valueTypes: type.tuple.map(typeDef) }))
  return xdr.ScSpecTypeDef.scSpecTypeUdt(new xdr.ScSpecTypeUdt({ name: type.struct }))
}
