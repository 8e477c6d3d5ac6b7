// The embedded engine's file systems: on disk with real fsync, or in memory. Both let the engine be interrupted.

import { closeSync, openSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MemoryFS } from '@electric-sql/pglite'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { createSharedEngine, importSharedMemory } from './interruptible.ts'
import type { Interrupt, SharedEngine } from './interruptible.ts'

/** What the engine's loader takes and what its file systems are given of it, as far as it is touched here. */
type LoaderOptions = Parameters<NodeFS['init']>[1]
type Loaded = Awaited<ReturnType<NodeFS['init']>>

/** An open file as the engine's file system knows it; a directory may come without a descriptor. */
interface OpenFile {
  readonly nfd?: number
  readonly node: object
}

/** The part of the engine's file tree that is touched here. */
interface EngineFiles {
  readdir(path: string): string[]
  readFile(path: string): Uint8Array
  writeFile(path: string, content: Uint8Array): void
}

type Done = (instance: object, module: object) => void

interface NodeFileOperations {
  realPath(node: object): string
  stream_ops: { fsync?: (file: OpenFile) => number; write: (file: OpenFile, ...rest: unknown[]) => number }
}

/** A file system with what the wrapper asks of it. */
export interface EngineFilesystem {
  /** How many fsync calls reached the operating system. */
  fsyncs(): number
  interrupt(): Interrupt
}

/** The disk, as a door: a test hands in one that fails. */
export interface Disk {
  fsync(descriptor: number): void
  /**
   * Called when an fsync or a write to the log failed. PostgreSQL would end its process at once, so that nothing is written upon a state that never
   * reached the disk; the engine in its thread cannot, and goes round in circles. So this must not return, and must let nothing else run.
   */
  onFailure(error: Error): never
}

async function loadEngine(): Promise<SharedEngine> {
  return createSharedEngine(await readFile(fileURLToPath(import.meta.resolve('@electric-sql/pglite/pglite.wasm'))))
}

/** Loadable libraries (plpgsql) must share the memory too. */
function shareWithLibraries(engine: PGlite): void {
  const files = engine.Module.FS as unknown as EngineFiles
  const directory = '/pglite/lib/postgresql'
  for (const name of files.readdir(directory).filter((file) => file.endsWith('.so'))) {
    const path = `${directory}/${name}`
    files.writeFile(path, importSharedMemory(files.readFile(path)))
  }
}

function inSharedMemory(options: LoaderOptions, shared: SharedEngine): LoaderOptions {
  return { ...options, wasmMemory: shared.wasmMemory, instantiateWasm: (imports: object, done: Done) => shared.instantiateWasm(imports, done) }
}

/** The engine's file system on disk, which in its stock form never calls fsync: here every commit reaches the disk before it is acknowledged. */
export class DurableFS extends NodeFS implements EngineFilesystem {
  #fsyncs = 0
  #shared: SharedEngine | undefined
  readonly #disk: Disk

  constructor(directory: string, disk: Disk) {
    super(directory)
    this.#disk = disk
  }

  override async init(engine: PGlite, options: LoaderOptions): Promise<Loaded> {
    this.#shared = await loadEngine()
    const { emscriptenOpts } = await super.init(engine, inSharedMemory(options, this.#shared))
    emscriptenOpts.preRun?.push((module) => {
      const files = module.NODEFS as unknown as NodeFileOperations
      files.stream_ops.fsync = (file) => this.#sync(file, files)
      const { write } = files.stream_ops
      files.stream_ops.write = (file, ...rest) => this.#guardLog(file, files, () => write(file, ...rest))
    })
    return { emscriptenOpts }
  }

  override async initialSyncFs(): Promise<void> {
    if (this.pg !== undefined) shareWithLibraries(this.pg)
  }

  #sync(file: OpenFile, files: NodeFileOperations): number {
    try {
      if (file.nfd !== undefined) this.#disk.fsync(file.nfd)
      else syncPath(files.realPath(file.node), (descriptor) => this.#disk.fsync(descriptor))
      this.#fsyncs++
      return 0
    } catch (cause) {
      return this.#disk.onFailure(new Error(`the disk did not take what was written (${String(cause)})`, { cause }))
    }
  }

  #guardLog(file: OpenFile, files: NodeFileOperations, write: () => number): number {
    try {
      return write()
    } catch (cause) {
      const path = files.realPath(file.node)
      if (!path.includes('/pg_wal/')) throw cause
      return this.#disk.onFailure(new Error(`the write-ahead log cannot be written: is the disk full? (${path}: ${String(cause)})`, { cause }))
    }
  }

  fsyncs(): number {
    return this.#fsyncs
  }

  interrupt(): Interrupt {
    if (this.#shared === undefined) throw new RangeError('the engine is not loaded')
    return this.#shared.interrupt()
  }
}

/** The engine's file system in memory: gone with the engine. */
export class VolatileFS extends MemoryFS implements EngineFilesystem {
  #shared: SharedEngine | undefined

  override async init(engine: PGlite, options: LoaderOptions): Promise<Loaded> {
    this.#shared = await loadEngine()
    const { emscriptenOpts } = await super.init(engine, options)
    return { emscriptenOpts: inSharedMemory(emscriptenOpts, this.#shared) }
  }

  override async initialSyncFs(): Promise<void> {
    if (this.pg !== undefined) shareWithLibraries(this.pg)
  }

  fsyncs(): number {
    return 0
  }

  interrupt(): Interrupt {
    if (this.#shared === undefined) throw new RangeError('the engine is not loaded')
    return this.#shared.interrupt()
  }
}

/** Brings one file or directory to the disk. */
function syncPath(path: string, fsync: (descriptor: number) => void): void {
  const descriptor = openSync(path, 'r')
  try {
    fsync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Brings what a descriptor stands for to the disk. */
export type Fsync = (descriptor: number) => void | Promise<void>

/** An fsync waits for the disk, and the disk takes several at a time. */
const SYNCS_AT_A_TIME = 16

/** Brings a folder with everything in it to the disk, and its name in the folder above. */
export async function syncTree(directory: string, fsync: Fsync): Promise<void> {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => join(entry.parentPath, entry.name))
  const left = [...paths, directory, dirname(directory)].values()
  async function work(): Promise<void> {
    for (const path of left) {
      const descriptor = openSync(path, 'r')
      try {
        await fsync(descriptor)
      } finally {
        closeSync(descriptor)
      }
    }
  }
  await Promise.all(Array.from({ length: SYNCS_AT_A_TIME }, work))
}
