// Turns the entries of the log into the frames of their channels, in order: each frame names its channel's previous one. Retains the newest frames.

import type { AssetList } from '../exchange/assets.ts'
import { readChannelHeads } from '../projections/log/stream-log.ts'
import type { LogRow } from '../projections/log/stream-log.ts'
import type { Queryable } from '../store/store.ts'
import type { Correction } from '../resources/correction.ts'
import { CORRECTIONS_CHANNEL, EVENTS_CHANNEL, tradesChannel } from './channels.ts'
import type { Frame, LogEntry, RowChannels } from './frames.ts'
import { channelsOfRow, correctionFrame, isCorrection, isOrderEntry, isUpgrade, logFrame, upgradeFrame } from './frames.ts'
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
  let prepared: ReadonlyMap<LogRow, RowChannels> = new Map()

  function takeRow(row: LogRow): readonly Frame[] {
    const { seq, epoch } = row
    const channels = prepared.get(row) ?? channelsOfRow(row)
    const sharedFrames = channels.shared.map(({ channel, data }) => {
      const prev = channelHeads.get(channel) ?? 0
      channelHeads.set(channel, seq)
      return logFrame(channel, { epoch, seq, prev }, data)
    })
    recent.add({ seq, frames: sharedFrames })
    return [...sharedFrames, ...personal.takeRow(row, channels.personal)]
  }

  function takeCorrection(correction: Correction): Frame {
    const prev = channelHeads.get(CORRECTIONS_CHANNEL) ?? 0
    channelHeads.set(CORRECTIONS_CHANNEL, correction.seq)
    return correctionFrame(correction, prev)
  }

  return {
    recent,
    async restart(afterSeq, { symbols }) {
      const heads = await readChannelHeads(db, { assets: symbols, accounts: [] }, afterSeq)
      recent.restart(afterSeq)
      channelHeads.set(EVENTS_CHANNEL, heads.events)
      channelHeads.set(CORRECTIONS_CHANNEL, heads.corrections)
      for (const [asset, seq] of heads.assets) channelHeads.set(tradesChannel(asset), seq)
    },
    channelHead: (channel) => channelHeads.get(channel) ?? 0,
    prepare(rows) {
      prepared = new Map(rows.map((row) => [row, channelsOfRow(row)]))
      for (const { shared } of prepared.values()) for (const { data } of shared) data()
    },
    take(entry) {
      if (isOrderEntry(entry)) return personal.takeOrders(entry)
      if (!isUpgrade(entry) && !isCorrection(entry)) return takeRow(entry)
      const frames = [isUpgrade(entry) ? upgradeFrame(entry) : takeCorrection(entry)]
      recent.add({ seq: entry.seq, frames })
      return frames
    },
  }
}
