// Recomputes every projection from the archive, without the network: `npm run rebuild`.

import type { Clock } from '../base/clock.ts'
import { defined } from '../base/assert.ts'
import { isDeepStrictEqual } from 'node:util'
import { applyEvents, clearProjections } from '../projections/apply.ts'
import type { ArchivedEvent } from '../projections/archived-event.ts'
import { applyCorrections, readCorrections } from '../projections/corrections.ts'
import type { CorrectionWithSeq } from '../projections/corrections.ts'
import type { Epoch } from '../projections/epochs.ts'
import { listEpochs } from '../projections/epochs.ts'
import { recountEvents } from '../projections/event-counts.ts'
import type { ArchiveRow } from '../projections/events.ts'
import { readArchive, replaceDecoded } from '../projections/events.ts'
import { readIndexCursor, recountUnknownEvents } from '../projections/index-state.ts'
import type { Queryable, Store } from '../store/store.ts'
import { decodeEvent } from './decode.ts'
import { contractNames } from './epochs.ts'
import { INDEXER_LOCK } from './options.ts'

/** Archived events per query. */
const REBUILD_PAGE = 1_000
/** How often progress is reported. */
const PROGRESS_INTERVAL_MS = 1_000

/** Raised when another process writes the index. */
export class IndexBusy extends Error {
  override readonly name = 'IndexBusy'
}

export interface RebuildProgress {
  readonly done: number
  readonly total: number
}

export interface RefoldOptions {
  readonly clock: Clock
  readonly onProgress?: ((progress: RebuildProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Decodes and replays the whole archive in one transaction: readers see the old projections until the new ones are complete, and a failed rebuild changes
 * nothing. Throws IndexBusy while an indexer runs. Returns the number of events replayed and of those that decode differently now.
 */
export async function rebuild(
  store: Store,
  options: RefoldOptions,
): Promise<{ events: number; redecoded: number }> {
  await using lock = await store.tryLock(INDEXER_LOCK)
  if (lock === undefined) throw new IndexBusy('another process writes the index; stop it first')
  return await lock.db.transaction((tx) => replayArchive(tx, options))
}

/** Recomputes every projection in the caller's transaction. */
export async function replayArchive(tx: Queryable, options: RefoldOptions): Promise<{ events: number; redecoded: number }> {
  const { clock, onProgress, signal } = options
  const total = (await readIndexCursor(tx))?.lastSeq ?? 0
  const epochs = new Map((await listEpochs(tx)).map((epoch) => [epoch.number, epoch]))
  await clearProjections(tx)
  let done = 0
  let redecoded = 0
  let reportedAtMs = clock.nowMs()
  for (let afterSeq = 0; afterSeq < total;) {
    signal?.throwIfAborted()
    const rows = await readArchive(tx, afterSeq, REBUILD_PAGE)
    const through = defined(rows.at(-1), 'the rest of the archive').seq
    const corrections = await readCorrections(tx, afterSeq, through)
    redecoded += await replayWithCorrections(tx, rows, epochs, corrections)
    afterSeq = through
    done += rows.length
    if (clock.nowMs() - reportedAtMs >= PROGRESS_INTERVAL_MS || afterSeq >= total) {
      reportedAtMs = clock.nowMs()
      onProgress?.({ done, total })
    }
  }
  await applyCorrections(tx, await readCorrections(tx, total, Number.MAX_SAFE_INTEGER))
  await recountUnknownEvents(tx)
  if (redecoded > 0) await recountEvents(tx)
  return { events: done, redecoded }
}

/** Replays rows, and between them the corrections recorded there. */
async function replayWithCorrections(
  tx: Queryable,
  rows: readonly ArchiveRow[],
  epochs: ReadonlyMap<number, Epoch>,
  corrections: readonly CorrectionWithSeq[],
): Promise<number> {
  let redecoded = 0
  let from = 0
  for (const correction of corrections) {
    const until = rows.findIndex(({ seq }) => seq > correction.seq)
    redecoded += await replay(tx, rows.slice(from, until), epochs)
    await applyCorrections(tx, [correction])
    from = until
  }
  return redecoded + (await replay(tx, rows.slice(from), epochs))
}

/** Replays rows, which may span epochs; returns the number that decode differently now. */
async function replay(tx: Queryable, rows: readonly ArchiveRow[], epochs: ReadonlyMap<number, Epoch>): Promise<number> {
  const redecoded: ArchivedEvent[] = []
  for (let from = 0; from < rows.length;) {
    const number = defined(rows[from], 'archive row').epoch
    const epoch = defined(epochs.get(number), `epoch ${number}`)
    const end = rows.findIndex((row, index) => index > from && row.epoch !== number)
    const names = contractNames(epoch)
    const part = rows.slice(from, end === -1 ? rows.length : end).map((row) => {
      const contract = defined(names.get(row.contractId), `contract ${row.contractId}`)
      const event = { ...row, contract, ...decodeEvent(contract, row.topicsXdr, row.valueXdr) }
      const same = event.topic === row.topic && event.problem === row.problem && isDeepStrictEqual(event.payload, row.payload)
      if (!same) redecoded.push(event)
      return event
    })
    await applyEvents(tx, epoch, part)
    from += part.length
  }
  await replaceDecoded(tx, redecoded)
  return redecoded.length
}
