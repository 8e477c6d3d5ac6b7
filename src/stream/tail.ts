// Follows the end of the log: publishes the committed rows after its position. It depends on the database only, so the indexer may run in another process.
// A notification carries the rows of a small commit; if it does not fit what was published, the rows are read. A timer covers notifications that get lost.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { readRepairStart } from '../projections/repair/correction-log.ts'
import type { LogHead } from '../projections/log/stream-log.ts'
import { hasEventAt, readLog, readLogHead } from '../projections/log/stream-log.ts'
import type { Order } from '../resources/order.ts'
import type { Store } from '../store/store.ts'
import type { PersonalChannel } from './channels.ts'
import type { Frame, LogEntry } from './frames.ts'
import { inLogOrder } from './frames.ts'
import { coalesce, followLog } from './log-follower.ts'
import { createNotifiedPages } from './notified-pages.ts'
import { createPersonalChannels } from './personal-channels.ts'
import { createPublishedEpoch } from './published-epoch.ts'
import type { EpochChange } from './published-epoch.ts'
import type { FramePage } from './recent-rows.ts'
import { createRowFrames } from './row-frames.ts'

/** Rows per read. */
const PAGE_ROWS = 500
/** Rows retained right after the start: an instance that replaces another one receives all of its clients at once. */
export const INITIAL_ROWS = PAGE_ROWS

export interface Tail {
  /** Everything up to this seq has been published. */
  position(): number
  /** The epoch of the position; undefined before the first read and while nothing is indexed. */
  epoch(): string | undefined
  /** The last seq of another epoch that interrupted the epoch of the position; 0 when none did. */
  interruptedThrough(): number
  /** The last seq of any other epoch than that of the position; 0 when there is none. */
  othersThrough(): number
  /** The end of the log that was read last, which may be in a later epoch than the position. Undefined before the first read and while nothing is indexed. */
  head(): LogHead | undefined
  /** True once the end of the log was found. Before that, no position can be reported to clients. */
  ready(): boolean
  /** The seq of a shared log channel's last frame, 0 when it has none. */
  channelHead(channel: string): number
  /** The same for an account's channel, while it is watched. */
  personalHead(channel: PersonalChannel): number
  /** Tracks an account's channel until released. Resolves when its head is known. Rejects when the database cannot be read. */
  watch(channel: PersonalChannel): Promise<void>
  release(channel: PersonalChannel): void
  /** The number of tracked channels. */
  watched(): number
  /** Adds the warnings of a resting order. */
  readonly warnOrder: (order: Order) => Order
  /** Frames of shared log channels after `afterSeq`, about `pageBytes` of them, when the retained rows include all frames up to the position. */
  recentPage(channels: ReadonlySet<string>, afterSeq: number, pageBytes: number): FramePage | undefined
  /** Reads and publishes everything committed before the call. Rejects when the database cannot be read. */
  catchUp(): Promise<void>
  /** Publishes what each notification announces until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface TailOptions {
  readonly store: Store
  readonly deployment: CurrentDeployment
  readonly publish: (frames: readonly Frame[]) => void
  /** Called when a new epoch begins, before its first frames are published. */
  readonly onEpoch: (change: EpochChange) => void
  /** Adds the warnings of a resting order; by default there are none. */
  readonly warnOrder?: ((order: Order) => Order) | undefined
  /** Called when what was committed is published. Must not throw. */
  readonly onPublished?: () => void
  readonly clock: Clock
  readonly log: Log
}

export function createTail(
  { store, deployment, publish, onEpoch, onPublished = () => {}, clock, log, warnOrder = (order) => order }: TailOptions,
): Tail {
  const db = store.read
  const personal = createPersonalChannels(db, () => position, warnOrder)
  const rowFrames = createRowFrames(db, personal)
  const notifiedPages = createNotifiedPages(rowFrames)
  const published = createPublishedEpoch(onEpoch)
  const catchUp = coalesce(advance)
  let position = 0
  let ready = false
  /** From a repair that was noticed until the tail has restarted behind it. */
  let isRestarting = false
  let head: LogHead | undefined

  /** Starts a page before the end of the log or before `untilSeq`, to retain that page's frames. Publishes nothing. */
  async function start(untilSeq = Number.MAX_SAFE_INTEGER): Promise<void> {
    const end = await readLogHead(db)
    const endSeq = Math.min(end?.seq ?? 0, untilSeq)
    const startSeq = Math.max(0, endSeq - INITIAL_ROWS)
    const { rows, upgrades, corrections } = await readLog(db, startSeq, { limit: INITIAL_ROWS, accounts: false })
    await rowFrames.restart(startSeq, deployment.current.assets)
    for (const entry of inLogOrder(rows, upgrades, corrections)) if (entry.seq <= endSeq) rowFrames.take(entry)
    position = endSeq
    head = end ?? undefined
    published.start(end)
    ready = true
  }

  async function advance(): Promise<void> {
    if (!ready) await start()
    for (;;) {
      const afterSeq = position
      const selection = personal.selection()
      const { end, rows, upgrades, corrections, throughSeq: pageSeq } = await readLog(db, afterSeq, { limit: PAGE_ROWS, accounts: selection.accounts })
      const readSeq = Math.min(pageSeq, end?.seq ?? afterSeq)
      const { entries, throughSeq } = await personal.readOrders(selection, { afterSeq, throughSeq: readSeq })
      // A channel was subscribed to during the read: read again, with its data.
      if (!personal.isCurrent(selection)) continue
      if (end === null) return
      const isRepaired = end.epoch !== published.name() && afterSeq > 0 && !(await hasEventAt(db, afterSeq))
      // Rows of notifications were published during the read, maybe all that it found.
      if (position > afterSeq) {
        if (end.epoch === published.name() && end.seq <= position) return
        continue
      }
      if (isRepaired) {
        await restart()
        continue
      }
      publishPage(inLogOrder(rows, upgrades, corrections, entries).filter(({ seq }) => seq <= throughSeq), { end, throughSeq })
      if (throughSeq < end.seq) continue
      // A new epoch may have no rows yet.
      published.enter(end.epoch, position)
      published.update(end)
      return
    }
  }

  /**
   * The log was repaired, and events that were published have other seqs now: clients must read it again, so it is not published again. The corrections that
   * say what the repair changed are news.
   */
  async function restart(): Promise<void> {
    isRestarting = true
    const since = position
    const repaired = published.name()
    const repairSeq = repaired === undefined ? null : await readRepairStart(db, repaired)
    await start(repairSeq === null ? undefined : repairSeq - 1)
    isRestarting = false
    const epoch = published.name()
    if (epoch !== undefined) onEpoch({ since, epoch })
  }

  /**
   * Publishes the rows of a notification if they follow what was published last, in the same index and epoch. Otherwise the database has to be read: a
   * notification was lost, repeated or late, or the rows are not all there is to publish.
   */
  function publishNotified(payload: string): boolean {
    // A read of a lagging replica would miss rows that were published.
    if (!ready || isRestarting || store.readsLag || personal.selection().orders.length > 0) return false
    const page = notifiedPages.take(payload)
    if (page === undefined || page.afterSeq !== position || page.end.schema !== head?.schema || page.end.epoch !== published.name()) return false
    publishPage(inLogOrder(page.rows, page.upgrades, page.corrections), { end: page.end, throughSeq: page.end.seq })
    return true
  }

  function publishPage(entries: readonly LogEntry[], { end, throughSeq }: { readonly end: LogHead; readonly throughSeq: number }): void {
    head = end
    for (const { epoch: entryEpoch, part } of byEpoch(entries)) {
      published.enter(entryEpoch, position)
      const frames = part.flatMap(rowFrames.take)
      position = part.at(-1)?.seq ?? position
      publish(frames)
    }
    // The log may end with rows that are on no channel.
    position = Math.max(position, throughSeq)
    published.update(end)
    onPublished()
  }

  return {
    position: () => position,
    epoch: published.name,
    interruptedThrough: published.interruptedThrough,
    othersThrough: published.othersThrough,
    head: () => head,
    ready: () => ready,
    channelHead: rowFrames.channelHead,
    personalHead: personal.head,
    watch: personal.watch,
    release: personal.release,
    watched: personal.count,
    warnOrder,
    recentPage: (channels, afterSeq, pageBytes) => rowFrames.recent.pageAfter(channels, afterSeq, { pageBytes, endSeq: position }),
    catchUp,
    run: (signal) => followLog({ store, clock, log, prepareNotified: notifiedPages.prepare, publishNotified, catchUp }, signal),
  }
}

/** The entries in parts of one epoch each, in their order. */
function byEpoch(entries: readonly LogEntry[]): readonly { readonly epoch: string; readonly part: readonly LogEntry[] }[] {
  const parts: { readonly epoch: string; readonly part: LogEntry[] }[] = []
  for (const entry of entries) {
    const last = parts.at(-1)
    if (last?.epoch === entry.epoch) last.part.push(entry)
    else parts.push({ epoch: entry.epoch, part: [entry] })
  }
  return parts
}
