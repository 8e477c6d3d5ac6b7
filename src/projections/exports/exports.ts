// Generates the files of exported days, one at a time, and streams them. A file is generated once for all instances, and has the same bytes on each.

import { createHash } from 'node:crypto'
import { createGzip } from 'node:zlib'
import type { Gzip } from 'node:zlib'
import type { Clock } from '../../base/clock.ts'
import { waitAtMost } from '../../base/deadline.ts'
import { createFailureLog } from '../../base/failure-log.ts'
import type { Log } from '../../base/log.ts'
import { createSemaphore } from '../../base/semaphore.ts'
import { discardUnfinished, finishExportFile, insertExportChunk, readExportChunk, readExportFile } from '../log/export-files.ts'
import type { ExportFile } from '../log/export-files.ts'
import { exportRows, isExportable, readExportDay, readExportSpan } from '../log/export-rows.ts'
import type { ExportDay } from '../log/export-rows.ts'
import type { ExportKind } from '../../resources/export.ts'
import { readsFor } from '../../store/caller-reads.ts'
import type { Queryable, Store, Writable } from '../../store/store.ts'

/** Bytes per stored chunk; a stream holds one. */
const CHUNK_BYTES = 128 * 1024
/** Generations that wait for the running one, of all callers. */
const WAITING_MAX = 8
/** Time for which a request waits for its file. */
const WAIT_MS = 5_000
/** Interval at which a file that another instance generates is looked for. */
const POLL_MS = 250
const LOCK = 'exports'
/** All files are read and written in one caller's turns. */
const FILES = { address: 'exports', isLarge: true } as const

/** The reason for a missing file: the day is not over, not indexed or incomplete; or it is being generated. */
type Unavailable = 'unavailable' | 'generating'

export interface Exports extends AsyncDisposable {
  /** The file of a day. Generates it when it does not exist, and waits for that only some seconds. Throws TooManyWaiting when too many are requested. */
  open(kind: ExportKind, day: number, caller: string): Promise<ExportFile | Unavailable>
  /** The bytes of a file, read as the client takes them. */
  read(file: ExportFile): AsyncGenerator<Uint8Array>
}

export function createExports({ store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Log }): Exports {
  const generating = new Map<string, Promise<void>>()
  const turns = createSemaphore(1, WAITING_MAX)
  const stopping = new AbortController()
  // Callers decide how often an export is tried.
  const failures = createFailureLog({ clock, log, level: 'warn', individually: 1, message: 'an export could not be generated' })
  const fileReads = readsFor(store.read, FILES)

  async function find(kind: ExportKind, day: number): Promise<{ readonly wanted: ExportDay | null; readonly file: ExportFile | null }> {
    if (!isExportable(await readExportSpan(store.read), day)) return { wanted: null, file: null }
    const wanted = await readExportDay(store.read, kind, day)
    return { wanted, file: wanted === null ? null : await readExportFile(store.read, kind, day, wanted.state) }
  }

  /** Generates the file unless another instance does, which this one then waits for. */
  async function generate(kind: ExportKind, day: number): Promise<void> {
    while (!stopping.signal.aborted) {
      await using lock = await store.tryLock(LOCK)
      // Looked for under the lock: another instance may have finished the file just before it released the lock.
      const { wanted, file } = await find(kind, day)
      if (wanted === null || file !== null) return
      if (lock !== undefined) {
        const finished = await writeFile(lock.db, fileReads, { kind, wanted, signal: stopping.signal })
        if (finished === null) return
        // A repair of the archive since then has given its epoch another name.
        const { wanted: now } = await find(kind, day)
        if (now?.state === wanted.state) await finishExportFile(lock.db, finished, clock.nowMs())
        log.info({ kind, day, rows: finished.rows, bytes: finished.bytes }, 'an export was generated')
        return
      }
      await clock.sleep(POLL_MS, stopping.signal)
    }
  }

  function start(kind: ExportKind, day: number, caller: string): Promise<void> {
    const key = `${kind} ${day}`
    const running = generating.get(key)
    if (running !== undefined) return running
    const work = turns.run(() => generate(kind, day), caller).finally(() => generating.delete(key))
    generating.set(key, work)
    work.catch((error: unknown) => failures.record(kind, () => ({ err: error, day })))
    return work
  }

  return {
    async open(kind, day, caller) {
      const { wanted, file } = await find(kind, day)
      if (wanted === null) return 'unavailable'
      if (file !== null) return file
      await waitAtMost(clock, WAIT_MS, start(kind, day, caller))
      return (await find(kind, day)).file ?? 'generating'
    },
    async *read(file) {
      for (let chunk = 0; chunk < file.chunks; chunk++) {
        const bytes = await readExportChunk(fileReads, file, chunk)
        if (bytes === null) throw new Error('the export was replaced while it was read')
        yield bytes
      }
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.allSettled(generating.values())
      failures[Symbol.dispose]()
    },
  }
}

/** Position of the operating system in a gzip header; 255 is "unknown". */
const GZIP_OS_BYTE = 9

/** Writes the chunks of a file, holding one page of rows and one chunk. Null when it was stopped. */
async function writeFile(
  db: Writable, source: Queryable, { kind, wanted, signal }: { readonly kind: ExportKind; readonly wanted: ExportDay; readonly signal: AbortSignal },
): Promise<ExportFile | null> {
  const { day, state } = wanted
  await discardUnfinished(db, kind, day)
  const digest = createHash('sha256')
  const gzip = createGzip({ level: 6 })
  let [rows, bytes, chunks] = [0, 0, 0]
  let pending: Uint8Array[] = []
  let pendingBytes = 0

  async function flush(): Promise<void> {
    if (pendingBytes === 0) return
    const chunk = Buffer.concat(pending)
    pending = []
    pendingBytes = 0
    if (chunks === 0) chunk[GZIP_OS_BYTE] = 255
    digest.update(chunk)
    await insertExportChunk(db, { kind, day, state }, chunks, chunk)
    chunks += 1
    bytes += chunk.length
  }

  async function take(output: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of output) {
      pending.push(piece)
      pendingBytes += piece.length
      if (pendingBytes >= CHUNK_BYTES) await flush()
    }
    await flush()
  }

  const taking = take(gzip)
  taking.catch(() => {})
  try {
    for await (const page of exportRows(source, kind, wanted)) {
      if (signal.aborted) return null
      rows += page.length
      await write(gzip, `${page.map((row) => JSON.stringify(row)).join('\n')}\n`, taking)
    }
    gzip.end()
    await taking
  } finally {
    gzip.destroy()
    await taking.catch(() => {})
  }
  return { kind, day, state, etag: digest.digest('base64url'), bytes, rows, chunks }
}

/** Writes text and waits until the compressor has taken it. Rejects when its output cannot be stored. */
async function write(gzip: Gzip, text: string, taking: Promise<void>): Promise<void> {
  const written = new Promise<void>((resolve, reject) => gzip.write(text, (error) => (error ? reject(error) : resolve())))
  await Promise.race([written, taking])
}
