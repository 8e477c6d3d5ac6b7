// PGlite's file system on disk never calls fsync. This one does, so that a commit is on the disk before it is acknowledged.

import { closeSync, lstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** The disk as the engine uses it. A test passes one that fails. */
export interface Disk {
  fsync(descriptor: number): void
  /** Called after each write to a file. */
  onWrite(result: 'written' | 'full'): void
  /**
   * Called when an fsync or a write to the write-ahead log failed. PostgreSQL ends its process then, because later commits would build on pages that never
   * reached the disk. The engine in its thread cannot end itself and would loop, so this function must not return and must let nothing else run.
   */
  onFailure(error: Error): never
}

/** An open file of the engine. A directory may have no descriptor. */
interface OpenFile {
  readonly nfd?: number
  readonly node: object
}

/** The parts of Emscripten's NODEFS that are replaced here. */
interface NodeFiles {
  realPath(node: object): string
  node_ops: { lookup: (parent: object, name: string) => object }
  stream_ops: { fsync?: (file: OpenFile) => number; write: (file: OpenFile, ...rest: unknown[]) => number }
}

/** Emscripten's numbers of "no such file" and "no space left on device". */
const ENOENT = 44
const ENOSPC = 51

export class DurableFS extends NodeFS {
  /** Number of fsync calls that reached the operating system. */
  fsyncs = 0
  readonly #disk: Disk

  constructor(directory: string, disk: Disk) {
    super(directory)
    this.#disk = disk
  }

  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const loaded = await super.init(...args)
    loaded.emscriptenOpts.preRun?.push((module) => {
      const files = module.NODEFS as unknown as NodeFiles
      const { lookup } = files.node_ops
      const { write } = files.stream_ops
      // For each new block of a table the engine looks for the table's free-space map. It has none before its first vacuum, and an exception of the
      // operating system's call takes six times as long as this one.
      files.node_ops.lookup = (parent, name) => {
        if (lstatSync(join(files.realPath(parent), name), { throwIfNoEntry: false }) === undefined) throw new module.FS.ErrnoError(ENOENT)
        return lookup(parent, name)
      }
      files.stream_ops.fsync = (file) => this.#fsync(file, files)
      files.stream_ops.write = (file, ...rest) => this.#write(file, files, () => write(file, ...rest))
    })
    return loaded
  }

  #fsync(file: OpenFile, files: NodeFiles): number {
    try {
      const descriptor = file.nfd ?? openSync(files.realPath(file.node), 'r')
      try {
        this.#disk.fsync(descriptor)
      } finally {
        if (file.nfd === undefined) closeSync(descriptor)
      }
    } catch (cause) {
      if (isNoSpace(cause)) this.#disk.onWrite('full')
      return this.#disk.onFailure(new Error(`fsync failed: ${String(cause)}`, { cause }))
    }
    this.fsyncs++
    return 0
  }

  #write(file: OpenFile, files: NodeFiles, write: () => number): number {
    try {
      const written = write()
      this.#disk.onWrite('written')
      return written
    } catch (cause) {
      const isFull = isNoSpace(cause)
      if (isFull) this.#disk.onWrite('full')
      const path = files.realPath(file.node)
      if (!path.includes('/pg_wal/')) throw cause
      const reason = isFull ? 'the disk is full' : String(cause)
      return this.#disk.onFailure(new Error(`cannot write the write-ahead log ${path}: ${reason}`, { cause }))
    }
  }
}

/** True for the error of a write that found no space, from Node or from Emscripten. */
export function isNoSpace(cause: unknown): boolean {
  if (typeof cause !== 'object' || cause === null) return false
  const { code, errno } = cause as { readonly code?: unknown; readonly errno?: unknown }
  return code === 'ENOSPC' || errno === ENOSPC
}
