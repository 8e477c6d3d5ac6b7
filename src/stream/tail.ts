// Follows the end of the log: reads committed rows after its position and publishes them. It depends on the database only, so the indexer may run in
// another process. Notifications are a hint; a timer covers the ones that get lost.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { INDEX_CHANNEL } from '../projections/index-state.ts'
import type { LogHead, LogRow } from '../projections/stream-log.ts'
import { hasEventAt, readChannelHeads, readLog, readLogHead } from '../projections/stream-log.ts'
import type { Store } from '../store/store.ts'
import { EVENTS_CHANNEL, tradesChannel } from './channels.ts'
import type { PersonalChannel } from './channels.ts'
import type { Frame, LogEntry } from './frames.ts'
import { channelsOfRow, inLogOrder, isOrderEntry, isUpgrade, logFrame, upgradeFrame } from './frames.ts'
import { createPersonalChannels } from './personal-channels.ts'
import { createRecentRows } from './recent-rows.ts'
import type { FramePage } from './recent-rows.ts'

/** Rows per read. */
const PAGE_ROWS = 500
/** The longest delay that a lost notification can cause. */
const FALLBACK_INTERVAL_MS = 1_000
/** At least this many of the newest rows are retained with their frames. */
export const RECENT_ROWS = 4_096
/** Rows retained right after the start: an instance that replaces another one receives all of its clients at once. */
export const INITIAL_ROWS = PAGE_ROWS

export interface Tail {
  /** Everything up to this seq has been published. */
  position(): number
  /** Undefined before the first read and while nothing is indexed. */
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
  /** Frames of shared log channels after `afterSeq`, about `pageBytes` of them, when the retained rows include all frames up to the position. */
  recentPage(channels: ReadonlySet<string>, afterSeq: number, pageBytes: number): FramePage | undefined
  /** Reads and publishes everything committed before the call. Rejects when the database cannot be read. */
  catchUp(): Promise<void>
  /** Catches up at each notification until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

/** The border between two epochs. */
export interface EpochChange {
  /** The last position in the old epoch. */
  readonly since: number
  /** The name of the new epoch. */
  readonly epoch: string
}

export interface TailOptions {
  readonly store: Store
  readonly deployment: CurrentDeployment
  readonly publish: (frames: readonly Frame[]) => void
  /** Called when a new epoch begins, before its first frames are published. */
  readonly onEpoch: (change: EpochChange) => void
  readonly clock: Clock
  readonly log: Log
}

export function createTail({ store, deployment, publish, onEpoch, clock, log }: TailOptions): Tail {
  const db = store.read
  const channelHeads = new Map<string, number>()
  const recent = createRecentRows(RECENT_ROWS)
  const personal = createPersonalChannels(db, () => position)
  const catchUp = coalesce(advance)
  let position = 0
  let ready = false
  let head: LogHead | undefined
  /** The epoch of the last published row; undefined while nothing is indexed. */
  let epoch: string | undefined

  /** Starts a page before the end of the log, to retain that page's frames. Publishes nothing. */
  async function start(): Promise<void> {
    const end = await readLogHead(db)
    const endSeq = end?.seq ?? 0
    const startSeq = Math.max(0, endSeq - INITIAL_ROWS)
    const heads = await readChannelHeads(db, { events: true, assets: deployment.current.assets.symbols, accounts: [] }, startSeq)
    const { rows, upgrades } = await readLog(db, startSeq, { limit: INITIAL_ROWS, accounts: false })
    recent.restart(startSeq)
    position = startSeq
    channelHeads.set(EVENTS_CHANNEL, heads.events)
    for (const [asset, seq] of heads.assets) channelHeads.set(tradesChannel(asset), seq)
    for (const entry of inLogOrder(rows, upgrades)) if (entry.seq <= endSeq) takeEntry(entry)
    position = endSeq
    head = end ?? undefined
    epoch = end?.epoch
    ready = true
  }

  async function advance(): Promise<void> {
    if (!ready) await start()
    for (;;) {
      const selection = personal.selection()
      const { end, rows, upgrades } = await readLog(db, position, { limit: PAGE_ROWS, accounts: selection.accounts })
      const readSeq = rows.length === PAGE_ROWS ? (rows.at(-1)?.seq ?? position) : (end?.seq ?? position)
      const { entries, throughSeq } = await personal.readOrders(selection, { afterSeq: position, throughSeq: readSeq })
      // A channel was subscribed to during the read: read again, with its data.
      if (!personal.isCurrent(selection)) continue
      if (end === null) return
      if (end.epoch !== epoch && position > 0 && !(await hasEventAt(db, position))) {
        await restart()
        continue
      }
      head = end
      publishEntries(inLogOrder(rows, upgrades, entries).filter(({ seq }) => seq <= throughSeq))
      // The log may end with rows that are on no channel.
      position = Math.max(position, throughSeq)
      if (throughSeq < end.seq) continue
      // A new epoch may have no rows yet.
      enterEpoch(end.epoch)
      return
    }
  }

  /** The log was repaired, and events that were published have other seqs now: clients must read it again, so it is not published again. */
  async function restart(): Promise<void> {
    const since = position
    await start()
    if (epoch !== undefined) onEpoch({ since, epoch })
  }

  /** Publishes rows and upgrades epoch by epoch. */
  function publishEntries(entries: readonly LogEntry[]): void {
    for (let from = 0; from < entries.length;) {
      const entryEpoch = entries[from]?.epoch ?? ''
      enterEpoch(entryEpoch)
      const to = entries.findIndex((entry, index) => index > from && entry.epoch !== entryEpoch)
      const part = entries.slice(from, to === -1 ? entries.length : to)
      publish(part.flatMap(takeEntry))
      from += part.length
    }
  }

  function enterEpoch(next: string): void {
    const previous = epoch
    epoch = next
    if (previous !== undefined && previous !== next) onEpoch({ since: position, epoch: next })
  }

  function takeEntry(entry: LogEntry): readonly Frame[] {
    if (isOrderEntry(entry)) return personal.takeOrders(entry)
    if (!isUpgrade(entry)) return takeRow(entry)
    const frames = [upgradeFrame(entry)]
    position = entry.seq
    recent.add({ seq: entry.seq, frames })
    return frames
  }

  /** Moves the position to the row and returns its frames: shared channels, and the accounts that are watched. */
  function takeRow(row: LogRow): readonly Frame[] {
    const { seq } = row
    const channels = channelsOfRow(row)
    position = seq
    const sharedFrames = channels.shared.map(({ channel, data }) => {
      const prev = channelHeads.get(channel) ?? 0
      channelHeads.set(channel, seq)
      return logFrame(channel, { seq, prev }, data)
    })
    recent.add({ seq, frames: sharedFrames })
    return [...sharedFrames, ...personal.takeRow(row, channels.personal)]
  }

  return {
    position: () => position,
    head: () => head,
    ready: () => ready,
    channelHead: (channel) => channelHeads.get(channel) ?? 0,
    personalHead: personal.head,
    watch: personal.watch,
    release: personal.release,
    watched: personal.count,
    recentPage: (channels, afterSeq, pageBytes) => recent.pageAfter(channels, afterSeq, { pageBytes, endSeq: position }),
    catchUp,
    run: (signal) => runTail({ store, clock, log, catchUp }, signal),
  }
}

/** Runs one call at a time. Calls during a run share one further run, because the current one may have read before what they wait for was committed. */
function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let requested = false

  async function run(): Promise<void> {
    try {
      do {
        requested = false
        await work()
      } while (requested)
    } finally {
      // Cleared here and not in a later microtask: a call in between would be lost.
      running = undefined
    }
  }

  return () => {
    if (running !== undefined) requested = true
    return (running ??= run())
  }
}

async function runTail(
  { store, clock, log, catchUp }: Pick<TailOptions, 'store' | 'clock' | 'log'> & Pick<Tail, 'catchUp'>, signal: AbortSignal,
): Promise<void> {
  let woken = Promise.withResolvers<void>()
  const wake = (): void => woken.resolve()
  signal.addEventListener('abort', wake, { once: true })
  const stopListening = await store.listen(INDEX_CHANNEL, wake).catch(() => undefined)
  let failing = false
  while (!signal.aborted) {
    woken = Promise.withResolvers<void>()
    try {
      await catchUp()
      if (failing) log.info({}, 'the stream reads the log again')
      failing = false
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'the stream cannot read the log: retrying; clients receive the missing frames later')
      failing = true
    }
    const timer = clock.setTimer(FALLBACK_INTERVAL_MS, wake)
    await woken.promise
    timer.cancel()
  }
  await stopListening?.()
}
