// Broadcasts the checkpoint of the log of pages after each page, behind the page's frames.

import { readPageLogState } from '../projections/proofs/log-reads.ts'
import type { PageLogState } from '../projections/proofs/log-reads.ts'
import type { Queryable } from '../store/store.ts'
import { CHECKPOINTS_CHANNEL } from './channels.ts'
import { plainFrame } from './frames.ts'
import type { Hub } from './hub.ts'
import { coalesce } from './log-follower.ts'

export interface CheckpointBroadcast {
  /** Sends the checkpoint of what was published last, if somebody receives it. Rejects when the database cannot be read. */
  broadcast(): Promise<void>
  /** Resolves when none is being sent. */
  settled(): Promise<void>
}

export interface CheckpointBroadcastOptions {
  readonly hub: Hub
  readonly db: Queryable
  /** Everything up to this seq has been published. */
  readonly position: () => number
  /** The signed note of a checkpoint; null without a key. */
  signCheckpoint(state: PageLogState): string | null
}

export function createCheckpointBroadcast({ hub, db, position, signCheckpoint }: CheckpointBroadcastOptions): CheckpointBroadcast {
  let lastSize = 0
  let sending: Promise<void> | undefined
  const send = coalesce(async () => {
    if (!hub.hasSubscribers(CHECKPOINTS_CHANNEL)) return
    const state = await readPageLogState(db)
    // A page that was committed since is announced once its frames are published.
    if (state === null || state.size === lastSize || state.seq > position()) return
    lastSize = state.size
    const { size, root, epoch, ledger, seq } = state
    const data = { size, root: Buffer.from(root).toString('base64'), note: signCheckpoint(state), epoch, ledger, seq }
    hub.publish([plainFrame(CHECKPOINTS_CHANNEL, JSON.stringify(data))])
  })
  return {
    broadcast: () => (sending = send()),
    async settled() {
      await sending?.catch(() => {})
    },
  }
}
