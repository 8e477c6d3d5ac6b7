// The newest rows of the log as frames, so that clients that reconnect soon cost no database reads.

import { createCache } from '../base/cache.ts'
import { LOG_NOTICE } from './channels.ts'
import type { Encoding } from './encoding.ts'
import type { Frame } from './frames.ts'

/** The frames of shared log channels made from one row. */
interface RecentRow {
  readonly seq: number
  readonly frames: readonly Frame[]
}

/** Consecutive frames of some channels. */
export interface FramePage {
  readonly frames: readonly Frame[]
  /** The page has every frame of its channels up to this seq. */
  readonly throughSeq: number
  /** All frames as one buffer, encoded on first use: clients that resume at the same position share it. */
  bytes(encoding: Encoding): Buffer
}

export function framePage(frames: readonly Frame[], throughSeq: number): FramePage {
  const encoded = new Map<Encoding, Buffer>()
  return {
    frames, throughSeq,
    bytes(encoding) {
      const known = encoded.get(encoding) ?? encoding.frames(frames)
      encoded.set(encoding, known)
      return known
    },
  }
}

/** Retained pages. After an instance stops, all of its clients resume at about the same position. */
const PAGES_MAX = 32

export interface RecentRows {
  /** Adds the next row; seqs ascend. */
  add(row: RecentRow): void
  /** Drops the rows; the next one added is the first after this seq. */
  restart(afterSeq: number): void
  /**
   * Frames of these channels after `afterSeq`, when the retained rows include all of them. A page ends after the row that reaches `pageBytes`, and otherwise
   * at `endSeq`, the position of the log.
   */
  pageAfter(channels: ReadonlySet<string>, afterSeq: number, end: PageEnd): FramePage | undefined
}

interface PageEnd {
  readonly pageBytes: number
  readonly endSeq: number
}

/** Retains at least the newest `minRows` rows, and fewer than twice as many. */
export function createRecentRows(minRows: number): RecentRows {
  let rows: RecentRow[] = []
  /** Every row after this seq is retained. */
  let completeAfter = 0
  /** Since the last change of the rows, by request. */
  const pages = createCache<string, FramePage>(PAGES_MAX)

  function makePage(channels: ReadonlySet<string>, afterSeq: number, { pageBytes, endSeq }: PageEnd): FramePage {
    const frames: Frame[] = []
    let bytes = 0
    for (let index = indexAfter(rows, afterSeq); index < rows.length; index++) {
      const row = rows[index]
      for (const frame of row?.frames ?? []) {
        if (!channels.has(frame.channel) && frame.channel !== LOG_NOTICE) continue
        frames.push(frame)
        bytes += frame.bytes().length
      }
      if (bytes >= pageBytes) return framePage(frames, row?.seq ?? endSeq)
    }
    return framePage(frames, endSeq)
  }

  return {
    add(row) {
      pages.clear()
      rows.push(row)
      if (rows.length < 2 * minRows) return
      completeAfter = rows.at(-minRows - 1)?.seq ?? completeAfter
      rows = rows.slice(-minRows)
    },
    restart(afterSeq) {
      pages.clear()
      rows = []
      completeAfter = afterSeq
    },
    pageAfter(channels, afterSeq, end) {
      if (afterSeq < completeAfter) return undefined
      const key = [afterSeq, end.pageBytes, end.endSeq, ...[...channels].sort()].join(' ')
      const known = pages.get(key)
      if (known !== undefined) return known
      const page = makePage(channels, afterSeq, end)
      pages.set(key, page)
      return page
    },
  }
}

/** The index of the first row after `seq`. Seqs have holes where ledgers were lost, so this is a binary search. */
function indexAfter(rows: readonly RecentRow[], seq: number): number {
  let low = 0
  for (let high = rows.length; low < high;) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.seq ?? 0) <= seq) low = middle + 1
    else high = middle
  }
  return low
}
