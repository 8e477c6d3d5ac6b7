// Makes a statement of the embedded engine interruptible from another thread.
//
// The engine is WebAssembly: while it runs a statement its thread hears nothing, and its own timers (statement_timeout) cannot fire. PostgreSQL
// looks at two words in its memory every few rows, though, and gives up cleanly when they are set. So the engine is given memory that threads share,
// and the other thread sets the two words. A module says in its import section whether its memory is shared; that is what is changed here.

/** A WebAssembly memory. */
export interface WasmMemory {
  readonly buffer: ArrayBufferLike
}

interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>
}

/** The parts of the WebAssembly interface that are used here; the language's own library does not declare it without a browser. */
interface WasmApi {
  Memory: new (descriptor: { initial: number; maximum: number; shared: boolean }) => WasmMemory
  compile(bytes: Uint8Array): Promise<object>
  instantiate(module: object, imports: object): Promise<WasmInstance>
}

const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: WasmApi }

const HEADER_BYTES = 8
const IMPORT_SECTION = 2
const MEMORY_KIND = 2
const IS_UNBOUNDED = 0
const HAS_MAXIMUM = 1
const HAS_MAXIMUM_AND_IS_SHARED = 3
/** The largest number of pages a memory can have; shared memory must state a maximum. */
const MOST_PAGES = 65_536

/** The same module, importing shared memory. Raises RangeError when it imports no memory that could be shared; every version known does. */
export function importSharedMemory(module: Uint8Array): Uint8Array {
  const { sectionAt, contentAt, endAt, flagsAt } = findMemoryImport(module)
  const flags = module[flagsAt]
  const behindMinimum = { at: flagsAt + 1 }
  readInteger(module, behindMinimum)
  if (flags !== HAS_MAXIMUM && flags !== IS_UNBOUNDED) throw new RangeError(`the module imports memory of the unexpected kind ${flags}`)
  const content = Buffer.concat([
    module.subarray(contentAt, flagsAt),
    Uint8Array.of(HAS_MAXIMUM_AND_IS_SHARED),
    module.subarray(flagsAt + 1, behindMinimum.at),
    flags === IS_UNBOUNDED ? writeInteger(MOST_PAGES) : new Uint8Array(0),
    module.subarray(behindMinimum.at, endAt),
  ])
  return Buffer.concat([module.subarray(0, sectionAt), writeInteger(content.length), content, module.subarray(endAt)])
}

/** Where the import section's length, its content, its end and the flags of the imported memory stand. */
interface MemoryImport {
  readonly sectionAt: number
  readonly contentAt: number
  readonly endAt: number
  readonly flagsAt: number
}

function findMemoryImport(module: Uint8Array): MemoryImport {
  const cursor = { at: HEADER_BYTES }
  while (cursor.at < module.length) {
    const section = module[cursor.at++]
    const sectionAt = cursor.at
    const length = readInteger(module, cursor)
    const contentAt = cursor.at
    const endAt = contentAt + length
    if (section === IMPORT_SECTION) return { sectionAt, contentAt, endAt, flagsAt: findMemoryFlags(module, cursor) }
    cursor.at = endAt
  }
  throw new RangeError('the module imports nothing')
}

function findMemoryFlags(module: Uint8Array, cursor: { at: number }): number {
  for (let left = readInteger(module, cursor); left > 0; left--) {
    skipName(module, cursor)
    skipName(module, cursor)
    const kind = module[cursor.at++]
    if (kind === MEMORY_KIND) return cursor.at
    skipDescription(module, cursor, kind)
  }
  throw new RangeError('the module imports no memory')
}

function skipName(module: Uint8Array, cursor: { at: number }): void {
  const length = readInteger(module, cursor)
  cursor.at += length
}

/** Steps over the description of a function (0), table (1), global (3) or tag (4). */
function skipDescription(module: Uint8Array, cursor: { at: number }, kind: number | undefined): void {
  if (kind === 0) readInteger(module, cursor)
  else if (kind === 3) cursor.at += 2
  else if (kind === 4) {
    cursor.at++
    readInteger(module, cursor)
  } else if (kind === 1) {
    cursor.at++
    const flags = readInteger(module, cursor)
    readInteger(module, cursor)
    if (flags === HAS_MAXIMUM) readInteger(module, cursor)
  } else throw new RangeError(`the module has an import of the unknown kind ${kind}`)
}

/** An unsigned LEB128 integer; the cursor moves behind it. */
function readInteger(module: Uint8Array, cursor: { at: number }): number {
  let value = 0
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = module[cursor.at++] ?? 0
    value |= (byte & 0x7f) << shift
    if ((byte & 0x80) === 0) break
  }
  return value >>> 0
}

/** An unsigned LEB128 integer's bytes. */
function writeInteger(value: number): Uint8Array {
  const bytes: number[] = []
  let left = value
  do {
    bytes.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0))
    left >>>= 7
  } while (left > 0)
  return Uint8Array.from(bytes)
}

/** The two words of the engine's memory that say: stop this statement. It can be handed to another thread. */
export interface Interrupt {
  readonly words: Int32Array
  readonly interruptPendingAt: number
  readonly queryCancelPendingAt: number
}

/** Asks the engine to give up its statement. Heard within milliseconds wherever rows are produced; nothing happens between statements. */
export function raiseInterrupt(interrupt: Interrupt): void {
  Atomics.store(interrupt.words, interrupt.queryCancelPendingAt, 1)
  Atomics.store(interrupt.words, interrupt.interruptPendingAt, 1)
}

/** Takes back what came too late for the statement that it was meant for. */
export function clearInterrupt(interrupt: Interrupt): void {
  Atomics.store(interrupt.words, interrupt.queryCancelPendingAt, 0)
}

const PAGE_BYTES = 64 * 1024
const INITIAL_PAGES = (128 * 1024 * 1024) / PAGE_BYTES
const MAXIMUM_PAGES = (2 * 1024 * 1024 * 1024) / PAGE_BYTES

/** What the engine's loader needs to run `module` in shared memory; `interrupt()` answers once it is loaded. */
export interface SharedEngine {
  readonly wasmMemory: WasmMemory
  instantiateWasm(imports: object, done: (instance: object, module: object) => void): object
  interrupt(): Interrupt
}

/** Prepares the engine's module for shared memory. */
export async function createSharedEngine(module: Uint8Array): Promise<SharedEngine> {
  const compiled = await wasm.compile(importSharedMemory(module))
  const wasmMemory = new wasm.Memory({ initial: INITIAL_PAGES, maximum: MAXIMUM_PAGES, shared: true })
  let instance: WasmInstance | undefined

  function addressOf(name: string): number {
    const variable = instance?.exports[name] as { value: number } | undefined
    if (variable === undefined) throw new RangeError(`the engine does not export ${name}`)
    return variable.value / Int32Array.BYTES_PER_ELEMENT
  }

  async function instantiate(imports: object, done: (instance: object, module: object) => void): Promise<void> {
    instance = await wasm.instantiate(compiled, imports)
    done(instance, compiled)
  }

  return {
    wasmMemory,
    instantiateWasm(imports, done) {
      void instantiate(imports, done)
      return {}
    },
    interrupt: () => ({
      words: new Int32Array(wasmMemory.buffer),
      interruptPendingAt: addressOf('InterruptPending'),
      queryCancelPendingAt: addressOf('QueryCancelPending'),
    }),
  }
}
