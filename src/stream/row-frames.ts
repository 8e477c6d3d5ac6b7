// The live frames of the log's entries, in order. Retains the newest frames of shared channels.

import type { AssetList } from '../exchange/assets.ts'
import { readChannelHeads } from '../projections/log/stream-log.ts'
import type { LogRow } from '../projections/log/stream-log.ts'
import type { Queryable } from '../store/store.ts'
import { CORRECTIONS_CHANNEL, EVENTS_CHANNEL, isPersonalName, tradesChannel } from './channels.ts'
import type { ChannelEntry, ChannelHeads, Frame, LogEntry } from './frames.ts'
import { channelsOfRow, framesOf, isOrderEntry } from './frames.ts'
import type { PersonalChannels } from './personal-channels.ts'
import { createRecentRows } from './recent-rows.ts'
import type { RecentRows } from './recent-rows.ts'

/** At least this many of the newest rows are retained with their frames. */
export const RECENT_ROWS = 4_096

export interface RowFrames {
  /** The newest frames of shared channels. */
  readonly recent: RecentRows
  /** Starts again after this seq, without retained frames. Rejects when the database cannot be read. */
  restart(afterSeq: number, assets: AssetList): Promise<void>
  /** The seq of a shared channel's last frame, 0 when it has none. */
  channelHead(channel: string): number
  /** Serialises rows that `take` will probably get next. Replaces those of the previous call. */
  prepare(rows: readonly LogRow[]): void
  /** The frames of the next entry: on shared channels, and on those of accounts that are watched. */
  take(entry: LogEntry): readonly Frame[]
}

export function createRowFrames(db: Queryable, personal: PersonalChannels): RowFrames {
  const channelHeads = new Map<string, number>()
  const recent = createRecentRows(RECENT_ROWS)
  let prepared: ReadonlyMap<LogEntry, readonly ChannelEntry[]> = new Map()

  const heads: ChannelHeads = {
    get: (channel) => (isPersonalName(channel) ? personal.get(channel) : channelHeads.get(channel) ?? 0),
    set: (channel, seq) => (isPersonalName(channel) ? personal : channelHeads).set(channel, seq),
  }

  return {
    recent,
    async restart(afterSeq, { symbols }) {
      const stored = await readChannelHeads(db, { assets: symbols, accounts: [] }, afterSeq)
      recent.restart(afterSeq)
      channelHeads.set(EVENTS_CHANNEL, stored.events)
      channelHeads.set(CORRECTIONS_CHANNEL, stored.corrections)
      for (const [asset, seq] of stored.assets) channelHeads.set(tradesChannel(asset), seq)
    },
    channelHead: (channel) => channelHeads.get(channel) ?? 0,
    prepare(rows) {
      prepared = new Map(rows.map((row) => [row, channelsOfRow(row)]))
      for (const { channel, data } of [...prepared.values()].flat()) if (!isPersonalName(channel)) data()
    },
    take(entry) {
      const frames = framesOf(entry, heads, prepared.get(entry))
      if (!isOrderEntry(entry)) recent.add({ seq: entry.seq, frames: frames.filter(({ channel }) => !isPersonalName(channel)) })
      return frames
    },
  }
}
