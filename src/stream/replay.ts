// Replays channels to one connection from a position in the log, at the client's pace, then switches to live delivery without a gap or a duplicate.

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

export interface ReplayParts {
  readonly db: Queryable
  readonly tail: Tail
  /** Limits the concurrent reads of all replays, so that many reconnecting clients do not use up the database connections. */
  readonly readSemaphore: Semaphore
}

/** A replay to one connection. */
export interface Replay {
  /** By name. Channels may be removed during the replay; removing the last one ends it. */
  readonly channels: Map<string, LogChannel>
  /** Everything after this seq is sent. */
  readonly afterSeq: number
  /** The seq of each channel's last frame at or before `afterSeq`; 0 when there is none. */
  readonly prev: Map<string, number>
  readonly signal: AbortSignal
  /** Sends frames. Resolves when the client is ready for more. */
  send(frames: readonly Frame[]): Promise<void>
  /** Switches to live delivery. Called once, when nothing is missing. */
  goLive(channels: Iterable<string>): void
}

/** Runs until the replay is live or closed. Rejects when the database cannot be read. */
export async function runReplay({ db, tail, readSemaphore }: ReplayParts, feed: Replay): Promise<void> {
  let after = feed.afterSeq
  const ended = (): boolean => feed.signal.aborted || feed.channels.size === 0
  while (!ended()) {
    if (tail.position() < after) {
      // The position was read from the database, which is ahead of what has been published.
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
    const rows = await readSemaphore.run(() => {
      return readChannels(db, toLogSelection(feed.channels.values()), { afterSeq: after, throughSeq: through, limit: PAGE_ROWS })
    })
    if (ended()) return
    after = rows.length < PAGE_ROWS ? through : (rows.at(-1)?.seq ?? through)
    await feed.send(rows.flatMap((row) => toReplayFrames(row, feed)))
  }
}

/** The missing frames, when the tail retains all of them. The tail does not retain frames of account channels. */
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

/** The channels as a filter for reading the log. */
export function toLogSelection(channels: Iterable<LogChannel>): LogChannels {
  const all = [...channels]
  return {
    events: all.some(({ kind }) => kind === 'events'),
    assets: all.flatMap((channel) => (channel.kind === 'trades' ? [channel.asset] : [])),
    accounts: all.flatMap((channel) => (channel.kind === 'account' ? [channel.account] : [])),
  }
}
