// The newest rows of the log as frames, so that clients that reconnect soon cost no database reads.

import type { Frame } from './frames.ts'

/** The frames of shared log channels made from one row. */
export interface RecentRow {
  readonly seq: number
  readonly frames: readonly Frame[]
}

export interface RecentRows {
  /** Adds the next row; seqs ascend. */
  add(row: RecentRow): void
  clear(): void
  /** Frames of these channels after `afterSeq`, when the retained rows include all of them. */
  framesAfter(channels: ReadonlySet<string>, afterSeq: number): readonly Frame[] | undefined
}

/** Retains at least the newest `minRows` rows, and fewer than twice as many. */
export function createRecentRows(minRows: number): RecentRows {
  let rows: RecentRow[] = []

  return {
    add(row) {
      rows.push(row)
      if (rows.length >= 2 * minRows) rows = rows.slice(-minRows)
    },
    clear() {
      rows = []
    },
    framesAfter(channels, afterSeq) {
      const oldest = rows[0]?.seq
      if (oldest === undefined || afterSeq < oldest - 1) return undefined
      return rows.slice(indexAfter(rows, afterSeq)).flatMap(({ frames }) => frames.filter(({ channel }) => channels.has(channel)))
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
