// The epoch of the last published position. The end of the log may be in a later one while an instance catches up.

import type { LogHead } from '../projections/log/stream-log.ts'

/** The border between two epochs. */
export interface EpochChange {
  /** The last position in the old epoch. */
  readonly since: number
  /** The name of the new epoch. */
  readonly epoch: string
}

export interface PublishedEpoch {
  /** Undefined while nothing is indexed. */
  name(): string | undefined
  /** The last seq of another epoch that interrupted this one; 0 when none did. */
  interruptedThrough(): number
  /** The last seq of any other epoch; 0 when there is none. */
  othersThrough(): number
  /** Starts at this end of the log. */
  start(end: LogHead | null): void
  /** Everything after `since` is in this epoch. Calls `onEpoch` when it is another one. */
  enter(epoch: string, since: number): void
  /** Takes what the end of the log says about the epoch, if it is in the same one. */
  update(end: LogHead): void
}

export function createPublishedEpoch(onEpoch: (change: EpochChange) => void): PublishedEpoch {
  let name: string | undefined
  let interruptedThrough = 0
  let othersThrough = 0

  return {
    name: () => name,
    interruptedThrough: () => interruptedThrough,
    othersThrough: () => othersThrough,
    start(end) {
      name = end?.epoch
      interruptedThrough = end?.interruptedThrough ?? 0
      othersThrough = end?.othersThrough ?? 0
    },
    enter(epoch, since) {
      const previous = name
      name = epoch
      if (previous === undefined || previous === epoch) return
      // It may be an earlier epoch that continues. While the end of the log is in a later one, only this border is known.
      interruptedThrough = since
      othersThrough = since
      onEpoch({ since, epoch })
    },
    update(end) {
      if (end.epoch === name) ({ interruptedThrough, othersThrough } = end)
    },
  }
}
