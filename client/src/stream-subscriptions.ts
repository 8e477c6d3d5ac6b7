// The channels that the program reads: their handlers, their positions in the log, and what happens with each frame.

import { createChannelPositions } from './channel-positions.ts'
import { isLog } from './stream-frames.ts'
import type { Channel, Frame, Gap, Message } from './stream-frames.ts'

export type FrameHandler = (frame: Frame<Channel>) => void
type Heads = Readonly<Record<string, number>>

export interface Subscriptions {
  /** Adds a handler. Returns true for the channel's first, which then has to be subscribed. `since` applies to the first. */
  add(channel: string, handler: FrameHandler, since: number | undefined): boolean
  /** Removes a handler. Returns true when it was the channel's last. */
  remove(channel: string, handler: FrameHandler): boolean
  clear(): void
  isResumable(channel: string): boolean
  channels(): readonly string[]
  /** The earliest position of these channels. */
  earliestPosition(channels: readonly string[]): number
  /** Starts channels that have no position yet at the head of the log. */
  startAt(heads: Heads): void
  /** Continues channels from the head of the log, after a gap that the gateway cannot fill. Returns the highest of these positions. */
  skipTo(channels: readonly string[], heads: Heads): number | null
  /**
   * Passes a frame to its channel's handlers. Returns false when earlier frames are missing and have to be requested again. The second time the same frames are
   * missing they are reported as a gap.
   */
  deliver(channel: string, message: Message): boolean
}

export interface SubscriptionOptions {
  onGap(gap: Gap): void
  onHandlerError(error: unknown): void
}

const CHANNELS_MAX = 500

export function createSubscriptions({ onGap, onHandlerError }: SubscriptionOptions): Subscriptions {
  const handlersByChannel = new Map<string, Set<FrameHandler>>()
  const positions = createChannelPositions()
  /** The position from which missing frames were already requested again, by channel. */
  const retriedFrom = new Map<string, number>()

  /** Decides whether a frame may be delivered although frames before it are missing. */
  function acceptGap(channel: string, since: number, frame: { readonly seq: number; readonly prev: number }): boolean {
    if (retriedFrom.get(channel) !== since) {
      retriedFrom.set(channel, since)
      return false
    }
    retriedFrom.delete(channel)
    positions.set(channel, frame.seq, true)
    onGap({ channels: [channel], since, until: frame.prev, reason: 'hole' })
    return true
  }

  return {
    add(channel, handler, since) {
      const handlers = handlersByChannel.get(channel)
      if (handlers !== undefined) {
        handlers.add(handler)
        return false
      }
      if (handlersByChannel.size >= CHANNELS_MAX) throw new RangeError(`More than ${CHANNELS_MAX} channels.`)
      handlersByChannel.set(channel, new Set([handler]))
      if (since !== undefined && isLog(channel)) positions.set(channel, since, false)
      return true
    },
    remove(channel, handler) {
      const handlers = handlersByChannel.get(channel)
      if (handlers?.delete(handler) !== true || handlers.size > 0) return false
      handlersByChannel.delete(channel)
      positions.delete(channel)
      retriedFrom.delete(channel)
      return true
    },
    clear: () => handlersByChannel.clear(),
    isResumable: (channel) => positions.get(channel) !== undefined,
    channels: () => [...handlersByChannel.keys()],
    earliestPosition: (channels) => Math.min(...channels.map((channel) => positions.get(channel) ?? 0)),
    startAt(heads) {
      for (const [channel, seq] of Object.entries(heads)) {
        if (positions.get(channel) === undefined && handlersByChannel.has(channel)) positions.set(channel, seq, true)
      }
    },
    skipTo(channels, heads) {
      const reached = channels.map((channel) => heads[channel] ?? 0)
      channels.forEach((channel, index) => positions.set(channel, reached[index] ?? 0, true))
      return reached.length === 0 ? null : Math.max(...reached)
    },
    deliver(channel, message) {
      const handlers = handlersByChannel.get(channel)
      if (handlers === undefined) return true
      const { seq, prev, more = 0 } = message
      if (seq !== undefined && prev !== undefined) {
        const since = positions.get(channel) ?? 0
        const check = positions.advance(channel, { seq, prev, more })
        if (check === 'duplicate') return true
        if (check === 'gap' && !acceptGap(channel, since, { seq, prev })) return false
      }
      for (const handler of handlers) {
        try {
          handler(message as unknown as Frame<Channel>)
        } catch (error) {
          onHandlerError(error)
        }
      }
      return true
    },
  }
}
