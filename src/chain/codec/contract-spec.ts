// Reads the interface that a contract's code contains: the custom sections `contractspecv0` of its WASM module, which are a stream of SCSpecEntry XDR.
// Anyone can deploy code, and a node can send anything, so every length is bounded and nothing here recurses without a limit.

import type {
  ContractSpec, SpecEnum, SpecEnumCase, SpecEvent, SpecFunction, SpecParameter, SpecStruct, SpecTypeText, SpecUnion,
} from '../../exchange/contracts/contract-spec.ts'

/** The network allows code of 128 KiB. */
export const WASM_MAX_BYTES = 256 * 1024
/** The exchange's largest contract has about 150 entries. */
export const SPEC_ENTRIES_MAX = 4_096
/** Types such as `vec<option<tuple<…>>>` nest two levels in the exchange's contracts. */
const TYPE_DEPTH_MAX = 8

/** Raised for code without a readable interface. The message says why, in words for an operator. */
export class UnreadableContractSpec extends Error {
  override readonly name = 'UnreadableContractSpec'
}

/** Reads the interface of a WASM module. Several sections are read as one. Throws UnreadableContractSpec. */
export function parseContractSpec(wasm: Uint8Array): ContractSpec {
  if (wasm.length > WASM_MAX_BYTES) throw new UnreadableContractSpec('the code is larger than the network allows')
  const sections = specSections(wasm)
  if (sections.length === 0) throw new UnreadableContractSpec('the code has no section contractspecv0')
  const found = emptySpec()
  let entries = 0
  for (const section of sections) {
    const reader = createXdrReader(section)
    while (!reader.done()) {
      entries += 1
      if (entries > SPEC_ENTRIES_MAX) throw new UnreadableContractSpec(`the interface has more than ${SPEC_ENTRIES_MAX} entries`)
      readEntry(reader, found)
    }
  }
  return found
}

interface GrowingSpec extends ContractSpec {
  readonly functions: SpecFunction[]
  readonly structs: SpecStruct[]
  readonly unions: SpecUnion[]
  readonly enums: SpecEnum[]
  readonly errors: SpecEnumCase[]
  readonly events: SpecEvent[]
}

function emptySpec(): GrowingSpec {
  return { functions: [], structs: [], unions: [], enums: [], errors: [], events: [] }
}

const WASM_HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00] as const
const SPEC_SECTION_NAME = 'contractspecv0'

function specSections(wasm: Uint8Array): readonly Uint8Array[] {
  if (WASM_HEADER.some((byte, index) => wasm[index] !== byte)) throw new UnreadableContractSpec('the code is not a WASM module')
  const sections: Uint8Array[] = []
  let offset: number = WASM_HEADER.length
  while (offset < wasm.length) {
    const id = wasm[offset]
    const size = readLeb128(wasm, offset + 1)
    const end = size.next + size.value
    if (end > wasm.length) throw new UnreadableContractSpec('a section of the code is truncated')
    if (id === 0) {
      const name = readLeb128(wasm, size.next)
      const content = name.next + name.value
      if (content > end) throw new UnreadableContractSpec('the name of a section is truncated')
      if (Buffer.from(wasm.subarray(name.next, content)).toString('latin1') === SPEC_SECTION_NAME) sections.push(wasm.subarray(content, end))
    }
    offset = end
  }
  return sections
}

/** An unsigned LEB128 number of at most 32 bits, and the offset after it. */
function readLeb128(bytes: Uint8Array, start: number): { readonly value: number; readonly next: number } {
  let value = 0
  for (let index = 0; index < 5; index += 1) {
    const byte = bytes[start + index]
    if (byte === undefined) break
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) {
      if (value >= 2 ** 32) break
      return { value, next: start + index + 1 }
    }
  }
  throw new UnreadableContractSpec('a length in the code is invalid')
}

interface XdrReader {
  done(): boolean
  u32(): number
  /**
   * Text with everything but printable ASCII replaced, because names go into logs, JSON and the database. So are the marks of parametrised types, which no
   * name has.
   */
  name(): string
  skipText(): void
  list<T>(read: () => T): T[]
}

function createXdrReader(bytes: Uint8Array): XdrReader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let offset = 0

  function take(length: number): number {
    const start = offset
    if (length > bytes.length - start) throw new UnreadableContractSpec('the interface is truncated')
    offset += length
    return start
  }

  function u32(): number {
    return view.getUint32(take(4))
  }

  function textBytes(): Uint8Array {
    const length = u32()
    const start = take(Math.ceil(length / 4) * 4)
    return bytes.subarray(start, start + length)
  }

  return {
    done: () => offset === bytes.length,
    u32,
    name() {
      const text = textBytes()
      // Names are never truncated, because two of them could become equal.
      if (text.length > NAME_MAX_LENGTH) throw new UnreadableContractSpec(`the interface has a name of more than ${NAME_MAX_LENGTH} bytes`)
      return Buffer.from(text).toString('latin1').replaceAll(/[^\u0020-\u007e]|[<>,]/g, '?')
    },
    skipText: () => void textBytes(),
    list(read) {
      const count = u32()
      // Every item takes at least four bytes, so a larger count cannot be true.
      if (count > (bytes.length - offset) / 4) throw new UnreadableContractSpec('the interface is truncated')
      return Array.from({ length: count }, read)
    },
  }
}

/** Of types and events, which can be whole paths (protocol 30). Names of functions have up to 32 bytes. */
const NAME_MAX_LENGTH = 1_024

function readEntry(reader: XdrReader, found: GrowingSpec): void {
  const kind = reader.u32()
  reader.skipText()
  if (kind === 0) {
    found.functions.push(readFunction(reader))
    return
  }
  // All user-defined types and events name the library that they come from.
  if (kind <= 5) reader.skipText()
  switch (kind) {
    case 1:
      found.structs.push({ name: reader.name(), fields: reader.list(() => readParameter(reader)) })
      return
    case 2:
      found.unions.push({ name: reader.name(), cases: reader.list(() => readUnionCase(reader)) })
      return
    case 3:
      found.enums.push({ name: reader.name(), cases: reader.list(() => readEnumCase(reader)) })
      return
    case 4:
      reader.skipText()
      found.errors.push(...reader.list(() => readEnumCase(reader)))
      return
    case 5:
      found.events.push(readEvent(reader))
      return
    default:
      throw new UnreadableContractSpec(`the interface has an entry of unknown kind ${kind}`)
  }
}

function readFunction(reader: XdrReader): SpecFunction {
  const name = reader.name()
  const inputs = reader.list(() => readParameter(reader))
  const [output = 'void'] = reader.list(() => readType(reader, 0))
  return { name, inputs, output }
}

function readParameter(reader: XdrReader): SpecParameter {
  reader.skipText()
  return { name: reader.name(), type: readType(reader, 0) }
}

function readUnionCase(reader: XdrReader): SpecUnion['cases'][number] {
  const kind = reader.u32()
  if (kind > 1) throw new UnreadableContractSpec(`the interface has a union case of unknown kind ${kind}`)
  reader.skipText()
  return { name: reader.name(), types: kind === 0 ? [] : reader.list(() => readType(reader, 0)) }
}

function readEnumCase(reader: XdrReader): SpecEnumCase {
  reader.skipText()
  return { name: reader.name(), value: reader.u32() }
}

const DATA_FORMATS = ['single', 'vec', 'map'] as const
const LOCATIONS = ['data', 'topic'] as const

function readEvent(reader: XdrReader): SpecEvent {
  const name = reader.name()
  const prefixTopics = reader.list(() => reader.name())
  const params = reader.list(() => ({ ...readParameter(reader), location: choice(LOCATIONS, reader.u32()) }))
  return { name, prefixTopics, params, dataFormat: choice(DATA_FORMATS, reader.u32()) }
}

function choice<T>(choices: readonly T[], index: number): T {
  const chosen = choices[index]
  if (chosen === undefined) throw new UnreadableContractSpec(`the interface has an unknown format ${index}`)
  return chosen
}

const SCALARS: Readonly<Record<number, string>> = {
  0: 'val', 1: 'bool', 2: 'void', 3: 'error', 4: 'u32', 5: 'i32', 6: 'u64', 7: 'i64', 8: 'timepoint', 9: 'duration', 10: 'u128', 11: 'i128', 12: 'u256',
  13: 'i256', 14: 'bytes', 16: 'string', 17: 'symbol', 19: 'address', 20: 'muxedAddress',
}

function readType(reader: XdrReader, depth: number): SpecTypeText {
  if (depth > TYPE_DEPTH_MAX) throw new UnreadableContractSpec('a type of the interface is nested too deeply')
  const inner = (): SpecTypeText => readType(reader, depth + 1)
  const code = reader.u32()
  switch (code) {
    case 1000:
      return `option<${inner()}>`
    case 1001:
      return `result<${inner()},${inner()}>`
    case 1002:
      return `vec<${inner()}>`
    case 1004:
      return `map<${inner()},${inner()}>`
    case 1005:
      return `tuple<${reader.list(inner).join(',')}>`
    case 1006:
      return `bytesN<${reader.u32()}>`
    case 2000:
      return reader.name()
    default: {
      const scalar = SCALARS[code]
      if (scalar === undefined) throw new UnreadableContractSpec(`the interface has a type of unknown code ${code}`)
      return scalar
    }
  }
}
