// Recomputes the projections from the archive, without the network. A copy is built page by page while the projections are served and kept up to date, and
// takes their place in one transaction when it has reached the end of the log. Everything is stored, so that a killed process continues.

import { isDeepStrictEqual } from 'node:util'
import { defined } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { silentLog } from '../../base/log.ts'
import type { Random } from '../../base/random.ts'
import { createSystemRandom } from '../../base/random.ts'
import { applyEvents } from '../../projections/apply.ts'
import type { ArchivedEvent } from '../../projections/log/archived-event.ts'
import { recordVolumeRevisions } from '../../projections/candles/candle-volumes.ts'
import { chainEventId } from '../../projections/state/contract-versions.ts'
import { renameCurrentEpoch } from '../../projections/repair/correction-log.ts'
import { applyCorrections, readCorrections } from '../../projections/repair/corrections.ts'
import type { CorrectionWithSeq } from '../../projections/repair/corrections.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import { addCounts, correctCounts, countArchived, countEvents } from '../../projections/log/event-counts.ts'
import type { ArchiveRow } from '../../projections/log/events.ts'
import { readArchive, replaceDecoded } from '../../projections/log/events.ts'
import { markReadGaps } from '../../projections/repair/gaps.ts'
import {
  notifyIndexChanged, readIndexCursor, readProjectionsVersion, recountUnknownEvents, writeProjectionsVersion,
} from '../../projections/state/index-state.ts'
import { analyzeShadow, compareShadow, createShadow, dropShadow, isSwapBlocked, shadowExists, shadowOf, swapShadow } from '../../projections/repair/shadow.ts'
import { addOrdersWithoutEvents } from '../../projections/state/order-details.ts'
import { PROJECTIONS_VERSION } from '../../projections/state/tables.ts'
import type { RebuildProgress, RebuildReason } from '../../projections/repair/tasks.ts'
import { isActive, readTask, requestTask, updateTask } from '../../projections/repair/tasks.ts'
import type { Queryable, Store, Writable, Writer } from '../../store/store.ts'
import { decodeEvent } from '../pages/decode.ts'
import { contractNames, randomEpochName } from '../identity/epochs.ts'
import type { Interfaces } from '../pages/interfaces.ts'
import { readInterfacesOfChains } from '../pages/interfaces.ts'
import { INDEXER_LOCK } from '../options.ts'

/** Archived events per transaction. On the embedded engine, reads wait for one transaction at a time. */
const REBUILD_PAGE = 250
/** Interval at which progress is logged. */
const PROGRESS_INTERVAL_MS = 5_000
/** Delay before a swap that reads were in the way of is tried again. */
const SWAP_RETRY_MS = 100

/**
 * Requests a rebuild, and returns the number of its run. It begins at the start of the archive, which has changed; what an active rebuild was to do at its end
 * is done by this one. An operator's request continues an active one.
 */
export async function requestRebuild(
  db: Queryable,
  request: { readonly reason: RebuildReason; readonly renameEpoch?: boolean; readonly compare?: boolean },
  nowMs: number,
): Promise<number> {
  const task = await readTask(db, 'rebuild')
  const active = isActive(task) ? task?.progress : undefined
  if (request.reason === 'requested' && task !== null && active !== undefined) return task.id
  const progress: RebuildProgress = {
    reason: request.reason, version: PROJECTIONS_VERSION, afterSeq: 0, done: 0, redecoded: 0, total: 0, counts: {}, differences: null,
    renameEpoch: request.renameEpoch === true || active?.renameEpoch === true,
    compare: request.compare === true || active?.compare === true,
  }
  return await requestTask(db, 'rebuild', progress, nowMs)
}

/** The outcome of one step. */
export type RebuildResult =
  /** Nothing to rebuild. */
  | 'none'
  /** A part was done; there is more. */
  | 'page'
  /** The copy is complete, but reads were in the way of the swap; try again. */
  | 'blocked'
  /** The rebuild is complete. */
  | 'done'

export interface Rebuilder {
  /** Does one part of a rebuild that was requested, or that a change of the projections' code requires. Rejects when the database fails. */
  step(db: Writer): Promise<RebuildResult>
}

export interface RebuilderOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export function createRebuilder({ clock, random, log }: RebuilderOptions): Rebuilder {
  let loggedAtMs = Number.NEGATIVE_INFINITY

  async function begin(db: Writer, progress: RebuildProgress): Promise<RebuildResult> {
    const { reason } = progress
    await db.transaction(async (tx) => {
      await createShadow(tx)
      const fresh = { ...progress, version: PROJECTIONS_VERSION, afterSeq: 0, done: 0, redecoded: 0, total: await countArchived(tx), counts: {} }
      await updateTask(tx, 'rebuild', { state: 'running', progress: fresh }, clock.nowMs())
    })
    log.info({ reason }, 'rebuilding the projections in the background; the present ones are served until then')
    return 'page'
  }

  /** Replays one page into the copy; undefined when there is none left. */
  async function replayPage(db: Writer, progress: RebuildProgress): Promise<RebuildResult | undefined> {
    const rows = await readArchive(db, progress.afterSeq, REBUILD_PAGE)
    const through = rows.at(-1)?.seq
    if (through === undefined) return undefined
    const epochs = new Map((await listEpochs(db)).map((epoch) => [epoch.number, epoch]))
    const interfaces = await readInterfacesOfChains(db, [...epochs.values()].map(({ chain }) => chain))
    const done = progress.done + rows.length
    await db.transaction(async (tx) => {
      const corrections = await readCorrections(tx, progress.afterSeq, through)
      const replayed = await replayWithCorrections(shadowOf(tx), rows, { epochs, interfaces }, corrections)
      const next = {
        ...progress, afterSeq: through, done, redecoded: progress.redecoded + replayed.redecoded, total: Math.max(progress.total, done),
        counts: replayed.events.reduce(addCounts, progress.counts),
      }
      await updateTask(tx, 'rebuild', { state: 'running', progress: next }, clock.nowMs())
    })
    if (clock.elapsedMs() - loggedAtMs >= PROGRESS_INTERVAL_MS) {
      loggedAtMs = clock.elapsedMs()
      log.info({ done, total: Math.max(progress.total, done) }, 'rebuilding the projections')
    }
    return 'page'
  }

  async function finish(db: Writer, progress: RebuildProgress): Promise<RebuildResult> {
    await analyzeShadow(db)
    try {
      await db.transaction((tx) => complete(tx, progress))
    } catch (error) {
      if (!isSwapBlocked(error)) throw error
      return 'blocked'
    }
    log.info({ events: progress.done, redecoded: progress.redecoded }, 'the projections were rebuilt')
    return 'done'
  }

  async function complete(tx: Writable, progress: RebuildProgress): Promise<void> {
    const cursor = defined(await readIndexCursor(tx), 'the index cursor')
    await applyCorrections(shadowOf(tx), await readCorrections(tx, progress.afterSeq, Number.MAX_SAFE_INTEGER))
    await addOrdersWithoutEvents(shadowOf(tx))
    const tables = progress.compare ? await compareShadow(tx) : null
    const counts = await correctCounts(tx, progress.counts)
    const differences = tables === null || counts === 0 ? tables : { ...tables, event_counts: counts }
    if (tables !== null && Object.keys(tables).length === 0) await dropShadow(tx)
    else {
      // Volumes that another version of the code computes are not corrections.
      if (progress.reason !== 'version') await recordVolumeRevisions(tx)
      await swapShadow(tx)
    }
    await writeProjectionsVersion(tx, PROJECTIONS_VERSION)
    if (progress.redecoded > 0) await recountUnknownEvents(tx)
    await markReadGaps(tx, clock.nowMs())
    if (progress.renameEpoch) await renameCurrentEpoch(tx, { name: randomEpochName(random), fromSeq: null, nowMs: clock.nowMs() })
    await updateTask(tx, 'rebuild', { state: 'done', progress: { ...progress, differences } }, clock.nowMs())
    await notifyIndexChanged(tx, cursor.lastSeq)
  }

  return {
    async step(db) {
      const version = await readProjectionsVersion(db)
      if (version === undefined) return 'none'
      const task = await readTask(db, 'rebuild')
      if (!isActive(task)) {
        if (version === PROJECTIONS_VERSION) return 'none'
        await requestRebuild(db, { reason: 'version' }, clock.nowMs())
        return 'page'
      }
      const { state, progress } = defined(task, 'the rebuild')
      const canContinue = state === 'running' && progress.version === PROJECTIONS_VERSION && (await shadowExists(db))
      if (!canContinue) return await begin(db, progress)
      return (await replayPage(db, progress)) ?? (await finish(db, progress))
    },
  }
}

/**
 * Rebuilds the projections, or continues a rebuild that was interrupted. Returns the number of events replayed and of those that decode differently now; null
 * without doing anything while an indexer runs.
 */
export async function rebuild(
  store: Store, options: Pick<RebuilderOptions, 'clock'> & Partial<RebuilderOptions>, signal?: AbortSignal,
): Promise<{ events: number; redecoded: number } | null> {
  const { clock, log = silentLog, random = createSystemRandom() } = options
  await using lock = await store.tryLock(INDEXER_LOCK)
  if (lock === undefined) return null
  const { db } = lock
  const rebuilder = createRebuilder({ clock, random, log })
  await requestRebuild(db, { reason: 'requested' }, clock.nowMs())
  for (;;) {
    signal?.throwIfAborted()
    const result = await rebuilder.step(db)
    if (result === 'blocked') await clock.sleep(SWAP_RETRY_MS, signal)
    if (result === 'page' || result === 'blocked') continue
    const task = await readTask(db, 'rebuild')
    return { events: task?.progress.done ?? 0, redecoded: task?.progress.redecoded ?? 0 }
  }
}

/** The epochs and interfaces with which the rows are replayed. */
interface History {
  readonly epochs: ReadonlyMap<number, Epoch>
  /** By chain. */
  readonly interfaces: ReadonlyMap<number, Interfaces>
}

interface Replayed {
  /** Number of rows that decode differently now. */
  readonly redecoded: number
  /** The events by epoch, as they decode now. */
  readonly events: readonly { readonly epoch: number; readonly events: readonly ArchivedEvent[] }[]
}

/** Replays rows, and between them the corrections recorded there. */
async function replayWithCorrections(
  tx: Writable,
  rows: readonly ArchiveRow[],
  history: History,
  corrections: readonly CorrectionWithSeq[],
): Promise<Replayed> {
  const parts: Replayed[] = []
  let from = 0
  for (const correction of corrections) {
    const until = rows.findIndex(({ seq }) => seq > correction.seq)
    parts.push(await replay(tx, rows.slice(from, until), history))
    await applyCorrections(tx, [correction])
    from = until
  }
  parts.push(await replay(tx, rows.slice(from), history))
  return { redecoded: parts.reduce((sum, part) => sum + part.redecoded, 0), events: parts.flatMap(({ events }) => events) }
}

/** Replays rows, which may span epochs. */
async function replay(tx: Writable, rows: readonly ArchiveRow[], { epochs, interfaces }: History): Promise<Replayed> {
  const redecoded: ArchivedEvent[] = []
  const events: { epoch: number; events: readonly ArchivedEvent[] }[] = []
  for (let from = 0; from < rows.length;) {
    const number = defined(rows[from], 'archive row').epoch
    const epoch = defined(epochs.get(number), `epoch ${number}`)
    const end = rows.findIndex((row, index) => index > from && row.epoch !== number)
    const names = contractNames(epoch)
    const declared = defined(interfaces.get(epoch.chain), `chain ${epoch.chain}`)
    const before = rows.slice(from, end === -1 ? rows.length : end).map((row) => {
      return { ...row, contract: defined(names.get(row.contractId), `contract ${row.contractId}`) }
    })
    const part = before.map((row) => {
      return { ...row, ...decodeEvent(row.contract, row.topicsXdr, row.valueXdr, declared.at(row.contractId, chainEventId(row.eventId))) }
    })
    const changed = before.filter((row, index) => !decodesAlike(row, part[index]))
    if (changed.length > 0) {
      await countEvents(tx, number, changed, -1)
      const seqs = new Set(changed.map(({ seq }) => seq))
      const now = part.filter(({ seq }) => seqs.has(seq))
      await countEvents(tx, number, now)
      redecoded.push(...now)
    }
    await applyEvents(tx, epoch, part)
    events.push({ epoch: number, events: part })
    from += part.length
  }
  await replaceDecoded(tx, redecoded)
  return { redecoded: redecoded.length, events }
}

type Decoded = Pick<ArchivedEvent, 'topic' | 'problem' | 'payload'>

function decodesAlike(before: Decoded, now: Decoded | undefined): boolean {
  return now?.topic === before.topic && now.problem === before.problem && isDeepStrictEqual(now.payload, before.payload)
}
