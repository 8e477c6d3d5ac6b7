// Replays channels to one connection from a position in the log, at the client's pace, then switches to live delivery without a gap or a duplicate.

import type { Clock } from '../base/clock.ts'
import { readCorrectionRows } from '../projections/repair/corrections.ts'
import { readOrderEntries, readOrderHeads } from '../projections/orders/order-stream.ts'
import type { LogChannels } from '../projections/log/stream-log.ts'
import { readChannelHeads, readChannels, readUpgrades } from '../projections/log/stream-log.ts'
import type { Queryable } from '../store/store.ts'
import { isPersonal, LOG_NOTICE } from './channels.ts'
import type { LogChannel } from './channels.ts'
import type { Encoding } from './encoding.ts'
import { framesOf, inLogOrder } from './frames.ts'
import { framePage } from './recent-rows.ts'
import type { FramePage } from './recent-rows.ts'
import type { ReplayBudget } from './replay-budget.ts'
import type { Tail } from './tail.ts'

/** A replay from further behind is a whole replay: it takes several pages from the database. */
export const WHOLE_REPLAY_SEQS = 1_000
/** Rows of the first read of a replay, and the most and fewest of a later one. */
const PAGE_ROWS = { first: 100, min: 16, max: 500 } as const
/** The next page has more or fewer rows, to have about this many bytes. */
const PAGE_BYTES = 262_144
/** Bytes written at a time: the next ones follow when the client has taken these. Frames with the same seq are not separated. */
const CHUNK_BYTES = 262_144
/** At most this share of the bytes that may wait for a client, because live frames of other channels wait with them. */
const CHUNK_SHARE = 1 / 4

export interface ReplayParts {
  readonly db: Queryable
  readonly tail: Tail
  readonly clock: Clock
}

/** A replay to one connection. */
export interface Replay {
  /** By name. Channels may be removed during the replay; removing the last one ends it. */
  readonly channels: Map<string, LogChannel>
  /** Everything after this seq is sent. */
  readonly afterSeq: number
  readonly signal: AbortSignal
  readonly budget: ReplayBudget
  /** Bytes that may wait for the client. */
  readonly waitingBytes: number
  readonly encoding: Encoding
  /** Writes whole frames in this encoding. */
  write(bytes: Buffer): void
  /** Resolves when the client has taken what was written. */
  drained(): Promise<void>
  /** Switches to live delivery. Called once, when nothing is missing. */
  goLive(channels: Iterable<string>): void
}

/** Runs until the replay is live or closed. Rejects when the database cannot be read. */
export async function runReplay(parts: ReplayParts, feed: Replay): Promise<void> {
  const { tail } = parts
  const chunkBytes = Math.max(1, Math.min(CHUNK_BYTES, Math.floor(feed.waitingBytes * CHUNK_SHARE)))
  const readPage = createPageReader(parts, feed)
  let after = feed.afterSeq
  if (tail.position() - after > WHOLE_REPLAY_SEQS) await feed.budget.waitForReplay(feed.signal)
  while (!hasEnded(feed)) {
    if (tail.position() < after) {
      // The position was read from the database, which is ahead of what has been published.
      await tail.catchUp()
      continue
    }
    if (after === tail.position()) {
      feed.goLive(feed.channels.keys())
      return
    }
    const page = recentPage(tail, feed, { after, chunkBytes }) ?? await readPage(after)
    after = page.throughSeq
    await sendPage(parts, feed, page, chunkBytes)
    // Frames from memory need no read: without this, a fast client would keep the process from everything else.
    if (after !== tail.position()) await new Promise((resolve) => void setImmediate(resolve))
  }
}

function hasEnded({ signal, channels }: Replay): boolean {
  return signal.aborted || channels.size === 0
}

/** Sends frames in chunks, each when the client has taken the one before and its address may receive more. */
async function sendPage({ clock }: ReplayParts, feed: Replay, page: FramePage, chunkBytes: number): Promise<void> {
  const { frames } = page
  for (let from = 0; from < frames.length && !hasEnded(feed);) {
    let bytes = 0
    let to = from
    while (to < frames.length && (bytes < chunkBytes || frames[to]?.seq === frames[to - 1]?.seq)) bytes += frames[to++]?.bytes().length ?? 0
    // A channel may have been removed while the client took the chunk before.
    const chunk = frames.slice(from, to).filter(({ channel }) => feed.channels.has(channel) || channel === LOG_NOTICE)
    from = to
    for (let delayMs = feed.budget.delayMs(); delayMs > 0; delayMs = feed.budget.delayMs()) {
      await clock.sleep(delayMs, feed.signal)
      if (hasEnded(feed)) return
    }
    feed.budget.spendReplayed(chunk)
    if (chunk.length > 0) feed.write(chunk.length === frames.length ? page.bytes(feed.encoding) : feed.encoding.frames(chunk))
    await feed.drained()
  }
}

/** The next missing frames, when the tail retains all of them. The tail does not retain frames of account channels. */
function recentPage(tail: Tail, feed: Replay, { after, chunkBytes }: { readonly after: number; readonly chunkBytes: number }): FramePage | undefined {
  if ([...feed.channels.values()].some(isPersonal)) return undefined
  return tail.recentPage(new Set(feed.channels.keys()), after, chunkBytes)
}

/** Reads missing frames from the database, in pages of about PAGE_BYTES, because a page stays in memory until a slow client has taken it. */
function createPageReader({ db, tail }: ReplayParts, feed: Replay): (after: number) => Promise<FramePage> {
  let limit: number = PAGE_ROWS.first
  /** The end of the last page that was read, and the seq of each channel's last frame there; 0 when there is none. */
  let readThrough: number | undefined
  let heads = new Map<string, number>()
  return async (after) => {
    const through = tail.position()
    const selection = toLogSelection(feed.channels.values())
    const { entries, throughSeq } = await feed.budget.read(async () => {
      if (after !== readThrough) heads = await readHeads(db, feed.channels, after)
      const range = { afterSeq: after, throughSeq: through, limit }
      const { entries: orders, throughSeq: ordersEnd } = await readOrderEntries(db, selection.orders, { ...range, warnOrder: tail.warnOrder })
      const rows = await readChannels(db, selection, { afterSeq: after, throughSeq: ordersEnd, limit })
      const rowsEnd = endOfPage(rows, limit, ordersEnd)
      const corrections = selection.corrections ? await readCorrectionRows(db, { afterSeq: after, throughSeq: rowsEnd, limit }) : []
      const end = endOfPage(corrections, limit, rowsEnd)
      const upgrades = await readUpgrades(db, { afterSeq: after, throughSeq: end })
      return { entries: inLogOrder(rows, upgrades, corrections, orders).filter(({ seq }) => seq <= end), throughSeq: end }
    })
    readThrough = throughSeq
    const frames = entries.flatMap((entry) => framesOf(entry, heads))
    const bytes = frames.reduce((sum, frame) => sum + frame.bytes().length, 0)
    limit = Math.min(PAGE_ROWS.max, Math.max(PAGE_ROWS.min, Math.floor((entries.length * PAGE_BYTES) / Math.max(1, bytes))))
    return framePage(frames, throughSeq)
  }
}

/** A full page may be followed by more before `throughSeq`. */
function endOfPage(page: readonly { readonly seq: number }[], limit: number, throughSeq: number): number {
  return page.length < limit ? throughSeq : (page.at(-1)?.seq ?? throughSeq)
}

/** The seq of each channel's last frame at or before `atSeq`; 0 when there is none. */
async function readHeads(db: Queryable, channels: ReadonlyMap<string, LogChannel>, atSeq: number): Promise<Map<string, number>> {
  const selection = toLogSelection(channels.values())
  const { events, corrections, assets, accounts } = await readChannelHeads(db, selection, atSeq)
  const orders = await readOrderHeads(db, selection.orders, atSeq)
  const headOf = (channel: LogChannel): number | undefined => {
    if (channel.kind === 'events') return events
    if (channel.kind === 'corrections') return corrections
    if (channel.kind === 'trades') return assets.get(channel.asset)
    return (channel.kind === 'orders' ? orders : accounts).get(channel.account)
  }
  return new Map([...channels].map(([name, channel]) => [name, headOf(channel) ?? 0]))
}

/** The channels as a filter for reading the log. */
export function toLogSelection(channels: Iterable<LogChannel>): LogChannels {
  const all = [...channels]
  return {
    events: all.some(({ kind }) => kind === 'events'),
    corrections: all.some(({ kind }) => kind === 'corrections'),
    assets: all.flatMap((channel) => (channel.kind === 'trades' ? [channel.asset] : [])),
    accounts: all.flatMap((channel) => (channel.kind === 'account' ? [channel.account] : [])),
    orders: all.flatMap((channel) => (channel.kind === 'orders' ? [channel.account] : [])),
  }
}
