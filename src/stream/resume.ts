// Resuming from a position in the log (docs/websocket.md): a replay of everything after it, or a gap that the client has to fill over REST.

import { countOrderEntries } from '../projections/orders/order-stream.ts'
import { countFrames } from '../projections/log/stream-log.ts'
import type { Queryable } from '../store/store.ts'
import type { LogChannel } from './channels.ts'
import { toLogSelection } from './replay.ts'
import type { ReplayBudget } from './replay-budget.ts'
import type { ReplayStart } from './subscriptions.ts'
import type { Tail } from './tail.ts'

export type Resume = { readonly kind: 'gap'; readonly message: GapMessage } | { readonly kind: 'replay'; readonly start: ReplayStart }

export interface GapMessage {
  readonly type: 'gap'
  readonly channels: readonly string[]
  readonly since: number
  readonly oldest: number
  readonly reason: 'epoch' | 'ahead' | 'too_far'
  /** The new epoch, when one began while the client was connected. */
  readonly epoch?: string
}

export interface ResumeParts {
  readonly db: Queryable
  readonly tail: Tail
  readonly budget: ReplayBudget
  /** The largest number of frames in one replay. */
  readonly maxFrames: number
}

/** Decides whether everything after `since` can be replayed. Rejects when the database cannot be read. */
export async function planResume(
  { db, tail, budget, maxFrames }: ResumeParts,
  { since, epoch }: { readonly since: number; readonly epoch: string | undefined },
  channels: ReadonlyMap<string, LogChannel>,
): Promise<Resume> {
  const gap = (reason: GapMessage['reason']): Resume => ({ kind: 'gap', message: gapMessage(tail, [...channels.keys()], { since, reason }) })
  // Another instance may have published rows that this one has not read yet.
  if (since > tail.position()) await tail.catchUp()
  if (epoch !== undefined && epoch !== tail.epoch()) return gap('epoch')
  if (since > tail.position()) return gap('ahead')
  // An epoch that continued after another one keeps its name.
  if (since < tail.interruptedThrough()) return gap('epoch')
  // Without a name, the current epoch is assumed, and the position is not in it. From 0 means the whole log.
  if (epoch === undefined && since > 0 && since < tail.othersThrough()) return gap('epoch')
  const selection = toLogSelection(channels.values())
  const range = { afterSeq: since, throughSeq: tail.position(), max: maxFrames + 1 }
  if (needsCount(tail, { since, channels: channels.size, maxFrames })) {
    const count = async (): Promise<number> => (await countFrames(db, selection, range)) + (await countOrderEntries(db, selection.orders, range))
    if ((await budget.read(count)) > maxFrames) return gap('too_far')
  }
  return { kind: 'replay', start: { channels, afterSeq: since } }
}

/** A channel has about one frame per seq at most, so a short range needs no counting. */
export function needsCount(tail: Tail, range: { readonly since: number; readonly channels: number; readonly maxFrames: number }): boolean {
  return (tail.position() - range.since) * range.channels > range.maxFrames
}

export function gapMessage(
  tail: Tail, channels: readonly string[], gap: { readonly since: number; readonly reason: GapMessage['reason']; readonly epoch?: string },
): GapMessage {
  const { since, reason, epoch } = gap
  // The archive keeps every row, so the oldest seq that can be replayed is 1.
  const oldest = Math.min(1, tail.position())
  return { type: 'gap', channels, since, oldest, reason, ...(epoch === undefined ? {} : { epoch }) }
}
