// Brings a connection from a place in the log to the live end of its channels: what is missing first, in order, at the client's pace, then live, with no
// hole and no repeat where the two meet.

import type { Semaphore } from '../base/semaphore.ts'
import type { LogChannels, LogRow } from '../projections/stream-log.ts'
import { readChannels } from '../projections/stream-log.ts'
import type { Queryable } from '../store/store.ts'
import type { LogChannel } from './channels.ts'
import { channelsOfRow, logFrame } from './frames.ts'
import type { Frame } from './frames.ts'
import type { Tail } from './tail.ts'

/** Rows of a replay read at a time. */
const PAGE_ROWS = 500

/** What a replay reads from. */
export interface ReplayParts {
  readonly db: Queryable
  readonly tail: Tail
  /** Reads of all replays together are few at a time, so that a thousand returning clients leave connections for everybody else. */
  readonly readSemaphore: Semaphore
}

/** A replay to one connection. */
export interface Replay {
  /** By name. Channels may be taken out while it runs; with the last one it ends. */
  readonly channels: Map<string, LogChannel>
  /** Where it begins: everything behind this seq is sent. */
  readonly afterSeq: number
  /** The seq of each channel's last frame at or before `afterSeq`; 0 when there is none. */
  readonly prev: Map<string, number>
  readonly signal: AbortSignal
  /** Sends frames, and resolves when the client is ready for more. */
  send(frames: readonly Frame[]): Promise<void>
  /** Goes live: called once, at the moment when nothing is missing. */
  goLive(channels: Iterable<string>): void
}

/** Runs the feed until it is live or ended. Rejects when the database cannot be read. */
export async function runReplay({ db, tail, readSemaphore: lanes }: ReplayParts, feed: Replay): Promise<void> {
  let after = feed.afterSeq
  const ended = (): boolean => feed.signal.aborted || feed.channels.size === 0
  while (!ended()) {
    if (tail.position() < after) {
      // The place was read from the database, which is ahead of what has been published.
      await tail.catchUp()
      continue
    }
    const through = tail.position()
    if (after === through) {
      feed.goLive(feed.channels.keys())
      return
    }
    const frames = recentFrames(tail, feed, after)
    if (frames !== undefined) {
      after = through
      await feed.send(frames)
      continue
    }
    const rows = await lanes.run(() => readChannels(db, toLogSelection(feed.channels.values()), { afterSeq: after, throughSeq: through, limit: PAGE_ROWS }))
    if (ended()) return
    after = rows.length < PAGE_ROWS ? through : (rows.at(-1)?.seq ?? through)
    await feed.send(rows.flatMap((row) => toReplayFrames(row, feed)))
  }
}

/** What the tail still holds, when that is all that is missing. Accounts' frames it does not keep. */
function recentFrames(tail: Tail, feed: Replay, after: number): readonly Frame[] | undefined {
  if ([...feed.channels.values()].some(({ kind }) => kind === 'account')) return undefined
  const frames = tail.recentFrames(new Set(feed.channels.keys()), after)
  for (const { channel, seq } of frames ?? []) if (seq !== undefined) feed.prev.set(channel, seq)
  return frames
}

function toReplayFrames(row: LogRow, feed: Replay): readonly Frame[] {
  const { shared, personal } = channelsOfRow(row)
  return [...shared, ...personal].flatMap(({ channel, data }) => {
    if (!feed.channels.has(channel)) return []
    const prev = feed.prev.get(channel) ?? 0
    feed.prev.set(channel, row.seq)
    return [logFrame(channel, { seq: row.seq, prev }, data)]
  })
}

/** Log channels as the projections select them. */
export function toLogSelection(channels: Iterable<LogChannel>): LogChannels {
  const all = [...channels]
  return {
    events: all.some(({ kind }) => kind === 'events'),
    assets: all.flatMap((channel) => (channel.kind === 'trades' ? [channel.asset] : [])),
    accounts: all.flatMap((channel) => (channel.kind === 'account' ? [channel.account] : [])),
  }
}
