// Holds frames of the log until a verified checkpoint covers them. Used by streams with `verified`.

import { SlowReader } from './frame-queue.ts'
import type { FrameHandler } from './stream-subscriptions.ts'
import type { Channel, CheckpointData, Frame } from './stream-frames.ts'

/** Checks frames against the checkpoint that covers them. Rejects when they are not proven. */
export interface FrameVerifier {
  check(checkpoint: CheckpointData, frames: readonly Frame<Channel>[]): Promise<void>
  /** Frames are missing, which the stream reports. */
  onGap(): void
}

export interface FrameGate {
  /** Delivers a frame to its handler once it is proven; at once if it is not of the log. */
  hold(frame: Frame<Channel>, handler: FrameHandler): void
  onCheckpoint(checkpoint: CheckpointData): void
  close(): void
}

export interface FrameGateOptions {
  readonly verifier: FrameVerifier
  readonly limit: number
  onHandlerError(error: unknown): void
  onFailure(error: unknown): void
}

/** A gate for one stream. While one checkpoint is checked, only the newest of those that arrive is kept: it covers the others. */
export function createFrameGate({ verifier, limit, onHandlerError, onFailure }: FrameGateOptions): FrameGate {
  let held: { readonly frame: Frame<Channel>; readonly handler: FrameHandler }[] = []
  let newest: CheckpointData | null = null
  let isChecking = false
  let isClosed = false

  function fail(error: unknown): void {
    if (isClosed) return
    isClosed = true
    held = []
    onFailure(error)
  }

  async function check(): Promise<void> {
    for (let checkpoint = newest; checkpoint !== null && !isClosed; checkpoint = newest) {
      newest = null
      const { seq } = checkpoint
      // A frame can have several handlers, and is checked once.
      await verifier.check(checkpoint, [...new Set(held.filter(({ frame }) => (frame.seq ?? 0) <= seq).map(({ frame }) => frame))])
      const released = held.filter(({ frame }) => (frame.seq ?? 0) <= seq)
      held = held.filter(({ frame }) => (frame.seq ?? 0) > seq)
      for (const { frame, handler } of isClosed ? [] : released) {
        try {
          handler(frame)
        } catch (error) {
          onHandlerError(error)
        }
      }
    }
  }

  return {
    hold(frame, handler) {
      if (isClosed) return
      if (frame.seq === undefined) handler(frame)
      else if (held.length >= limit) fail(new SlowReader(`More than ${limit} frames were waiting for a checkpoint.`))
      else held.push({ frame, handler })
    },
    onCheckpoint(checkpoint) {
      newest = checkpoint
      if (isChecking) return
      isChecking = true
      check().then(() => void (isChecking = false), fail)
    },
    close() {
      isClosed = true
      held = []
    },
  }
}
